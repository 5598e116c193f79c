package informer

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rawwatch/rawwatch/fifo"
	"github.com/rawwatch/rawwatch/listwatch"
)

// take carries one event of the reflector into the queue. Its bytes are the reflector's again when it returns.
func (s *source[T]) take(ctx context.Context, e *listwatch.Event) error {
	switch e.Kind {
	case listwatch.ReplaceBegin:
		return s.beginReplace(ctx)
	case listwatch.ReplaceItem:
		return s.takeItem(ctx, e)
	case listwatch.ReplaceRemove:
		return s.queue.Push(ctx, fifo.Delta[*job[T]]{Type: fifo.Deleted, Key: e.Identity.Key(), Value: &job[T]{source: s, item: true}})
	case listwatch.ReplaceEnd:
		s.reading = false
		return s.queue.Push(ctx, fifo.Delta[*job[T]]{Type: fifo.Replaced, ResourceVersion: e.Version, Received: e.Received})
	case listwatch.ReplaceAbort:
		s.reading = false
		return s.queue.Drain(ctx)
	case listwatch.Added:
		return s.takeChange(ctx, e, fifo.Added)
	case listwatch.Modified:
		return s.takeChange(ctx, e, fifo.Updated)
	case listwatch.Deleted:
		return s.takeChange(ctx, e, fifo.Deleted)
	case listwatch.Bookmark:
		return s.queue.Push(ctx, fifo.Delta[*job[T]]{Type: fifo.Bookmark, ResourceVersion: e.Version, Received: e.Received})
	case listwatch.Problem:
		s.takeProblem(e)
	}
	return nil
}

// takeProblem reports an object that the reflector could not read. In the middle of a list, what there is of it stays.
func (s *source[T]) takeProblem(e *listwatch.Event) {
	key := e.Identity.Key()
	if s.reading && key.Name != "" {
		s.incoming.Retain(key)
	}
	s.informer.problem(Problem{Key: key, ResourceVersion: string(e.Identity.ResourceVersion), Reason: e.Reason, Err: e.Err})
}

// beginReplace waits until everything before the list is in the store: what the list leaves unchanged is found by
// looking there.
func (s *source[T]) beginReplace(ctx context.Context) error {
	if err := s.queue.Drain(ctx); err != nil {
		return err
	}
	epoch := s.reflector.Status().Epoch
	s.keep = epoch == s.epoch && !s.informer.options.RedeliverUnchanged
	s.epoch = epoch
	s.incoming = s.writer.Replace()
	s.reading = true
	return nil
}

func (s *source[T]) takeItem(ctx context.Context, e *listwatch.Event) error {
	key, uid, version := e.Identity.Key(), string(e.Identity.UID), string(e.Identity.ResourceVersion)
	if s.keep && s.incoming.Keep(key, uid, version) {
		s.unchanged.Add(1)
		return nil
	}
	return s.push(ctx, fifo.Added, key, uid, version, e, true)
}

// takeChange drops what the store has already, as happens after a resume; anything else is decoded.
func (s *source[T]) takeChange(ctx context.Context, e *listwatch.Event, t fifo.DeltaType) error {
	key, uid, version := e.Identity.Key(), string(e.Identity.UID), string(e.Identity.ResourceVersion)
	if t != fifo.Deleted && !s.informer.options.RedeliverUnchanged && s.queue.Len() == 0 {
		if had, ok := s.informer.store.Entry(key); ok && had.UID == uid && had.ResourceVersion == version {
			s.unchanged.Add(1)
			return s.queue.Push(ctx, fifo.Delta[*job[T]]{Type: fifo.Bookmark, ResourceVersion: e.Version, Received: e.Received})
		}
	}
	return s.push(ctx, t, key, uid, version, e, false)
}

// push gives the object to the decode workers and, in the order of the wire, to the queue.
func (s *source[T]) push(ctx context.Context, t fifo.DeltaType, key types.NamespacedName, uid, version string, e *listwatch.Event, item bool) error {
	j := &job[T]{source: s, item: item}
	j.load(e.Object)
	if err := s.reserve(ctx, j.size); err != nil {
		return err
	}
	d := fifo.Delta[*job[T]]{Type: t, Key: key, UID: uid, ResourceVersion: version, Value: j, Received: e.Received}
	s.informer.pool.submit(j)
	return s.queue.Push(ctx, d)
}

// reserve waits while too many bytes are on their way to be decoded. One object always finds a place.
func (s *source[T]) reserve(ctx context.Context, size int64) error {
	limit := s.informer.options.BytesInFlight
	for limit > 0 {
		n := s.inFlight.Load()
		if n == 0 || n+size <= limit {
			break
		}
		select {
		case <-s.room:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	s.inFlight.Add(size)
	return nil
}

func (s *source[T]) unreserve(size int64) {
	s.inFlight.Add(-size)
	select {
	case s.room <- struct{}{}:
	default:
	}
}
