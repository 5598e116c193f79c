package informer

import (
	"context"

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
		return s.queue.Push(ctx, s.delta(fifo.Deleted, e, &job[T]{list: s.list}))
	case listwatch.ReplaceEnd:
		d := s.delta(fifo.Replaced, e, &job[T]{list: s.list, version: e.Version})
		s.list = nil
		return s.queue.Push(ctx, d)
	case listwatch.ReplaceAbort:
		s.list = nil // what is queued of it goes into a state that nobody will commit
		s.listing.Store(false)
		return nil
	case listwatch.Added:
		return s.takeChange(ctx, e, fifo.Added)
	case listwatch.Modified:
		return s.takeChange(ctx, e, fifo.Updated)
	case listwatch.Deleted:
		return s.takeChange(ctx, e, fifo.Deleted)
	case listwatch.Bookmark:
		return s.queue.Push(ctx, s.delta(fifo.Bookmark, e, &job[T]{version: e.Version}))
	case listwatch.Problem:
		j := &job[T]{list: s.list, version: e.Version, err: e.Err, reason: e.Reason}
		j.done.Store(true)
		return s.queue.Push(ctx, s.delta(fifo.Updated, e, j))
	}
	return nil
}

func (s *source[T]) delta(t fifo.DeltaType, e *listwatch.Event, j *job[T]) fifo.Delta[*job[T]] {
	return fifo.Delta[*job[T]]{
		Type: t, Key: e.Identity.Key(), UID: string(e.Identity.UID), ResourceVersion: string(e.Identity.ResourceVersion),
		Value: j, Received: e.Received,
	}
}

// beginReplace waits until everything before the list is in the store: what the list leaves unchanged is found by
// looking there. From here to the commit nothing that was read again by GET goes into the store.
func (s *source[T]) beginReplace(ctx context.Context) error {
	s.listing.Store(true)
	if err := s.queue.Drain(ctx); err != nil {
		return err
	}
	epoch := s.reflector.Status().Epoch
	keep := epoch == s.epoch && !s.informer.options.RedeliverUnchanged
	s.epoch = epoch
	s.list = &listing[T]{state: s.writer.Replace(), keep: keep, epoch: epoch, problems: s.informer.problems.known()}
	return nil
}

func (s *source[T]) takeItem(ctx context.Context, e *listwatch.Event) error {
	d := s.delta(fifo.Added, e, nil)
	if s.list.keep && s.list.state.Keep(d.Key, d.UID, d.ResourceVersion) {
		s.unchanged.Add(1)
		return nil
	}
	d.Value = &job[T]{list: s.list}
	return s.push(ctx, d, e.Object)
}

// takeChange drops what the store has already, as happens after a resume; anything else is decoded.
func (s *source[T]) takeChange(ctx context.Context, e *listwatch.Event, t fifo.DeltaType) error {
	d := s.delta(t, e, nil)
	if t != fifo.Deleted && !s.informer.options.RedeliverUnchanged && s.queue.Len() == 0 {
		if had, ok := s.informer.store.Entry(d.Key); ok && had.UID == d.UID && had.ResourceVersion == d.ResourceVersion {
			s.unchanged.Add(1)
			d.Type, d.Value = fifo.Bookmark, &job[T]{version: e.Version}
			return s.queue.Push(ctx, d)
		}
	}
	d.Value = &job[T]{version: e.Version}
	return s.push(ctx, d, e.Object)
}

// push gives the object to the decode workers and, in the order of the wire, to the queue.
func (s *source[T]) push(ctx context.Context, d fifo.Delta[*job[T]], object []byte) error {
	j := d.Value
	j.source = s
	j.load(object)
	if err := s.reserve(ctx, j.size); err != nil {
		return err
	}
	s.informer.decoding.Add(1)
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
