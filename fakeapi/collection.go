package fakeapi

import (
	"cmp"
	"slices"
	"strings"
)

// collection holds every kept version of the objects of one kind, so that
// pages, exact lists and watches can all be answered as of a version. Guarded
// by the server's mutex.
type collection struct {
	*kind
	// keys are all keys with revisions, in etcd's order when sorted is set.
	keys   []string
	sorted bool
	// revisions of each key, ascending; a nil object is a deletion. A key
	// without any has been forgotten and counts in dead until it is swept.
	revisions map[string][]revision
	dead      int
	// log is every change since floor, ascending.
	log []*change
	// floor is the oldest version from which a watch or exact list can start.
	floor uint64
	// watchers are in the order in which they began.
	watchers []*watcher
	limit    int // of log; 0 is none
}

type revision struct {
	version uint64
	object  *object
}

// change is one write as watches see it. Exactly one of before and after is
// nil for a creation or deletion.
type change struct {
	version       uint64
	before, after *object
	// gone is before at this version: what a DELETED event shows.
	gone *object
}

func newCollection(k *kind, limit int) *collection {
	return &collection{kind: k, revisions: make(map[string][]revision), sorted: true, limit: limit}
}

// current returns the present state of a key, nil if there is none.
func (c *collection) current(key string) *object { return last(c.revisions[key]) }

func last(rs []revision) *object {
	if len(rs) == 0 {
		return nil
	}
	return rs[len(rs)-1].object
}

// asOf returns the state of a key at a version not below floor.
func asOf(rs []revision, version uint64) *object {
	for _, r := range slices.Backward(rs) {
		if r.version <= version {
			return r.object
		}
	}
	return nil
}

// commit applies a change and offers it to every watch.
func (c *collection) commit(ch *change) {
	o := ch.after
	if o == nil {
		o = ch.before
	}
	key := o.meta.key()
	rs, known := c.revisions[key]
	if known && len(rs) == 0 {
		c.dead--
	}
	if !known {
		c.sorted = c.sorted && (len(c.keys) == 0 || c.keys[len(c.keys)-1] < key)
		c.keys = append(c.keys, key)
	}
	c.revisions[key] = append(rs, revision{ch.version, ch.after})
	c.log = append(c.log, ch)
	for _, w := range slices.Clone(c.watchers) { // an overflowing watch leaves
		w.offer(ch)
	}
	if c.limit > 0 && len(c.log) > c.limit {
		c.forget(1)
	}
}

// compact forgets what only versions below floor need.
func (c *collection) compact(floor uint64) {
	n, _ := slices.BinarySearchFunc(c.log, floor+1, func(ch *change, v uint64) int { return cmp.Compare(ch.version, v) })
	c.forget(n)
	c.floor = max(c.floor, floor)
}

// forget drops the n oldest changes and the revisions they superseded.
func (c *collection) forget(n int) {
	for _, ch := range c.log[:n] {
		c.floor = ch.version
		o := ch.after
		if o == nil {
			o = ch.before
		}
		c.trim(o.meta.key())
	}
	clear(c.log[:n]) // the array outlives the slice
	c.log = c.log[n:]
}

func (c *collection) trim(key string) {
	rs := c.revisions[key]
	for len(rs) > 1 && rs[1].version <= c.floor {
		rs = rs[1:]
	}
	if len(rs) == 1 && rs[0].object == nil && rs[0].version <= c.floor {
		rs = nil
		c.dead++
	}
	c.revisions[key] = rs
	if c.dead > 64 && c.dead > len(c.keys)/2 {
		c.sweep()
	}
}

func (c *collection) sweep() {
	c.dead = 0
	c.keys = slices.DeleteFunc(c.keys, func(key string) bool {
		forgotten := len(c.revisions[key]) == 0
		if forgotten {
			delete(c.revisions, key)
		}
		return forgotten
	})
}

func (c *collection) order() {
	if !c.sorted {
		slices.Sort(c.keys)
		c.sorted = true
	}
}

// at returns the objects of a namespace ("" is all) at a version not below
// floor, in order, from the first key not below from.
func (c *collection) at(version uint64, namespace, from string) []*object {
	c.order()
	prefix := ""
	if namespace != "" {
		prefix = namespace + "/"
	}
	start, _ := slices.BinarySearch(c.keys, max(prefix, from))
	var all []*object
	for _, key := range c.keys[start:] {
		if !strings.HasPrefix(key, prefix) {
			break
		}
		if o := asOf(c.revisions[key], version); o != nil {
			all = append(all, o)
		}
	}
	return all
}

// since returns the changes after a version not below floor.
func (c *collection) since(version uint64) []*change {
	n, _ := slices.BinarySearchFunc(c.log, version+1, func(ch *change, v uint64) int { return cmp.Compare(ch.version, v) })
	return slices.Clone(c.log[n:])
}
