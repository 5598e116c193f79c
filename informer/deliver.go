package informer

import (
	"context"
	"errors"
	"fmt"

	"github.com/rawwatch/rawwatch/fifo"
)

// run calls the handler until the subscription is over.
func (s *Subscription[T]) run(ctx context.Context) {
	over := ErrStopped // also where the handler ends its goroutine
	defer func() {
		s.reader.Close(false)
		s.informer.forget(s)
		s.end(over)
	}()
	err := s.each(ctx, s.deliver)
	if ctx.Err() == nil && (err == nil || errors.Is(err, fifo.ErrClosed)) {
		over = nil
	}
}

// deliver calls the handler for a batch, and reports whether it wants more. A panic is contained: what it happened to
// counts as handled, the rest follows.
func (s *Subscription[T]) deliver(events []Event[T]) bool {
	if s.handler.OnBatch != nil {
		if len(events) > 0 {
			s.contain("handler", func() { s.handler.OnBatch(events) })
			s.handled.Add(uint64(len(events)))
		}
		return true
	}
	for n := range events {
		if s.stopped() || s.informer.ctx.Err() != nil {
			return false
		}
		s.contain("handler", func() { s.handler.call(events[n]) })
		s.handled.Add(1)
	}
	return true
}

// visible turns events of the log into what the handler sees of them, in place: deletions get the last known state as
// Old, and Match applies to what was seen and is seen now.
func (s *Subscription[T]) visible(events []Event[T]) []Event[T] {
	match := s.handler.Match
	kept := events[:0]
	for _, e := range events {
		gone, seen := e.Kind == Deleted, match == nil
		if !seen {
			s.contain("Match of handler", func() { seen = narrow(&e, match) })
		}
		if !seen {
			continue
		}
		if gone {
			e.Old, e.New = e.New, *new(T)
		}
		kept = append(kept, e)
	}
	return kept
}

// contain calls a function of the handler's.
func (s *Subscription[T]) contain(what string, call func()) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		i := s.informer
		err := newPanicError(fmt.Sprintf("%s %q", what, s.handler.Name), cause)
		s.panics.Add(1)
		i.problems.panicked(err)
		i.options.Logger.Error("panic", "resource", i.resource.String(), "error", err, "stack", string(err.Stack))
		if i.options.Repanic {
			panic(cause)
		}
	}()
	call()
}

func (p *problems) panicked(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.panics++
	p.lastPanic = err
}

// Acknowledge makes Healthy forget the handlers' panics up to now.
func (i *Informer[T]) Acknowledge() {
	i.problems.mu.Lock()
	defer i.problems.mu.Unlock()
	i.problems.lastPanic = nil
}
