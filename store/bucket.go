package store

import "sync/atomic"

// slot says that a node belongs to a bucket in the commits [born, died).
type slot[T any] struct {
	node   *node[T]
	bucket *bucket[T]
	born   uint64
	died   atomic.Uint64
}

// bucket is the set of nodes under one value of one index (or all nodes). Readers walk it without a lock: slots are
// only ever appended, and a bucket with many dead ones is rewritten beside the old array, which readers may go on using.
type bucket[T any] struct {
	page atomic.Pointer[page[T]]
	live int // writer's, as are dead and kept
	dead int
	kept int // dead slots that the last rewrite left, because an open view shows them

	waiting bool   // in garbage.buckets; writer's, as is held
	held    bool   // in garbage.heldBuckets
	forget  forget // removes the bucket from its index; nil for the bucket of all nodes
}

// forget is what a bucket knows of the index it belongs to.
type forget interface{ forget() }

type page[T any] struct {
	slots []*slot[T]
	n     atomic.Int64 // slots[:n] are set
}

// add puts s at the end. The writer calls it before the commit, so no reader's sequence number reaches s yet.
func (b *bucket[T]) add(s *slot[T], seq uint64) {
	s.bucket, s.born = b, seq
	s.died.Store(forever)
	p := b.page.Load()
	if p == nil || int(p.n.Load()) == len(p.slots) {
		p = b.grow(p)
	}
	n := p.n.Load()
	p.slots[n] = s
	p.n.Store(n + 1)
	b.live++
}

func (b *bucket[T]) grow(old *page[T]) *page[T] {
	p := &page[T]{slots: make([]*slot[T], 1)}
	if old != nil {
		n := len(old.slots)
		p.slots = make([]*slot[T], n+max(1, min(n, 4096)))
		copy(p.slots, old.slots)
		p.n.Store(int64(n))
	}
	b.page.Store(p)
	return p
}

// end closes the slot's interval at commit seq.
func (s *slot[T]) end(seq uint64) {
	s.died.Store(seq)
	s.bucket.live--
	s.bucket.dead++
}

// tidy rewrites the bucket without the slots that no open commit shows, once enough of them died since the last time
// for the work to be worth it. It reports whether dead slots remain that a closing view would set free.
func (b *bucket[T]) tidy(open []uint64) (held bool) {
	if b.live > 0 && b.dead-b.kept <= (b.live+b.kept)/4+8 {
		return b.kept > 0
	}
	p := b.page.Load()
	slots := make([]*slot[T], 0, b.live+b.live/8)
	for _, s := range p.slots[:p.n.Load()] {
		if died := s.died.Load(); died == forever || anyIn(open, s.born, died) {
			slots = append(slots, s)
		}
	}
	b.kept = len(slots) - b.live
	b.dead = b.kept
	next := &page[T]{slots: slots[:cap(slots)]}
	next.n.Store(int64(len(slots)))
	b.page.Store(next)
	if len(slots) == 0 && b.forget != nil {
		b.forget.forget()
	}
	return b.kept > 0
}

// each calls yield for the members as of commit seq, in no particular order. The caller holds seq open.
func (b *bucket[T]) each(seq uint64, yield func(Key, T) bool) {
	b.walk(seq, func(n *node[T], e *entry[T]) bool { return yield(n.key, e.value) })
}

// stride is how many members are looked up before the first of them is shown: their cache misses overlap.
const stride = 16

// walk is each with all that is known of the members.
func (b *bucket[T]) walk(seq uint64, yield func(*node[T], *entry[T]) bool) {
	p := b.page.Load()
	if p == nil {
		return
	}
	var nodes [stride]*node[T]
	var entries [stride]*entry[T]
	for slots := p.slots[:p.n.Load()]; len(slots) > 0; {
		found := 0
		for _, s := range slots[:min(stride, len(slots))] {
			if s.born <= seq && s.died.Load() > seq {
				nodes[found], entries[found] = s.node, s.node.head.Load()
				found++
			}
		}
		slots = slots[min(stride, len(slots)):]
		for i := range found { // what seq shows stays behind what was the newest a moment ago
			entries[i] = entries[i].at(seq)
		}
		for i := range found {
			if e := entries[i]; e != nil && !e.dead && !yield(nodes[i], e) {
				return
			}
		}
	}
}
