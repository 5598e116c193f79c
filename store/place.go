package store

import (
	"iter"
	"slices"
)

// place keeps the node's slot in the bucket of all nodes.
func (s *Store[T]) place(n *node[T], seq uint64, gone bool) {
	switch {
	case gone:
		n.present.end(seq)
		n.present = nil
		s.garbage.tidyLater(&s.all)
	case n.present == nil:
		sl := &n.first
		if sl.node != nil {
			sl = new(slot[T])
		}
		sl.node = n
		s.all.add(sl, seq)
		n.present = sl
	}
}

// move ends the node's slots in buckets that it no longer belongs to and gives it new ones where it came to belong.
func (s *Store[T]) move(n *node[T], wanted []*bucket[T], seq uint64) {
	kept := n.slots[:0]
	for _, sl := range n.slots {
		if i := slices.Index(wanted, sl.bucket); i >= 0 {
			kept = append(kept, sl)
			wanted[i] = wanted[len(wanted)-1]
			wanted = wanted[:len(wanted)-1]
			continue
		}
		sl.end(seq)
		s.garbage.tidyLater(sl.bucket)
	}
	clear(n.slots[len(kept):])
	n.slots = kept
	n.enter(wanted, seq)
}

// enter gives the node a live slot in each of the buckets.
func (n *node[T]) enter(buckets []*bucket[T], seq uint64) {
	for _, b := range buckets {
		sl := &slot[T]{node: n}
		b.add(sl, seq)
		n.slots = append(n.slots, sl)
	}
}

// live iterates over the nodes of the objects that are there. The caller holds writing.
func (s *Store[T]) live() iter.Seq[*node[T]] {
	return func(yield func(*node[T]) bool) {
		p := s.all.page.Load()
		if p == nil {
			return
		}
		for _, sl := range p.slots[:p.n.Load()] {
			if sl.died.Load() == forever && !yield(sl.node) {
				return
			}
		}
	}
}
