package listwatch

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// Follow yields a collection for ever: each object as Added (with Initial for those of the first state), then Added, Modified, Deleted, Bookmark and Problem.
// After a relist it yields only the differences to what it had yielded, between a ReplaceBegin that says why and a ReplaceEnd; objects that
// were found missing are Deleted with Stale. An object that was deleted and created anew under its name is Deleted, then Added. It keeps UID and version of
// each object, nothing else. It ends as [Reflector.Events] does.
//
// Differences are yielded as they are read: a ReplaceAbort takes none of them back, they are true states. The first list is a consistent one.
func Follow(ctx context.Context, c *rest.Client, o Options) iter.Seq2[*Event, error] {
	o.ConsistentList, o.ManualApply = true, false // an older list after a broken watch-list would show what was shown already
	return New(c, o).Follow(ctx)
}

// Follow is the function Follow over this reflector, whose Status then shows how it goes. What was yielded is forgotten when the loop is left.
func (r *Reflector) Follow(ctx context.Context) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		f := newFollower(yield)
		for e, err := range r.Events(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if e.Kind == ReplaceBegin {
				f.epoch = r.Status().Epoch
			}
			if !f.take(e) {
				return
			}
		}
	}
}

// follower remembers what has been yielded.
type follower struct {
	known map[types.NamespacedName]shown
	round uint64 // of complete states
	epoch uint64
	yield func(*Event, error) bool
}

func newFollower(yield func(*Event, error) bool) *follower {
	return &follower{known: make(map[types.NamespacedName]shown), yield: yield}
}

// shown is what is known of an object.
type shown struct {
	uid, version string
	epoch        uint64 // of the version
	round        uint64 // the complete state it was in last
}

// take yields what an event changes. It reports whether to go on.
func (f *follower) take(e *Event) bool {
	switch e.Kind {
	case ReplaceBegin:
		f.round++
	case ReplaceEnd:
		if !f.missing(e) {
			return false
		}
	case ReplaceItem, Added, Modified:
		return f.present(e)
	case ReplaceRemove, Deleted:
		return f.deleted(e)
	case Problem: // whatever it is now, it is not known to be gone
		if old, ok := f.known[e.Identity.Key()]; ok {
			old.round = f.round
			f.known[e.Identity.Key()] = old
		}
	}
	return f.yield(e, nil)
}

// present yields an object that is there.
func (f *follower) present(e *Event) bool {
	key, uid, version := e.Identity.Key(), string(e.Identity.UID), string(e.Identity.ResourceVersion)
	old, had := f.known[key]
	same := had && (old.uid == uid || old.uid == "" || uid == "")
	f.known[key] = shown{uid: uid, version: version, epoch: f.epoch, round: f.round}
	if same && old.epoch == f.epoch && (old.version == version || older(version, old.version)) {
		f.known[key] = shown{uid: uid, version: old.version, epoch: f.epoch, round: f.round}
		return true // shown before
	}
	if had && !same && !f.yield(f.gone(key, old, e.Received), nil) {
		return false
	}
	switch {
	case e.Kind != ReplaceItem && (same || !had):
	case same:
		e.Kind = Modified
	default:
		e.Kind = Added
	}
	return f.yield(e, nil)
}

// deleted yields an object that the server says is gone.
func (f *follower) deleted(e *Event) bool {
	key, uid := e.Identity.Key(), string(e.Identity.UID)
	old, had := f.known[key]
	switch {
	case e.Kind == ReplaceRemove && !had:
		return true // created and deleted while it was not watched
	case had && old.uid != uid && old.uid != "" && uid != "": // the deletion of one that came between
		delete(f.known, key)
		return f.yield(f.gone(key, old, e.Received), nil)
	}
	delete(f.known, key)
	e.Kind = Deleted
	return f.yield(e, nil)
}

// missing yields the objects that were not in the complete state, in the order of their keys.
func (f *follower) missing(end *Event) bool {
	var keys []types.NamespacedName
	for key, old := range f.known {
		if old.round != f.round {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b types.NamespacedName) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, key := range keys {
		old := f.known[key]
		delete(f.known, key)
		if !f.yield(f.gone(key, old, end.Received), nil) {
			return false
		}
	}
	return true
}

// gone is the deletion of an object whose last state is not known.
func (f *follower) gone(key types.NamespacedName, old shown, now time.Time) *Event {
	return &Event{Kind: Deleted, Stale: true, Received: now, Identity: watchdecoder.Identity{
		Namespace: []byte(key.Namespace), Name: []byte(key.Name), UID: []byte(old.uid), ResourceVersion: []byte(old.version),
	}}
}

// Until follows a collection until done returns true or an error, which is returned. The end of ctx is an error, its cause.
func Until(ctx context.Context, c *rest.Client, o Options, done func(*Event) (bool, error)) error {
	for e, err := range Follow(ctx, c, o) {
		if err != nil {
			return err
		}
		if ok, err := done(e); ok || err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}
