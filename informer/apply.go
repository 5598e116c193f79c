package informer

import (
	"context"
	"math"

	"github.com/rawwatch/rawwatch/fifo"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/store"
)

// apply carries a batch of the queue into the store and to the subscriptions. Where it fails, which only the end of
// ctx makes it do, the batch stays in the queue.
func (s *source[T]) apply(ctx context.Context, batch []fifo.Delta[*job[T]]) error {
	for _, d := range batch {
		switch d.Type {
		case fifo.Bookmark:
			s.reach(d.ResourceVersion)
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

func (s *source[T]) reach(version string) {
	if version != "" {
		s.pending = version
	}
}

// gather waits until the object is decoded and puts it where it belongs: into the list that is being read, or into the
// next commit.
func (s *source[T]) gather(ctx context.Context, d fifo.Delta[*job[T]]) error {
	j := d.Value
	if j.list != nil && d.Type == fifo.Deleted {
		j.list.state.Remove(d.Key)
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
	c := store.Change[T]{Key: d.Key, UID: d.UID, ResourceVersion: d.ResourceVersion, Value: j.value, Delete: d.Type == fifo.Deleted}
	if j.again && s.outdated(&c) {
		return nil
	}
	if len(s.ahead) > 0 && s.overtaken(d) || len(s.buried) > 0 && s.haunts(d) {
		return nil
	}
	if j.err != nil {
		if err := s.flush(ctx); err != nil { // or what came before it would clear the mark that it gets
			return err
		}
		if d.Type == fifo.Deleted && j.reason == listwatch.ReasonVersion && !s.holds(d) {
			d.Type, c.Delete = fifo.Updated, false
		}
		s.report(d)
	}
	switch {
	case j.list == nil:
		s.gatherChange(d, c)
	case j.err == nil:
		j.list.state.Put(c)
	case d.Key.Name == "" || !j.list.state.Retain(d.Key): // what the store has of it is better than nothing
		j.list.unnamed = true // a name that the store does not know may be another one, spoiled
	}
	s.forget(j)
	return nil
}

func (s *source[T]) gatherChange(d fifo.Delta[*job[T]], c store.Change[T]) {
	j := d.Value
	s.reach(j.version)
	if j.err != nil && d.Type != fifo.Deleted {
		return // the stored state stays, marked stale, and the version moves on with the Problem as its witness
	}
	switch {
	case j.again && c.Delete:
		s.bury(d.Key, d.UID)
	case j.again:
		s.leads(d.Key, d.ResourceVersion)
	}
	s.changes = append(s.changes, c)
	s.origins = append(s.origins, origin{received: d.Received, last: j.err == nil && !j.again, stale: j.again, repeat: s.informer.options.RedeliverUnchanged})
}

// holds reports whether what was deleted, at a version that cannot be, is what the store has: no UID comes back.
func (s *source[T]) holds(d fifo.Delta[*job[T]]) bool {
	had, ok := s.informer.store.Entry(d.Key)
	return ok && had.UID != "" && had.UID == d.UID
}

// report tells of an object that cannot be stored as it came. A deletion is one all the same.
func (s *source[T]) report(d fifo.Delta[*job[T]]) {
	p := Problem{Key: d.Key, ResourceVersion: d.ResourceVersion, Reason: d.Value.reason, Err: d.Value.err}
	if p.Reason == "" {
		p.Reason = "undecodable"
	}
	p.again = d.Value.again || d.Type == fifo.Deleted
	s.informer.problem(p)
}

// outdated reports whether an object read again by GET says nothing new: something came by watch or by list meanwhile.
func (s *source[T]) outdated(c *store.Change[T]) bool {
	if s.listing.Load() || !s.informer.problems.isStale(c.Key) {
		return true
	}
	for i := range s.changes {
		if s.changes[i].Key == c.Key {
			return true
		}
	}
	had, ok := s.informer.store.Entry(c.Key)
	if c.Delete {
		return !ok || had.ResourceVersion != c.ResourceVersion
	}
	return ok && !older(had.ResourceVersion, c.ResourceVersion)
}

// overtaken reports whether a change is older than what was read again by GET, which is ahead of the watch: it brings
// nothing, and would take the object back.
func (s *source[T]) overtaken(d fifo.Delta[*job[T]]) bool {
	version, ok := s.ahead[d.Key]
	if !ok || d.Value.list != nil || d.Value.again || d.ResourceVersion == "" || d.Value.reason == listwatch.ReasonVersion {
		return false
	}
	if d.ResourceVersion != version && !older(d.ResourceVersion, version) {
		if d.Value.err == nil { // a bad one does not move the version that a resume begins at
			delete(s.ahead, d.Key)
		}
		return false
	}
	s.reach(d.Value.version)
	return true
}

// leads keeps the version of an object that was read again by GET.
func (s *source[T]) leads(key Key, version string) {
	if s.ahead == nil {
		s.ahead = make(map[Key]string)
	}
	s.ahead[key] = version
}

// flush commits what has been gathered: store first, then the subscriptions, then the version.
func (s *source[T]) flush(ctx context.Context) error {
	if len(s.changes) == 0 {
		if s.pending != "" && s.pending != s.version {
			s.writer.Advance(s.pending)
		}
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
	i.indexProblems(err)
	clearProblems(&i.problems, pointers(s.changes), math.MaxUint64)
	clear(s.changes)
	clear(s.origins)
	clear(s.events)
	s.changes, s.origins = s.changes[:0], s.origins[:0]
	s.advance()
	return nil
}

// advance makes the version of what has been applied known: to the reflector, which resumes there, and to those who
// wait for it.
func (s *source[T]) advance() {
	version := s.pending
	s.pending = ""
	if version == "" || version == s.version {
		return
	}
	s.version = version
	s.reflector.Applied(version)
	s.progress.update(func(p *progress) { p.version = version })
}

// replace commits the list that has been read, as one change of the store. The first one of a source that the informer
// began with is shown to the subscriptions out of the store, as the state that they begin with; any other as events.
func (s *source[T]) replace(ctx context.Context, d fifo.Delta[*job[T]]) error {
	i, list := s.informer, d.Value.list
	if err := i.log.Room(ctx); err != nil {
		return err
	}
	first := s.relists.Load() == 0
	doubtful := append(list.doubtful(), list.risen...)
	i.publishing.Lock()
	changes, err := list.state.Commit(d.Value.version)
	generation := i.generation.Add(1)
	if first && !s.late {
		i.beginAll(s)
	} else {
		o := origin{received: d.Received, stale: true, initial: first, repeat: !list.keep}
		i.tell(changes, o, generation)
	}
	s.version = d.Value.version
	clear(s.ahead) // the list is not older, or of another epoch
	s.buried.keep(list.risen)
	s.reflector.Applied(s.version)
	// Under the lock: who subscribes next begins by itself.
	s.progress.update(func(p *progress) { p.synced, p.version, p.epoch, p.err = true, s.version, list.epoch, nil })
	i.checkSynced()
	i.publishing.Unlock()
	i.indexProblems(err)
	clearProblems(&i.problems, changes, list.problems)
	i.problems.relisted(s.namespace, list.problems)
	i.problems.doubt(doubtful)
	s.listing.Store(false)
	s.relists.Add(1)
	return nil
}
