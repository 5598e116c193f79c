package store

import (
	"iter"
	"sync/atomic"
)

// Snapshot is the store as of one commit, indexes included. It stays as it is while the store moves on, and keeps
// alive only the states that have been superseded since, until Close. Safe for use by several goroutines.
type Snapshot[T any] struct {
	store    *Store[T]
	seq      uint64
	count    int
	versions []sourceVersion
	closed   atomic.Bool
}

// Snapshot returns a view of the newest commit. Close it, or the store keeps every state that it shows.
func (s *Store[T]) Snapshot() *Snapshot[T] {
	v := &s.views
	v.mu.Lock()
	defer v.mu.Unlock()
	return &Snapshot[T]{store: s, seq: v.openLocked(), count: v.count, versions: append([]sourceVersion(nil), v.versions...)}
}

// OpenSnapshots returns how many snapshots have not been closed, and iterations of the store that are under way: what never comes down to zero is a leak.
func (s *Store[T]) OpenSnapshots() int { return s.views.held() }

// Close lets go of the view. Reading a closed snapshot panics: it could no longer promise one commit.
func (s *Snapshot[T]) Close() {
	if s.closed.CompareAndSwap(false, true) {
		s.store.release(s.seq)
	}
}

// Len returns the number of objects.
func (s *Snapshot[T]) Len() int { return s.count }

// Version returns the resourceVersion of the collection that the snapshot shows: the newest of which every change is
// in it. Where several sources feed the store it is empty; ask SourceVersion.
func (s *Snapshot[T]) Version() string { return onlyVersion(s.versions) }

// SourceVersion returns the resourceVersion that the named Writer had reached, empty when unknown.
func (s *Snapshot[T]) SourceVersion(name string) string { return versionOf(s.versions, name) }

// Get returns the object under key.
func (s *Snapshot[T]) Get(key Key) (T, bool) {
	s.check()
	if n := s.store.node(key); n != nil {
		if e := n.at(s.seq); e != nil && !e.dead {
			return e.value, true
		}
	}
	var zero T
	return zero, false
}

// All iterates over the objects, in no particular order.
func (s *Snapshot[T]) All() iter.Seq2[Key, T] {
	return func(yield func(Key, T) bool) {
		s.check()
		s.store.all.each(s.seq, yield)
	}
}

// Entries iterates over the objects with their UIDs and resourceVersions, in no particular order.
func (s *Snapshot[T]) Entries() iter.Seq[Entry[T]] {
	return func(yield func(Entry[T]) bool) {
		s.check()
		s.store.all.walk(s.seq, entryOf(yield))
	}
}

// NamespaceEntries is Entries for one namespace.
func (s *Snapshot[T]) NamespaceEntries(namespace string) iter.Seq[Entry[T]] {
	return func(yield func(Entry[T]) bool) {
		s.check()
		x := s.store.byNamespace()
		if s.seq < x.since {
			s.store.all.walk(s.seq, func(n *node[T], e *entry[T]) bool {
				return n.key.Namespace != namespace || entryOf(yield)(n, e)
			})
			return
		}
		if b := x.find(namespace); b != nil {
			b.walk(s.seq, entryOf(yield))
		}
	}
}

func entryOf[T any](yield func(Entry[T]) bool) func(*node[T], *entry[T]) bool {
	return func(n *node[T], e *entry[T]) bool {
		return yield(Entry[T]{Key: n.key, UID: e.uid, ResourceVersion: e.version, Value: e.value})
	}
}

// Keys iterates over the keys, in no particular order.
func (s *Snapshot[T]) Keys() iter.Seq[Key] { return keys(s.All()) }

// Match iterates over the objects for which match answers true.
func (s *Snapshot[T]) Match(match func(Key, T) bool) iter.Seq2[Key, T] { return filter(s.All(), match) }

// Namespace iterates over the objects of one namespace.
func (s *Snapshot[T]) Namespace(namespace string) iter.Seq2[Key, T] {
	return s.store.byNamespace().In(s, namespace)
}

func (s *Snapshot[T]) check() {
	if s.closed.Load() {
		panic("store: use of a closed Snapshot")
	}
}

// release ends a view. Where it was the last of its commit, what it kept alive is pruned here if no writer is at work;
// otherwise that writer does it after its commit.
func (s *Store[T]) release(seq uint64) {
	if s.views.release(seq) && s.writing.TryLock() {
		s.prune()
		s.unlock()
	}
}
