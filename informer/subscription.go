package informer

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rawwatch/rawwatch/fifo"
	"github.com/rawwatch/rawwatch/store"
)

var errCallbacks = errors.New("informer: Events is for a Handler without callbacks")

// Subscription is one handler's place in an informer. All methods may be called from any goroutine, the handler's own
// included, but for Events, which has one reader.
type Subscription[T any] struct {
	informer *Informer[T]
	handler  Handler[T]
	reader   *fifo.Reader[T]
	nudge    chan struct{} // holds a token when initial or closing changed
	done     chan struct{}
	synced   chan struct{}

	mu       sync.Mutex
	initial  []initial[T]
	awaiting map[*source[T]]bool // sources whose first state this subscription has not seen
	closing  bool
	drain    bool
	started  bool
	err      error

	handled atomic.Uint64
	panics  atomic.Uint64
}

// initial is a state to be shown before anything later: what a source began with, or what was there on subscribing.
type initial[T any] struct {
	snapshot *store.Snapshot[T]
	source   *source[T]
}

// Synced is closed when the handler has been called for every object of the state that the subscription began with.
func (s *Subscription[T]) Synced() <-chan struct{} { return s.synced }

// Done is closed when no call is running and none will follow.
func (s *Subscription[T]) Done() <-chan struct{} { return s.done }

// Depth returns how many events wait for the handler, not counting the state that it begins with.
func (s *Subscription[T]) Depth() int { return s.reader.Depth() }

// Err returns why the subscription ended: nil while it lives and after Close, ErrStopped when the informer ended, or
// what was wrong with the Handler.
func (s *Subscription[T]) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close ends the subscription. With drain the handler, or the loop over Events, still gets what was waiting; without it
// nothing more begins.
// Close does not wait: a call that is running goes on, and Done is closed after it.
func (s *Subscription[T]) Close(drain bool) {
	s.mu.Lock()
	drain = drain && (s.drain || !s.closing) // once without is without
	s.closing, s.drain = true, drain
	reads := s.started || s.handler.pulled() && drain // somebody will look, and then end it
	s.mu.Unlock()
	s.reader.Close(drain)
	s.informer.forget(s)
	if !reads {
		s.end(nil)
	}
	s.wake()
}

func (s *Subscription[T]) wake() {
	select {
	case s.nudge <- struct{}{}:
	default:
	}
}

// begin lets the subscription show the state of a source, as of the snapshot, before anything later.
// The caller holds the informer's publishing lock.
func (s *Subscription[T]) begin(src *source[T], snapshot *store.Snapshot[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isClosed(s.done) {
		snapshot.Close()
		return
	}
	s.initial = append(s.initial, initial[T]{snapshot: snapshot, source: src})
	s.wake()
}

// abandon forgets a source that was removed before its first state arrived.
func (s *Subscription[T]) abandon(src *source[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.awaiting, src)
	s.checkSynced()
}

func (s *Subscription[T]) checkSynced() {
	if len(s.awaiting) == 0 && len(s.initial) == 0 {
		if !isClosed(s.synced) {
			close(s.synced)
		}
	}
}

// end marks the subscription as over. Only the first call counts.
func (s *Subscription[T]) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isClosed(s.done) {
		return
	}
	s.err = err
	for _, i := range s.initial {
		i.snapshot.Close()
	}
	s.initial = nil
	close(s.done)
}

// each gives deliver everything that there is to see, in order, at most batchLimit events at a time, until deliver
// answers false, the subscription is closed, or ctx ends. The events are deliver's during the call.
func (s *Subscription[T]) each(ctx context.Context, deliver func([]Event[T]) bool) error {
	var buffer, initials []Event[T]
	resync := s.informer.resyncTimer(s.handler.Resync)
	defer resync.stop()
	for {
		if err := s.over(ctx); err != nil {
			return err
		}
		events, err := s.reader.Poll(buffer[:0], batchLimit)
		// A source's first state comes before its events, and is there before they are: looking for it after Poll finds it.
		if more, ok := s.showInitial(&initials, deliver); !ok {
			return nil
		} else if more && len(events) == 0 {
			continue
		}
		if err != nil {
			return s.closed(err)
		}
		buffer = events
		if len(events) > 0 {
			if !deliver(s.visible(events)) {
				return nil
			}
			clear(buffer)
			continue
		}
		if resync.due {
			if shown, ok := s.resync(&buffer, deliver); !ok {
				return nil
			} else if shown {
				resync.restart()
				continue
			}
		}
		select {
		case <-s.reader.Arrived():
		case <-s.nudge:
		case <-resync.c():
			resync.due = true
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// over returns why nothing more is to be shown, nil while there may be something.
func (s *Subscription[T]) over(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing && !s.drain {
		return fifo.ErrClosed
	}
	return nil
}

// closed turns the reader's end into the subscription's: closed by its owner, or the informer has ended.
func (s *Subscription[T]) closed(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return err
	}
	return ErrStopped
}

// showInitial shows the states that are due, and says whether there were any. ok is false when deliver wants no more.
func (s *Subscription[T]) showInitial(buffer *[]Event[T], deliver func([]Event[T]) bool) (shown, ok bool) {
	for {
		s.mu.Lock()
		if len(s.initial) == 0 {
			s.mu.Unlock()
			*buffer = nil // it comes once; its array need not stay
			return shown, true
		}
		next := s.initial[0]
		s.initial = s.initial[1:]
		s.mu.Unlock()
		ok := s.show(next, Added, buffer, deliver)
		next.snapshot.Close()
		if !ok {
			return true, false
		}
		shown = true
		s.mu.Lock()
		delete(s.awaiting, next.source)
		s.checkSynced()
		s.mu.Unlock()
	}
}

// show gives the objects of a state to deliver, as events of the given kind.
func (s *Subscription[T]) show(state initial[T], kind fifo.EventKind, buffer *[]Event[T], deliver func([]Event[T]) bool) bool {
	events := (*buffer)[:0]
	defer func() { clear(events[:cap(events)]); *buffer = events }()
	now := time.Now()
	for entry := range state.source.entries(state.snapshot) {
		e := Event[T]{Kind: kind, Key: entry.Key, UID: entry.UID, ResourceVersion: entry.ResourceVersion, New: entry.Value, Received: now}
		e.Initial = kind == Added
		if kind == Resync {
			e.Old = e.New
		}
		if events = append(events, e); len(events) == batchLimit {
			if s.stopped() || !deliver(s.visible(events)) {
				return false
			}
			events = events[:0]
		}
	}
	return len(events) == 0 || !s.stopped() && deliver(s.visible(events))
}

// stopped reports whether the owner wants nothing more, not even what was waiting.
func (s *Subscription[T]) stopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing && !s.drain
}

// Events iterates over what the subscription sees, for a Handler without callbacks. It ends with the subscription:
// without an error after Close, with ErrStopped when the informer has ended, with the context's cause. Leaving the loop
// closes the subscription.
func (s *Subscription[T]) Events(ctx context.Context) iter.Seq2[Event[T], error] {
	return func(yield func(Event[T], error) bool) {
		if !s.handler.pulled() {
			yield(Event[T]{}, errCallbacks)
			return
		}
		defer s.end(nil)
		defer s.Close(false)
		if err := s.Err(); err != nil {
			yield(Event[T]{}, err)
			return
		}
		left := false
		err := s.each(ctx, func(events []Event[T]) bool {
			for _, e := range events {
				s.handled.Add(1)
				if left = !yield(e, nil); left {
					return false
				}
			}
			return true
		})
		if err != nil && !left && !errors.Is(err, fifo.ErrClosed) {
			yield(Event[T]{}, err)
		}
	}
}
