package faults

import (
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// Injection is one fault under way. All methods are safe for concurrent use.
type Injection struct {
	*Fault
	injector *Injector
	when     When
	started  time.Time
	// ended is closed when it is over, so that what waits goes on.
	ended chan struct{}

	mu    sync.Mutex
	over  bool
	seen  int // occasions
	hits  int
	end   func()
	timer *time.Timer
}

// Hits returns how often it has happened.
func (n *Injection) Hits() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.hits
}

// Stop ends it: it does not happen again, a server that is down comes back, and
// what waits goes on. What was done to connections stays done. Stop may be
// called again.
func (n *Injection) Stop() {
	n.mu.Lock()
	if n.over {
		n.mu.Unlock()
		return
	}
	n.over = true
	close(n.ended)
	end, timer := n.end, n.timer
	n.mu.Unlock()
	n.injector.remove(n)
	if timer != nil {
		timer.Stop()
	}
	if end != nil {
		end()
	}
}

// Over says whether it cannot happen again.
func (n *Injection) Over() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.over || n.spent()
}

// spent says that it has happened often enough. Called with mu.
func (n *Injection) spent() bool { return n.when.Times >= 0 && n.hits >= max(n.when.Times, 1) }

func (n *Injection) expire(after time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.over && n.timer == nil {
		n.timer = time.AfterFunc(after, n.Stop)
	}
}

func (n *Injection) setEnd(end func()) {
	n.mu.Lock()
	over := n.over
	n.end = end
	n.mu.Unlock()
	if over && end != nil {
		end()
	}
}

// lasting is how long a fault lasts that begins at once.
func (n *Injection) lasting(own time.Duration) time.Duration {
	if n.when.For > 0 {
		return n.when.For
	}
	return own
}

// matches says whether it is about such requests, hit or not.
func (n *Injection) matches(x *exchange) bool {
	return n.when.On&x.kind != 0 && (n.when.Match == nil || n.when.Match(x.r))
}

// wants says whether it happens to a request, and counts that it does.
func (n *Injection) wants(x *exchange) bool {
	if n.answer == nil && n.alter == nil && n.wire == nil || !n.matches(x) {
		return false
	}
	n.mu.Lock()
	number := n.seen
	n.seen++
	open := !n.over && !n.spent() && number >= n.when.Skip
	n.mu.Unlock()
	if n.wire != nil { // it happens when the place in the answer is reached
		return open
	}
	return n.take(number)
}

// take is one occasion, the number-th; it reports whether it happens.
func (n *Injection) take(number int) bool {
	n.mu.Lock()
	if n.over || n.spent() || number < n.when.Skip {
		n.mu.Unlock()
		return false
	}
	n.hits++
	n.mu.Unlock()
	if n.when.Reached != nil {
		n.when.Reached()
	}
	return true
}

// count is the number of this occasion.
func (n *Injection) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seen++
	return n.seen - 1
}

func (n *Injection) hit() {
	n.mu.Lock()
	n.hits++
	n.mu.Unlock()
	if n.when.Reached != nil {
		n.when.Reached()
	}
}

// fits says whether an event is one that the fault is about.
func (n *Injection) fits(e fakeapi.Event) bool {
	switch n.about {
	case bookmarks:
		return e.Type == "BOOKMARK" && !e.Marker
	case markersOnly:
		return e.Marker
	}
	return e.Type != "BOOKMARK"
}
