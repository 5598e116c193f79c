package store

import (
	"errors"
	"fmt"
	"iter"
	"slices"
)

// Writer feeds one source's objects into a store. A store may have several, each with its own resourceVersion; they
// take turns. A Writer itself is used by one goroutine at a time.
type Writer[T any] struct {
	store  *Store[T]
	source int
}

// Writer adds a source. An error says that the name is in use.
func (s *Store[T]) Writer(name string) (*Writer[T], error) {
	v := &s.views
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, other := range v.versions {
		if other.name == name && !other.gone {
			return nil, fmt.Errorf("store: there is a source %q already", name)
		}
	}
	v.versions = append(v.versions, sourceVersion{name: name})
	return &Writer[T]{store: s, source: len(v.versions) - 1}, nil
}

// Change is one object's new state, or its removal. Apply fills in what was there before.
type Change[T any] struct {
	Key             Key
	UID             string
	ResourceVersion string
	Value           T
	Delete          bool // the object is gone; UID, ResourceVersion and Value are ignored

	Existed    bool // there was an object under the key
	Old        T    // its state
	OldUID     string
	OldVersion string
}

// Apply makes the changes visible in one commit, in their order, and moves the source to version (where not empty).
// It fills in the Old fields of each change; a Delete of what is not there changes nothing. The error joins an
// *IndexError for each object that an index function panicked on; everything else has been done all the same.
func (w *Writer[T]) Apply(changes []Change[T], version string) error {
	s := w.store
	s.writing.Lock()
	defer s.unlock()
	return s.write(w.source, version, changes)
}

// Advance moves the source to version without a change: a bookmark.
func (w *Writer[T]) Advance(version string) {
	s := w.store
	s.writing.Lock()
	defer s.unlock()
	s.commit(s.committed.Load()+1, 0, w.source, version)
}

// Close removes the source with everything that it has put into the store, in one commit, and returns the removals.
func (w *Writer[T]) Close() iter.Seq[*Change[T]] {
	removed, _ := w.Replace().Commit("") // a removal calls no index function
	v := &w.store.views
	v.mu.Lock()
	defer v.mu.Unlock()
	v.versions[w.source].gone = true
	return removed
}

// lockRun is how many map operations the writer does under one hold of the lock that Get takes.
const lockRun = 64

// write installs the changes, commits, and prunes. The caller holds writing.
func (s *Store[T]) write(source int, version string, runs ...[]Change[T]) error {
	seq := s.committed.Load() + 1
	var failed []error
	var wanted []*bucket[T]
	grown := 0
	for c := range s.reserved(runs) {
		n := s.nodes[c.Key] // the writer alone writes the map
		if n == nil {
			continue // a removal of what was never there
		}
		var err error
		wanted, err = s.wanted(c, wanted[:0])
		if err != nil {
			failed = append(failed, err)
		}
		grown += s.install(n, c, source, seq, wanted)
	}
	s.commit(seq, grown, source, version)
	return errors.Join(failed...)
}

// reserved iterates over the changes once there is a node for each.
func (s *Store[T]) reserved(runs [][]Change[T]) iter.Seq[*Change[T]] {
	return func(yield func(*Change[T]) bool) {
		for _, changes := range runs {
			for run := range slices.Chunk(changes, lockRun) {
				s.reserve(run)
				for i := range run {
					yield(&run[i]) // write never stops
				}
			}
		}
	}
}

// reserve gives a node to each key that comes into being.
func (s *Store[T]) reserve(run []Change[T]) {
	for len(run) > 0 && (run[0].Delete || s.nodes[run[0].Key] != nil) { // the writer alone writes the map, and needs no lock to look
		run = run[1:]
	}
	if len(run) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range run {
		if key := run[i].Key; !run[i].Delete && s.nodes[key] == nil {
			s.nodes[key] = &node[T]{key: key}
		}
	}
}

func (s *Store[T]) wanted(c *Change[T], dst []*bucket[T]) ([]*bucket[T], error) {
	if c.Delete {
		return dst, nil
	}
	var failed []error
	for _, x := range *s.indexes.Load() {
		var err error
		if dst, err = x.wanted(c.Key, c.Value, dst); err != nil {
			failed = append(failed, err)
		}
	}
	return dst, errors.Join(failed...)
}

// install puts the change in front of the node's chain as part of commit seq and returns by how much it grows the store.
func (s *Store[T]) install(n *node[T], c *Change[T], source int, seq uint64, wanted []*bucket[T]) (grown int) {
	old := n.head.Load()
	if c.Existed = old != nil && !old.dead; c.Existed {
		c.Old, c.OldUID, c.OldVersion = old.value, old.uid, old.version
	} else if c.Delete {
		return 0
	}
	e := &entry[T]{born: seq, dead: c.Delete}
	if !c.Delete {
		e.value, e.uid, e.version = c.Value, c.UID, c.ResourceVersion
	}
	e.prev.Store(old)
	n.head.Store(e)
	n.source = source
	s.place(n, seq, c.Delete)
	s.move(n, wanted, seq)
	if old != nil {
		s.garbage.pruneLater(n)
	}
	switch {
	case c.Delete:
		return -1
	case c.Existed:
		return 0
	default:
		return 1
	}
}
