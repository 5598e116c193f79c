package chaos

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
)

// follower is one informer: what its handler was told, and its store.
type follower struct {
	name    string
	ours    bool
	noText  bool // it keeps metadata only
	synced  func() bool
	store   func() map[string]state
	details func() string

	mu      sync.Mutex
	present map[string]state
	shown   map[state]bool
	back    map[string]int // how often a key's version went back
	last    map[string]state
	events  map[string]int
	faults  []string
}

func (f *follower) init() *follower {
	f.present, f.shown, f.back, f.last, f.events = map[string]state{}, map[state]bool{}, map[string]int{}, map[string]state{}, map[string]int{}
	return f
}

// told is what a handler calls: old is nil for an addition.
func (f *follower) told(kind string, old *state, s state) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !strings.HasPrefix(s.key, namespace+"/w") {
		return
	}
	f.events[kind]++
	before, there := f.present[s.key]
	switch {
	case kind == "Added" && there, kind != "Added" && !there:
		f.fault("%s %v, present before: %v %v", kind, s, there, before)
	case kind == "Updated" && before.uid != s.uid:
		f.fault("Updated %v to another object, present before: %v", s, before)
	case kind == "Updated" && old != nil && *old != before:
		f.fault("Updated %v, Old is %v, shown before was %v", s, *old, before)
	case kind == "Deleted" && before.uid != s.uid:
		f.fault("Deleted %v, present before: %v", s, before)
	}
	if last, ok := f.last[s.key]; ok && number(s.version) < number(last.version) {
		f.back[s.key]++
	}
	f.last[s.key] = s
	if kind == "Deleted" {
		delete(f.present, s.key)
		return
	}
	f.present[s.key], f.shown[s] = s, true
}

func (f *follower) fault(format string, args ...any) {
	f.faults = append(f.faults, fmt.Sprintf(format, args...))
}

// is reports whether store and handler have the server's state.
func (f *follower) is(want map[string]state) bool {
	if f.noText {
		want = withoutText(want)
	}
	f.mu.Lock()
	handled := only(f.present)
	f.mu.Unlock()
	return maps.Equal(only(f.store()), only(want)) && maps.Equal(handled, only(want))
}

// judge is what was wrong with all that was told.
func (f *follower) judge(w *truth, restores int) []string {
	known := w.states
	if f.noText {
		known = map[state]bool{}
		for s := range w.states {
			s.text = ""
			known[s] = true
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	faults := f.faults
	for s := range f.shown {
		if !known[s] {
			faults = append(faults, fmt.Sprintf("%v was shown, and nobody wrote it", s))
		}
	}
	for key, n := range f.back {
		if n > restores {
			faults = append(faults, fmt.Sprintf("%s went back %d times, with %d restores", key, n, restores))
		}
	}
	return faults
}

// only leaves out what the server writes itself.
func only(all map[string]state) map[string]state {
	kept := maps.Clone(all)
	maps.DeleteFunc(kept, func(key string, _ state) bool { return !strings.HasPrefix(key, namespace+"/w") })
	return kept
}

func withoutText(all map[string]state) map[string]state {
	bare := map[string]state{}
	for key, s := range all {
		s.text = ""
		bare[key] = s
	}
	return bare
}

func number(version string) uint64 {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		panic(err) // a real API server's versions are numbers
	}
	return n
}
