package sim

import (
	"strconv"
	"sync"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// Step is one state that the server gave to a key, in the order of the server: a write, a deletion, or what a restored etcd brought back.
type Step struct {
	State
	Epoch    int // counts the restores
	Deleted  bool
	Restored bool // the restore did it: Version is that of a write before
}

// History is what the server had. It grows by itself.
type History struct {
	mu    sync.Mutex
	steps []Step
	now   map[Key]State
	epoch int
}

func newHistory() *History { return &History{now: make(map[Key]State)} }

// take is a fakeapi.Server.OnChange.
func (h *History) take(c fakeapi.Change) {
	if c.Resource != Resource {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch c.Type {
	case "RESTORED":
		h.restore(c)
	case "DELETED":
		s := stateOf(c.Object)
		delete(h.now, s.Key)
		h.steps = append(h.steps, Step{State: s, Epoch: h.epoch, Deleted: true})
	default:
		s := stateOf(c.Object)
		h.now[s.Key] = s
		h.steps = append(h.steps, Step{State: s, Epoch: h.epoch})
	}
}

// restore begins an epoch: what the backup lacks is gone, what it has is back.
func (h *History) restore(c fakeapi.Change) {
	h.epoch++
	back := make(map[Key]State, len(c.Objects))
	for _, o := range c.Objects {
		s := stateOf(o)
		back[s.Key] = s
	}
	for key, s := range h.now {
		if again, ok := back[key]; !ok || again.UID != s.UID {
			h.steps = append(h.steps, Step{State: s, Epoch: h.epoch, Deleted: true, Restored: true})
		}
	}
	for _, o := range c.Objects {
		s := stateOf(o)
		h.steps = append(h.steps, Step{State: s, Epoch: h.epoch, Restored: true})
	}
	h.now = back
}

// Steps returns the history so far.
func (h *History) Steps() []Step {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Step(nil), h.steps...)
}

// Len returns how many steps there are.
func (h *History) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.steps)
}

// Now returns the present state.
func (h *History) Now() map[Key]State {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := make(map[Key]State, len(h.now))
	for k, s := range h.now {
		now[k] = s
	}
	return now
}

// Epochs returns how often the server was restored.
func (h *History) Epochs() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.epoch
}

// Since returns what was written in this epoch after a version.
func (h *History) Since(version uint64) []Step {
	h.mu.Lock()
	defer h.mu.Unlock()
	var since []Step
	for _, s := range h.steps {
		if s.Epoch == h.epoch && !s.Restored && compareVersions(s.Version, strconv.FormatUint(version, 10)) > 0 {
			since = append(since, s)
		}
	}
	return since
}
