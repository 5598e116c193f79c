package store

import "iter"

// Replace gathers a complete new state of one source: a list, a relist. Nothing is visible before Commit, and what was
// there and is not in the new state is removed by it. Dropping a Replace instead of committing it is how a list that
// broke off is forgotten. Used by one goroutine at a time.
type Replace[T any] struct {
	writer  *Writer[T]
	mark    uint64
	put     runs[T]
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
	r.put.append(&c)
}

// Remove takes an object out of the new state again.
func (r *Replace[T]) Remove(key Key) {
	if r.removed == nil {
		r.removed = make(map[Key]int)
	}
	r.removed[key] = r.put.n
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
func (r *Replace[T]) Commit(version string) (iter.Seq[*Change[T]], error) {
	s := r.writer.store
	s.writing.Lock()
	defer s.unlock()
	var changes runs[T]
	for n := range s.live() {
		if n.source == r.writer.source && n.mark != r.mark {
			changes.append(&Change[T]{Key: n.key, Delete: true})
		}
	}
	if r.removed == nil {
		changes.join(&r.put)
	} else {
		i := 0
		for c := range r.put.all {
			if i >= r.removed[c.Key] {
				changes.append(c)
			}
			i++
		}
	}
	err := s.write(r.writer.source, version, changes.runs...)
	return changes.all, err
}

// runLength is how many changes stand in one piece of memory.
const runLength = 256

// runs is a sequence of changes of which nobody knows the length beforehand: it grows without being copied, for what a
// hundred thousand objects leave behind while they are copied from one array into the next is more than their state.
type runs[T any] struct {
	runs [][]Change[T]
	n    int
}

//go:noinline // it is called from everywhere
func (r *runs[T]) append(c *Change[T]) {
	last := len(r.runs) - 1
	if last < 0 || len(r.runs[last]) == runLength {
		size := 0
		if last >= 0 { // a short list is no reason for a long run
			size = runLength
		}
		r.runs = append(r.runs, make([]Change[T], 0, size))
		last++
	}
	r.runs[last] = append(r.runs[last], *c)
	r.n++
}

// join appends the runs of other as they are.
func (r *runs[T]) join(other *runs[T]) {
	r.runs = append(r.runs, other.runs...)
	r.n += other.n
}

func (r *runs[T]) all(yield func(*Change[T]) bool) {
	for _, run := range r.runs {
		for i := range run {
			if !yield(&run[i]) {
				return
			}
		}
	}
}
