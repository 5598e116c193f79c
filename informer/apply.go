package informer

import (
	"context"
	"time"

	"github.com/rawwatch/rawwatch/fifo"
	"github.com/rawwatch/rawwatch/store"
)

// apply carries a batch of the queue into the store and to the subscriptions. Where it fails, which only the end of
// ctx makes it do, the batch stays in the queue.
func (s *source[T]) apply(ctx context.Context, batch []fifo.Delta[*job[T]]) error {
	for _, d := range batch {
		switch d.Type {
		case fifo.Bookmark:
			if d.ResourceVersion != "" {
				s.pending = d.ResourceVersion
			}
		case fifo.Replaced:
			if err := s.flush(ctx); err != nil {
				return err
			}
			if err := s.replace(ctx, d); err != nil {
				return err
			}
		default:
			if err := s.gather(ctx, d); err != nil {
				return err
			}
		}
	}
	return s.flush(ctx)
}

// gather waits until the object is decoded and puts it where it belongs: into the list that is being read, or into the
// next commit.
func (s *source[T]) gather(ctx context.Context, d fifo.Delta[*job[T]]) error {
	j := d.Value
	if j.item && d.Type == fifo.Deleted {
		s.incoming.Remove(d.Key)
		return nil
	}
	for !j.done.Load() {
		select {
		case <-s.decoded:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	s.unreserve(j.size)
	bad := j.err != nil
	if bad {
		s.informer.problem(Problem{Key: d.Key, ResourceVersion: d.ResourceVersion, Reason: "undecodable", Err: j.err, again: j.again})
	}
	c := store.Change[T]{Key: d.Key, UID: d.UID, ResourceVersion: d.ResourceVersion, Value: j.value}
	switch {
	case j.item && bad:
		s.incoming.Retain(d.Key)
		return nil
	case j.item:
		s.incoming.Put(c)
		return nil
	case j.again && s.outdated(&c):
		return nil
	}
	if !j.again {
		s.pending = d.ResourceVersion
	}
	if bad && d.Type != fifo.Deleted {
		return nil // the stored state stays, marked stale, and the version moves on with the Problem as its witness
	}
	c.Delete = d.Type == fifo.Deleted
	s.changes = append(s.changes, c)
	s.origins = append(s.origins, origin{received: d.Received, last: !bad})
	return nil
}

// outdated reports whether an object read again by GET is older than what the watch has brought meanwhile.
func (s *source[T]) outdated(c *store.Change[T]) bool {
	had, ok := s.informer.store.Entry(c.Key)
	for i := range s.changes {
		if s.changes[i].Key == c.Key {
			return true
		}
	}
	return ok && !older(had.ResourceVersion, c.ResourceVersion)
}

// flush commits what has been gathered: store first, then the subscriptions, then the version.
func (s *source[T]) flush(ctx context.Context) error {
	if len(s.changes) == 0 {
		s.advance()
		return nil
	}
	i := s.informer
	if err := i.log.Room(ctx); err != nil {
		return err
	}
	i.publishing.Lock()
	err := s.writer.Apply(s.changes, s.pending)
	s.events = s.events[:0]
	for n := range s.changes {
		s.events = appendEvents(s.events, &s.changes[n], s.origins[n], i.generation.Load())
	}
	i.log.Append(s.events...)
	i.publishing.Unlock()
	s.informer.indexProblems(err)
	for n := range s.changes {
		i.problems.cleared(s.changes[n].Key)
	}
	clear(s.changes)
	clear(s.origins)
	clear(s.events)
	s.changes, s.origins = s.changes[:0], s.origins[:0]
	s.advance()
	return nil
}

// advance makes the newest version of what has been applied known: to the store, where a bookmark brought it, to the
// reflector, which resumes there, and to those who wait for it.
func (s *source[T]) advance() {
	version := s.pending
	if version == "" {
		return
	}
	s.pending = ""
	s.progress.mu.Lock()
	known := s.progress.version == version
	s.progress.mu.Unlock()
	if known {
		return
	}
	s.writer.Advance(version)
	s.reflector.Applied(version)
	s.progress.update(func(p *progress) { p.version = version })
}

// replace commits the list that has been read, as one change of the store. The first one of a source is shown to the
// subscriptions as the state that they begin with, out of the store; a later one as events.
func (s *source[T]) replace(ctx context.Context, d fifo.Delta[*job[T]]) error {
	i := s.informer
	if err := i.log.Room(ctx); err != nil {
		return err
	}
	incoming := s.incoming
	s.incoming = nil
	i.publishing.Lock()
	changes, err := incoming.Commit(d.ResourceVersion)
	generation := i.generation.Add(1)
	if s.progress.synced {
		s.events = s.events[:0]
		for n := range changes {
			s.events = appendEvents(s.events, &changes[n], origin{received: d.Received, stale: true}, generation)
		}
		i.log.Append(s.events...)
	} else {
		i.beginAll(s)
		s.progress.update(func(p *progress) { p.synced = true }) // under the lock: who subscribes next begins by itself
	}
	i.publishing.Unlock()
	s.informer.indexProblems(err)
	for n := range changes {
		i.problems.cleared(changes[n].Key)
	}
	s.events = nil // a relist may have been large
	s.relists.Add(1)
	s.reflector.Applied(d.ResourceVersion)
	epoch := s.reflector.Status().Epoch
	s.progress.update(func(p *progress) { p.version, p.epoch, p.err = d.ResourceVersion, epoch, nil })
	i.checkSynced()
	return nil
}

// origin is what an event keeps of how its change came about.
type origin struct {
	received time.Time
	stale    bool // a relist noticed
	last     bool // a removal that came with the object's last state
}

// appendEvents turns a committed change into what the handlers see of it. The store says what was there before, not
// the server's word for the change: the removal of what nobody had is nothing, and another UID under the same key is a
// deletion and an addition.
func appendEvents[T any](dst []Event[T], c *store.Change[T], o origin, generation uint64) []Event[T] {
	e := Event[T]{Key: c.Key, Received: o.received, Generation: generation}
	reborn := c.Existed && !c.Delete && c.UID != "" && c.OldUID != "" && c.UID != c.OldUID
	if c.Existed && (c.Delete || reborn) {
		gone := e
		gone.Kind, gone.UID, gone.ResourceVersion, gone.Old, gone.Stale = Deleted, c.OldUID, c.OldVersion, c.Old, o.stale || reborn
		if c.Delete && o.last {
			gone.Old, gone.ResourceVersion = c.Value, c.ResourceVersion
		}
		dst = append(dst, gone)
	}
	if c.Delete {
		return dst
	}
	e.Kind, e.UID, e.ResourceVersion, e.New = Added, c.UID, c.ResourceVersion, c.Value
	if c.Existed && !reborn {
		e.Kind, e.Old = Updated, c.Old
	}
	return append(dst, e)
}
