package follow

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/rawwatch/rawwatch/informer"
)

// history holds the events of one handler to the rules, as they come.
type history[T any] struct {
	identify  func(T) (uid, version string)
	unwritten func(T) bool // no writer made this state, the server did; nil for none

	mu       sync.Mutex
	present  map[string]state
	last     map[string]state // of keys that were there
	gone     map[string]bool  // UIDs that were deleted
	shown    map[state]bool
	faults   []string
	events   map[string]int
	overtake int // another UID in place of the one before
}

func newHistory[T any](identify func(T) (uid, version string), unwritten func(T) bool) *history[T] {
	return &history[T]{
		identify: identify, unwritten: unwritten, present: map[string]state{}, last: map[string]state{},
		gone: map[string]bool{}, shown: map[state]bool{}, events: map[string]int{},
	}
}

func (h *history[T]) fault(e informer.Event[T], format string, args ...any) {
	h.faults = append(h.faults, fmt.Sprintf("%s %s %s uid %s: ", e.Kind, e.Key, e.ResourceVersion, e.UID)+fmt.Sprintf(format, args...))
}

func (h *history[T]) see(e informer.Event[T]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := e.Key.String()
	h.events[e.Kind.String()]++
	before, there := h.present[key]
	if last, ok := h.last[key]; ok && number(e.ResourceVersion) < number(last.version) {
		h.fault(e, "the version before was %s", last.version)
	}
	switch e.Kind {
	case informer.Added:
		if there {
			h.fault(e, "it was there at %s", before.version)
		}
		if h.gone[e.UID] {
			h.fault(e, "this UID was deleted")
		}
		if last, ok := h.last[key]; ok && last.uid != e.UID {
			h.overtake++
		}
	case informer.Updated:
		if !there || before.uid != e.UID {
			h.fault(e, "present before: %v %v", there, before)
		}
		if uid, version := h.identify(e.Old); uid != before.uid || version != before.version {
			h.fault(e, "Old is %s %s, shown before was %v", uid, version, before)
		}
		if before.version == e.ResourceVersion {
			h.fault(e, "an update to the same version")
		}
	case informer.Deleted:
		if !there || before.uid != e.UID {
			h.fault(e, "present before: %v %v", there, before)
		}
		h.gone[e.UID] = true
		delete(h.present, key)
		h.last[key] = state{key, e.UID, e.ResourceVersion}
		return
	default:
		h.fault(e, "nobody asked for it")
	}
	if uid, version := h.identify(e.New); uid != e.UID || version != e.ResourceVersion {
		h.fault(e, "New is %s %s", uid, version)
	}
	now := state{key, e.UID, e.ResourceVersion}
	h.present[key], h.last[key] = now, now
	if h.unwritten == nil || !h.unwritten(e.New) {
		h.shown[now] = true
	}
}

func number(version string) uint64 {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		panic(err) // a real API server's versions are numbers
	}
	return n
}
