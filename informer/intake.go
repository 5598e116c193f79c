package informer

import (
	"context"
	"errors"

	"github.com/rawwatch/rawwatch/fifo"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/store"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// take carries one event of the reflector into the queue. Its bytes are the reflector's again when it returns.
func (s *source[T]) take(ctx context.Context, e *listwatch.Event) error {
	switch e.Kind { // most of what comes, and nothing to keep of it
	case listwatch.Bookmark:
		return s.reached(ctx, e)
	case listwatch.ReplaceItem, listwatch.Added, listwatch.Modified:
		if s.known(e) {
			s.unchanged.Add(1)
			return s.reached(ctx, e)
		}
	default:
		s.had = store.Entry[T]{}
	}
	j := s.newJob()
	j.version, j.list = e.Version, s.list
	var t fifo.DeltaType
	switch e.Kind {
	case listwatch.ReplaceBegin:
		return s.beginReplace(ctx)
	case listwatch.ReplaceAbort:
		s.list = nil // what is queued of it goes into a state that nobody will commit
		s.listing.Store(false)
		return nil
	case listwatch.ReplaceEnd:
		t, s.list = fifo.Replaced, nil
	case listwatch.ReplaceRemove:
		t = fifo.Deleted
	case listwatch.Problem:
		t, j.err, j.reason = fifo.Updated, e.Err, e.Reason
		if s.list == nil && tellsOfDeletion(e.Err) {
			t = fifo.Deleted
		}
		j.done.Store(true)
	case listwatch.Added, listwatch.Modified, listwatch.Deleted:
		t = [...]fifo.DeltaType{listwatch.Added: fifo.Added, listwatch.Modified: fifo.Updated, listwatch.Deleted: fifo.Deleted}[e.Kind]
		if err := impossible(e); err != nil {
			j.err, j.reason = err, listwatch.ReasonVersion
			j.done.Store(true)
			break
		}
		return s.push(ctx, s.delta(t, e, j), e.Object)
	case listwatch.ReplaceItem:
		return s.push(ctx, s.delta(fifo.Added, e, j), e.Object)
	default:
		return nil
	}
	return s.queue.Push(ctx, s.delta(t, e, j))
}

// tellsOfDeletion reports whether a frame that is too much to be read is a DELETED event all the same. Nothing of its object is needed but the key; and to ask for
// it again would bring nothing, for it is gone.
func tellsOfDeletion(err error) bool {
	frame, ok := errors.AsType[*watchdecoder.FrameError](err)
	return ok && frame.Type == watchdecoder.Deleted && frame.Key.Name != "" && (frame.Rule == watchdecoder.RuleTooLarge || frame.Rule == watchdecoder.RuleTooDeep)
}

// impossible is a change whose version cannot come after what the watch has brought: older, or of another form. What it
// says of the object may have been true once; the object is read again, unless that very one was deleted.
func impossible(e *listwatch.Event) error {
	if string(e.Identity.ResourceVersion) == e.Version {
		return nil
	}
	version := string(e.Identity.ResourceVersion)
	if !older(version, e.Version) {
		return nil
	}
	return &listwatch.VersionError{Rule: "an event is older than what came before it", Got: version, Had: e.Version}
}

// delta is what goes into the queue. Its strings are those of the state that the store had, where they are the same.
//
//go:noinline // it is large, and called from everywhere
func (s *source[T]) delta(t fifo.DeltaType, e *listwatch.Event, j *job[T]) fifo.Delta[*job[T]] {
	d := fifo.Delta[*job[T]]{Type: t, Key: s.had.Key, UID: s.had.UID, ResourceVersion: e.Version, Value: j, Received: e.Received}
	if d.ResourceVersion != string(e.Identity.ResourceVersion) {
		d.ResourceVersion = string(e.Identity.ResourceVersion)
	}
	if d.UID != string(e.Identity.UID) {
		d.UID = string(e.Identity.UID)
	}
	if d.Key.Name == "" { // the store had none
		d.Key = fifo.Key{Namespace: s.namespaceOf(e.Identity.Namespace), Name: string(e.Identity.Name)}
	}
	return d
}

// mostNamespaces bounds the names that are remembered. Clusters have fewer.
const mostNamespaces = 1 << 14

// namespaceOf is string(name), the same memory for all objects of a namespace.
func (s *source[T]) namespaceOf(name []byte) string {
	if known, ok := s.namespaces[string(name)]; ok {
		return known
	}
	if s.namespaces == nil || len(s.namespaces) == mostNamespaces {
		s.namespaces = make(map[string]string)
	}
	known := string(name)
	s.namespaces[known] = known
	return known
}

// reached passes on that everything up to a version has come. Inside a list there is none.
func (s *source[T]) reached(ctx context.Context, e *listwatch.Event) error {
	if e.Version == "" {
		return nil
	}
	return s.queue.Push(ctx, fifo.Delta[*job[T]]{Type: fifo.Bookmark, ResourceVersion: e.Version, Received: e.Received})
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

// known looks at what the store has of the object, and reports whether that is this very state of it, as a relist or a resume
// brings it: there is nothing to decode, nor to tell. A list takes it over as it is.
func (s *source[T]) known(e *listwatch.Event) bool {
	had := &s.had
	if s.list != nil && !s.list.keep || s.list == nil && s.queue.Len() > 0 { // what waits is newer than the store; and looking is dear
		*had = store.Entry[T]{}
		return false
	}
	*had, _ = s.informer.store.Find(e.Identity.Namespace, e.Identity.Name)
	if had.UID != string(e.Identity.UID) || had.ResourceVersion != string(e.Identity.ResourceVersion) || had.Key.Name == "" {
		return false
	}
	if s.list != nil {
		return s.list.state.Keep(had.Key, had.UID, had.ResourceVersion)
	}
	return !s.informer.options.RedeliverUnchanged && had.ResourceVersion == e.Version
}

// push gives the object to the decode workers and, in the order of the wire, to the queue.
func (s *source[T]) push(ctx context.Context, d fifo.Delta[*job[T]], object []byte) error {
	j := d.Value
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
