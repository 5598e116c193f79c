package store

import (
	"math"
	"slices"
	"sync/atomic"
)

// forever is the end of an interval that has not ended.
const forever = math.MaxUint64

// node is one key for as long as anyone can see it. Only the writer changes it; readers follow head.
type node[T any] struct {
	key  Key
	head atomic.Pointer[entry[T]] // the newest entry, committed or about to be

	first   slot[T]    // its first place in the bucket of all nodes; a key that comes back while somebody still sees it gone gets another
	present *slot[T]   // its live place there, nil while the object is gone; writer's
	slots   []*slot[T] // its live places in the buckets of the indexes; writer's
	source  int        // the Writer that put it there; writer's
	mark    uint64     // the Replace that saw it last; writer's
	waiting bool       // in garbage.nodes; writer's, as is held
	held    bool       // in garbage.heldNodes
}

// entry is one state of an object: immutable but for prev, which the writer cuts when no reader needs what lies behind.
type entry[T any] struct {
	value   T
	uid     string
	version string
	born    uint64 // the commit that brought it
	dead    bool   // the object is gone as of born; value is its last state
	prev    atomic.Pointer[entry[T]]
}

// at returns the entry that a reader of commit seq sees, nil when the node is younger than that.
func (n *node[T]) at(seq uint64) *entry[T] { return n.head.Load().at(seq) }

// at is the same from e on, nil or not.
func (e *entry[T]) at(seq uint64) *entry[T] {
	for e != nil && e.born > seq {
		e = e.prev.Load()
	}
	return e
}

// prune cuts what no reader can see: everything behind the newest entry but the states that one of the open commits
// shows. It reports whether anything is left behind the newest entry. All entries must be committed.
func (n *node[T]) prune(open []uint64) (retained bool) {
	kept := n.head.Load()
	end := kept.born // the entry under inspection was the present one in [born, end)
	for e := kept.prev.Load(); e != nil; e = e.prev.Load() {
		if anyIn(open, e.born, end) {
			if kept.prev.Load() != e {
				kept.prev.Store(e)
			}
			kept, retained = e, true
		}
		end = e.born
	}
	if kept.prev.Load() != nil {
		kept.prev.Store(nil)
	}
	return retained
}

// anyIn reports whether one of the sorted open commits lies in [from, to).
func anyIn(open []uint64, from, to uint64) bool {
	i, _ := slices.BinarySearch(open, from)
	return i < len(open) && open[i] < to
}
