package informer

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rawwatch/rawwatch/fifo"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/store"
)

// deniesExistence reports whether a failed GET is the API server's word that this very object does not exist: a GET without a version is read from etcd, not from
// a cache (API concepts, "Semantics for get and list"). A 404 that is no Status is a proxy's, one without details says that the path is unknown, such as that
// of a custom resource whose definition has gone, and one about something else is about something else.
func deniesExistence(err error, r rest.Resource, key Key) bool {
	e, ok := errors.AsType[*status.Error](err)
	if !ok || !e.HasStatus || e.Code != 404 || e.Reason != status.ReasonNotFound || e.Details == nil {
		return false
	}
	return e.Details.Name == key.Name && e.Details.Group == r.Group && e.Details.Kind == r.Resource
}

// gone sends the deletion of an object that a GET has not found the same way as the others. It is that of the state that the store had before the GET, for one that
// has come since may be newer. Without a UID what the watch is still to bring could not be told from another life, and a relist has to find out.
func (s *source[T]) gone(ctx context.Context, had store.Entry[T]) {
	if had.UID == "" {
		return
	}
	d := s.found(fifo.Deleted, had.Key, had.UID, had.ResourceVersion)
	d.Value.done.Store(true)
	_ = s.queue.Push(ctx, d) // it fails when everything ends
}

// found is what a GET has found out, on its way to the store.
//
//go:noinline // it is large
func (s *source[T]) found(t fifo.DeltaType, key Key, uid, version string) fifo.Delta[*job[T]] {
	return fifo.Delta[*job[T]]{Type: t, Key: key, UID: uid, ResourceVersion: version, Value: &job[T]{source: s, again: true}, Received: time.Now()}
}

// buried are the UIDs of objects whose deletion a GET has told before the watch came to it. No UID comes back, so what the watch is still to bring of one is
// older than its end.
type buried map[Key]string

// bury notes one. There are few: one for each spoiled event. Those of a flood are forgotten.
func (s *source[T]) bury(key Key, uid string) {
	if s.buried == nil || len(s.buried) >= maxStale {
		s.buried = make(buried)
	}
	s.buried[key] = uid
}

// keep forgets the others.
func (b buried) keep(keys []Key) {
	for key := range b {
		if !slices.Contains(keys, key) {
			delete(b, key)
		}
	}
}

// haunts reports whether a change is about an object that has been buried, and is to be left out. Only a restored etcd could bring one back, so it is read again.
func (s *source[T]) haunts(d fifo.Delta[*job[T]]) bool {
	uid, ok := s.buried[d.Key]
	if !ok || d.UID == "" {
		return false
	}
	j := d.Value
	if j.again || d.UID != uid {
		delete(s.buried, d.Key) // it exists, or another one under its name
		return false
	}
	switch {
	case j.list != nil:
		j.list.risen = append(j.list.risen, d.Key)
	case d.Type == fifo.Deleted:
		delete(s.buried, d.Key)
		s.reach(j.version)
	default:
		s.informer.problems.doubt([]Key{d.Key})
		s.reach(j.version)
	}
	return true
}
