package informer

import (
	"errors"
	"time"

	"github.com/rawwatch/rawwatch/fifo"
)

// Handler says what to call when something changes, and how. Either OnAdd, OnUpdate and OnDelete (any of them), or
// OnEvent, or OnBatch; none of them for a subscription that is read with Events. One goroutine calls them, one call at
// a time, in an order that is legal for every key. A call may take as long as it likes and may use the informer,
// subscribing and closing included.
type Handler[T any] struct {
	OnAdd    func(Event[T]) // a resync calls OnUpdate, with the same object as Old and New
	OnUpdate func(Event[T])
	OnDelete func(Event[T])

	OnEvent func(Event[T])

	OnBatch func([]Event[T]) // everything that waits, at most 256 at a time; the slice is valid during the call

	// Match narrows what the handler sees. An update into it is an Added, one out of it a Deleted.
	Match func(Key, T) bool
	// Resync is how often every object is shown again, as a Resync event. Zero is the informer's Options.Resync, which is
	// off where it is zero; negative is off. A handler that is behind is resynced when it has caught up.
	Resync time.Duration
	// Policy and Limit say what happens when the handler is too slow: after Limit waiting events (zero means 4,096,
	// negative is off) Policy applies: Coalesce, Block or DropAndResync.
	Policy fifo.Policy
	Limit  int
	// Name appears in Status, logs and errors.
	Name string
}

// batchLimit is how many events one OnBatch gets, and one turn of a handler's goroutine takes.
const batchLimit = 256

var errStyles = errors.New("informer: a Handler has one style: OnAdd, OnUpdate and OnDelete, or OnEvent, or OnBatch")

// pulled reports whether nothing is to be called: the subscription is read by its owner.
func (h *Handler[T]) pulled() bool {
	return h.OnAdd == nil && h.OnUpdate == nil && h.OnDelete == nil && h.OnEvent == nil && h.OnBatch == nil
}

func (h *Handler[T]) check() error {
	styles := 0
	if h.OnAdd != nil || h.OnUpdate != nil || h.OnDelete != nil {
		styles++
	}
	if h.OnEvent != nil {
		styles++
	}
	if h.OnBatch != nil {
		styles++
	}
	if styles > 1 {
		return errStyles
	}
	return nil
}

// call gives one event to the handler's function for it.
func (h *Handler[T]) call(e Event[T]) {
	f := h.OnEvent
	if f == nil {
		switch e.Kind {
		case Added:
			f = h.OnAdd
		case Updated:
			f = h.OnUpdate
		case Deleted:
			f = h.OnDelete
		case Resync:
			f = h.OnUpdate
		}
	}
	if f != nil {
		f(e)
	}
}

// narrow reports whether a handler with this Match sees e, and turns an update across the border into what it is on this
// side. A deletion counts by the state that was seen last: its own may have left the border behind.
func narrow[T any](e *Event[T], match func(Key, T) bool) bool {
	switch e.Kind {
	case Deleted:
		return match(e.Key, e.Old)
	case Updated:
		was, is := match(e.Key, e.Old), match(e.Key, e.New)
		switch {
		case was && !is:
			e.Kind, e.New = Deleted, *new(T)
		case !was && is:
			e.Kind, e.Old = Added, *new(T)
		}
		return was || is
	default:
		return match(e.Key, e.New)
	}
}
