package store

// Replace gathers a complete new state of one source: a list, a relist. Nothing is visible before Commit, and what was
// there and is not in the new state is removed by it. Dropping a Replace instead of committing it is how a list that
// broke off is forgotten. Used by one goroutine at a time.
type Replace[T any] struct {
	writer  *Writer[T]
	mark    uint64
	changes []Change[T]
	removed map[Key]int // what Remove took out: of the key's changes those before this position do not count
}

// Replace begins a replacement of everything that w has put into the store.
func (w *Writer[T]) Replace() *Replace[T] {
	s := w.store
	s.writing.Lock()
	defer s.unlock()
	s.marks++
	return &Replace[T]{writer: w, mark: s.marks}
}

// Keep reports whether the store holds the object with this very UID and resourceVersion. If so it is part of the new
// state as it stands, with nothing decoded, written or delivered.
func (r *Replace[T]) Keep(key Key, uid, version string) bool {
	n := r.touch(key)
	if n == nil {
		return false
	}
	e := n.head.Load()
	return e.uid == uid && e.version == version
}

// Retain makes whatever the store holds under key part of the new state, and reports whether there is anything: for an
// object that is there, but of which the new state could not be read.
func (r *Replace[T]) Retain(key Key) bool { return r.touch(key) != nil }

// Missing returns the keys that the store holds and the new state, so far, does not: what Commit would remove.
func (r *Replace[T]) Missing() []Key {
	s := r.writer.store
	s.writing.Lock()
	defer s.unlock()
	var keys []Key
	for n := range s.live() {
		if n.source == r.writer.source && n.mark != r.mark {
			keys = append(keys, n.key)
		}
	}
	return keys
}

// Put makes c part of the new state.
func (r *Replace[T]) Put(c Change[T]) {
	r.touch(c.Key)
	r.changes = append(r.changes, c)
}

// Remove takes an object out of the new state again.
func (r *Replace[T]) Remove(key Key) {
	if r.removed == nil {
		r.removed = make(map[Key]int)
	}
	r.removed[key] = len(r.changes)
	s := r.writer.store
	s.writing.Lock()
	defer s.unlock()
	if n := s.nodes[key]; n != nil && n.mark == r.mark {
		n.mark = 0
	}
}

// touch marks the object as seen, so that Commit does not remove it, and returns its node, nil when there is none.
func (r *Replace[T]) touch(key Key) *node[T] {
	s := r.writer.store
	s.writing.Lock()
	defer s.unlock()
	n := s.nodes[key] // the writer alone writes the map, and nobody writes it now
	if n == nil || n.present == nil {
		return nil
	}
	n.mark = r.mark
	return n
}

// Commit makes the new state and its version visible, in one commit, and returns what changed: the removals first,
// then what was Put, in its order, with the Old fields filled in. The error is that of Apply. r is spent.
func (r *Replace[T]) Commit(version string) ([]Change[T], error) {
	s := r.writer.store
	s.writing.Lock()
	defer s.unlock()
	var changes []Change[T]
	for n := range s.live() {
		if n.source == r.writer.source && n.mark != r.mark {
			changes = append(changes, Change[T]{Key: n.key, Delete: true})
		}
	}
	for i, c := range r.changes {
		if i >= r.removed[c.Key] {
			changes = append(changes, c)
		}
	}
	err := s.write(r.writer.source, changes, version)
	return changes, err
}
