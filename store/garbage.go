package store

// garbage lists what the writer has to clean up: the nodes that changed and the buckets that lost a member. What an open view
// still shows is held, and looked at again only when a view has closed, so that a long-lived snapshot costs nothing
// per commit. All of it belongs to the writer.
type garbage[T any] struct {
	nodes, heldNodes     []*node[T]
	buckets, heldBuckets []*bucket[T]
	open                 []uint64 // scratch
}

func (g *garbage[T]) pruneLater(n *node[T]) {
	if !n.waiting {
		n.waiting = true
		g.nodes = append(g.nodes, n)
	}
}

func (g *garbage[T]) tidyLater(b *bucket[T]) {
	if !b.waiting {
		b.waiting = true
		g.buckets = append(g.buckets, b)
	}
}

// commit makes everything installed as seq visible at once, then prunes. The caller holds writing.
func (s *Store[T]) commit(seq uint64, grown, source int, version string) {
	s.views.commit(seq, grown, source, version, s.committed.Store)
	s.prune()
}

// unlock ends a writer's turn. A view that closed meanwhile could not prune what it had kept; it is done here.
func (s *Store[T]) unlock() {
	for {
		s.writing.Unlock()
		if !s.views.anyClosed() || !s.writing.TryLock() {
			return
		}
		s.prune()
	}
}

// prune drops what no open view shows. The caller holds writing, and nothing is installed but not committed.
func (s *Store[T]) prune() {
	g := &s.garbage
	var closed bool
	g.open, closed = s.views.sequences(g.open[:0])
	if closed {
		g.reconsider()
	}
	for _, n := range g.nodes {
		n.waiting = false
		switch {
		case n.prune(g.open):
			if !n.held {
				n.held = true
				g.heldNodes = append(g.heldNodes, n)
			}
		case n.head.Load().dead:
			s.mu.Lock()
			delete(s.nodes, n.key)
			s.mu.Unlock()
		}
	}
	for _, b := range g.buckets {
		b.waiting = false
		if b.tidy(g.open) && !b.held {
			b.held = true
			g.heldBuckets = append(g.heldBuckets, b)
		}
	}
	g.nodes, g.buckets = emptied(g.nodes), emptied(g.buckets)
}

// reconsider lists everything that was held for some view.
func (g *garbage[T]) reconsider() {
	for _, n := range g.heldNodes {
		n.held = false
		g.pruneLater(n)
	}
	for _, b := range g.heldBuckets {
		b.held, b.kept = false, 0
		g.tidyLater(b)
	}
	g.heldNodes, g.heldBuckets = emptied(g.heldNodes), emptied(g.heldBuckets)
}

// emptied returns s without its elements, ready to be filled again; a large one is let go.
func emptied[E any](s []E) []E {
	if cap(s) > 4096 {
		return nil
	}
	clear(s)
	return s[:0]
}
