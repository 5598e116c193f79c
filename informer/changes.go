package informer

import (
	"iter"
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

// tell shows committed changes to the subscriptions. The caller holds publishing.
func (i *Informer[T]) tell(changes iter.Seq[*store.Change[T]], o origin, generation uint64) {
	events := make([]Event[T], 0, 2) // one change may be two events
	for c := range changes {
		events = appendEvents(events, c, o, generation)
		if len(events) >= batchLimit {
			i.log.Append(events...)
			events = events[:0]
		}
	}
	i.log.Append(events...)
}

// pointers iterates over the changes where they stand.
func pointers[T any](changes []store.Change[T]) iter.Seq[*store.Change[T]] {
	return func(yield func(*store.Change[T]) bool) {
		for i := range changes {
			if !yield(&changes[i]) {
				return
			}
		}
	}
}

// appendEvents turns a committed change into what the subscriptions see of it. The store says what was there before, not
// the server's word for the change: the removal of what nobody had is nothing, and another UID under the same key is a
// deletion and an addition. A Deleted has the state that was seen last as Old and the last known one as New, until show
// turns it into what handlers get.
func appendEvents[T any](dst []Event[T], c *store.Change[T], o origin, generation uint64) []Event[T] {
	if c.Delete {
		if !c.Existed {
			return dst
		}
		if c.UID != "" && c.OldUID != "" && c.OldUID != c.UID {
			o.stale, o.last = true, false // nobody has seen the end of the one, nor the other
		}
		return append(dst, deletion(c, o, generation))
	}
	e := Event[T]{
		Kind: Added, Key: c.Key, UID: c.UID, ResourceVersion: c.ResourceVersion, New: c.Value,
		Received: o.received, Generation: generation, Initial: o.initial,
	}
	if !c.Existed {
		return append(dst, e)
	}
	if c.UID != "" && c.OldUID != "" && c.UID != c.OldUID {
		o.stale = true // nobody has seen it happen
		return append(dst, deletion(c, o, generation), e)
	}
	if !o.repeat && c.ResourceVersion != "" && c.ResourceVersion == c.OldVersion {
		return dst // sent again after a resume
	}
	e.Kind, e.Old, e.Initial = Updated, c.Old, false
	return append(dst, e)
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
