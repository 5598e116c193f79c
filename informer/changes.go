package informer

import (
	"time"

	"github.com/rawwatch/rawwatch/store"
)

// origin is what an event keeps of how its change came about.
type origin struct {
	received time.Time
	stale    bool // a relist noticed
	last     bool // a removal that came with the object's last state
	initial  bool // part of a first state
	repeat   bool // told even where version and UID are what they were
}

// appendEvents turns a committed change into what the subscriptions see of it. The store says what was there before, not
// the server's word for the change: the removal of what nobody had is nothing, and another UID under the same key is a
// deletion and an addition. A Deleted has the state that was seen last as Old and the last known one as New, until show
// turns it into what handlers get.
func appendEvents[T any](dst []Event[T], c *store.Change[T], o origin, generation uint64) []Event[T] {
	another := c.Existed && !c.Delete && c.UID != "" && c.OldUID != "" && c.UID != c.OldUID
	if another || c.Existed && c.Delete {
		o.stale = o.stale || another // nobody has seen it happen
		dst = append(dst, deletion(c, o, generation))
	}
	kind, old := Added, *new(T)
	switch {
	case c.Delete:
		return dst
	case another, !c.Existed:
	case !o.repeat && c.ResourceVersion != "" && c.ResourceVersion == c.OldVersion:
		return dst // sent again after a resume
	default:
		kind, old = Updated, c.Old
	}
	return append(dst, Event[T]{
		Kind: kind, Key: c.Key, UID: c.UID, ResourceVersion: c.ResourceVersion, Old: old, New: c.Value,
		Received: o.received, Generation: generation, Initial: o.initial && kind == Added,
	})
}

//go:noinline // it is large
func deletion[T any](c *store.Change[T], o origin, generation uint64) Event[T] {
	e := Event[T]{
		Kind: Deleted, Key: c.Key, UID: c.OldUID, ResourceVersion: c.OldVersion, Old: c.Old, New: c.Old,
		Received: o.received, Generation: generation, Stale: o.stale,
	}
	if c.Delete && o.last {
		e.New, e.ResourceVersion = c.Value, c.ResourceVersion
	}
	return e
}
