package fakeapi

import "sync"

// gate counts what is under way, lets nothing in once it is shut, and tells
// when the last has left. Unlike a WaitGroup it may be entered while somebody
// waits.
type gate struct {
	mu    sync.Mutex
	count int
	shut  bool
	empty chan struct{} // closed when shut and count is 0
}

func newGate() *gate { return &gate{empty: make(chan struct{})} }

func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return false
	}
	g.count++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count--
	if g.shut && g.count == 0 {
		close(g.empty)
	}
}

// close shuts the gate; it may be called again.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.shut {
		g.shut = true
		if g.count == 0 {
			close(g.empty)
		}
	}
}
