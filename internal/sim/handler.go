package sim

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rawwatch/rawwatch/fifo"
	"github.com/rawwatch/rawwatch/informer"
)

// Seen is one event of a handler.
type Seen struct {
	Kind     fifo.EventKind
	Old, New State // a zero Key is none
	State          // what the event itself says: key, UID and version
	Initial  bool
	Stale    bool
	Synced   bool // the subscription said so before this event
	Time     time.Time
	View     *View // what the store showed at that moment, where the handler looks
}

// View is what the store showed at one moment.
type View struct {
	Version string  // of the snapshot
	Objects []State // all of them
	Index   []State // all of them again, found by way of the index
	Epoch   int     // of the server, then
}

// Handler is one of the informer's handlers and what it has seen.
type Handler struct {
	Options HandlerOptions
	world   *World
	trace   *sequence

	mu       sync.Mutex
	seen     []Seen
	state    map[Key]State
	busy     int // calls that run; more than one is a mistake
	overlaps int

	sub atomic.Pointer[informer.Subscription[*Object]]
}

// Subscribe adds a handler, also to an informer that runs.
func (w *World) Subscribe(o HandlerOptions) *Handler {
	h := &Handler{Options: o, world: w, state: make(map[Key]State)}
	call := o.Handler
	if o.Batch {
		call.OnBatch = h.batch
	} else {
		call.OnEvent = h.event
	}
	if w.trace != nil {
		h.trace = &sequence{line: w.lines("handler " + o.Name)}
		w.trace.mu.Lock()
		w.trace.handlers = append(w.trace.handlers, h.trace)
		w.trace.mu.Unlock()
	}
	h.sub.Store(w.Informer.Subscribe(call))
	w.Handlers = append(w.Handlers, h)
	return h
}

// Subscription is the handler's place in the informer.
func (h *Handler) Subscription() *informer.Subscription[*Object] { return h.sub.Load() }

// Seen returns the history so far.
func (h *Handler) Seen() []Seen {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Seen(nil), h.seen...)
}

// Len returns how many events there were.
func (h *Handler) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.seen)
}

func (h *Handler) event(e informer.Event[*Object]) { h.handle(e) }

func (h *Handler) batch(events []informer.Event[*Object]) { h.handle(events...) }

func (h *Handler) handle(events ...informer.Event[*Object]) {
	h.enter()
	for _, e := range events {
		h.see(e)
	}
	if h.Options.Delay > 0 {
		time.Sleep(h.Options.Delay)
	}
	h.leave()
	if h.Options.Do != nil {
		h.Options.Do()
	}
}

func (h *Handler) enter() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy++; h.busy > 1 {
		h.overlaps++
	}
}

func (h *Handler) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.busy--
}

// see writes an event down.
func (h *Handler) see(e informer.Event[*Object]) {
	s := Seen{Kind: e.Kind, State: State{Key: e.Key, UID: e.UID, Version: e.ResourceVersion}, Initial: e.Initial, Stale: e.Stale, Time: time.Now()}
	if e.Old != nil {
		s.Old = seenAs(e.Key, e.Old.Metadata.UID, e.Old.Metadata.ResourceVersion, e.Old)
	}
	if e.New != nil {
		s.New = seenAs(e.Key, e.New.Metadata.UID, e.New.Metadata.ResourceVersion, e.New)
		s.Value, s.Group = s.New.Value, s.New.Group
	}
	select {
	case <-h.synced():
		s.Synced = true
	default:
	}
	if h.Options.Look {
		s.View = h.world.look()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = append(h.seen, s)
	if e.Kind == informer.Deleted {
		delete(h.state, e.Key)
	} else {
		h.state[e.Key] = s.State
	}
	if h.trace != nil {
		h.world.trace.record(h.trace, fmt.Appendf(nil, "%s %s %s<%s initial=%t stale=%t", s.Kind, s.State, s.New, s.Old, s.Initial, s.Stale))
	}
}

// synced is the subscription's, once there is one: the first event may come before Subscribe has returned.
func (h *Handler) synced() <-chan struct{} {
	if sub := h.sub.Load(); sub != nil {
		return sub.Synced()
	}
	return nil
}

// caughtUp reports whether what the handler knows is what the server has.
func (h *Handler) caughtUp(want map[Key]State) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.state) != len(want) || h.busy > 0 {
		return false
	}
	for key, s := range want {
		if h.state[key].Value != s.Value || h.state[key].Version != s.Version {
			return false
		}
	}
	return true
}
