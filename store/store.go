package store

import (
	"iter"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Store is an indexed set of objects of type T. The zero value is not usable; New makes one.
// All methods may be called from any goroutine; what writes goes through a Writer.
type Store[T any] struct {
	committed atomic.Uint64 // the newest commit that readers see

	mu    sync.RWMutex // guards nodes; held for a map operation, or for a bounded run of them
	nodes map[Key]*node[T]
	all   bucket[T]

	views views // who reads what, and the versions that go with a commit

	// What follows belongs to whoever holds writing: one writer at a time.
	writing sync.Mutex
	indexes atomic.Pointer[[]index[T]] // a new slice for each index added
	marks   uint64                     // numbers the Replaces
	garbage garbage[T]

	namespaces  atomic.Pointer[Index[T, string]] // nil until somebody asks for a namespace
	namespacing sync.Mutex                       // one builds it, the others wait
}

// New returns an empty store.
func New[T any]() *Store[T] {
	s := &Store[T]{nodes: make(map[Key]*node[T])}
	s.indexes.Store(&[]index[T]{})
	return s
}

// Entry is an object with what the store keeps beside it.
type Entry[T any] struct {
	Key             Key
	UID             string
	ResourceVersion string
	Value           T
}

// Get returns the object under key as of the newest commit.
func (s *Store[T]) Get(key Key) (T, bool) {
	if _, e := s.present(key); e != nil {
		return e.value, true
	}
	var zero T
	return zero, false
}

// Entry returns the object under key with its UID and resourceVersion, as of the newest commit.
func (s *Store[T]) Entry(key Key) (Entry[T], bool) {
	n, e := s.present(key)
	if e == nil {
		return Entry[T]{}, false
	}
	return Entry[T]{Key: n.key, UID: e.uid, ResourceVersion: e.version, Value: e.value}, true
}

// Find is Entry for a key that is not in strings yet. It allocates nothing: the key of the result is the store's own.
func (s *Store[T]) Find(namespace, name []byte) (Entry[T], bool) {
	key := Key{ // not kept
		Namespace: unsafe.String(unsafe.SliceData(namespace), len(namespace)),
		Name:      unsafe.String(unsafe.SliceData(name), len(name)),
	}
	return s.Entry(key)
}

// present returns the entry that the newest commit shows, nil when there is no such object. It registers no view: an
// entry that the newest commit shows is never pruned, so only a commit in between can take it away, and then it looks again.
func (s *Store[T]) present(key Key) (*node[T], *entry[T]) {
	n := s.node(key)
	if n == nil {
		return nil, nil
	}
	for {
		seq := s.committed.Load()
		if e := n.at(seq); e != nil {
			if e.dead {
				return nil, nil
			}
			return n, e
		}
		if s.committed.Load() == seq {
			return nil, nil
		}
	}
}

func (s *Store[T]) node(key Key) *node[T] {
	s.mu.RLock()
	n := s.nodes[key]
	s.mu.RUnlock()
	return n
}

// Len returns the number of objects as of the newest commit.
func (s *Store[T]) Len() int { return s.views.len() }

// All iterates over the objects of one commit, in no particular order. Iterating holds no lock: the loop body may take
// as long as it likes and may call the store.
func (s *Store[T]) All() iter.Seq2[Key, T] {
	return func(yield func(Key, T) bool) {
		seq := s.views.open()
		defer s.release(seq)
		s.all.each(seq, yield)
	}
}

// Keys iterates over the keys of one commit, in no particular order.
func (s *Store[T]) Keys() iter.Seq[Key] { return keys(s.All()) }

// Match iterates over the objects of one commit for which match answers true.
func (s *Store[T]) Match(match func(Key, T) bool) iter.Seq2[Key, T] { return filter(s.All(), match) }

// Namespace iterates over the objects of one namespace as of one commit. The set is kept from the first iteration on,
// which waits for the writer and walks the store once; later ones cost what they yield.
func (s *Store[T]) Namespace(namespace string) iter.Seq2[Key, T] {
	return func(yield func(Key, T) bool) { s.byNamespace().show(namespace, yield) }
}

func keys[T any](all iter.Seq2[Key, T]) iter.Seq[Key] {
	return func(yield func(Key) bool) {
		for key := range all {
			if !yield(key) {
				return
			}
		}
	}
}

func filter[T any](all iter.Seq2[Key, T], match func(Key, T) bool) iter.Seq2[Key, T] {
	return func(yield func(Key, T) bool) {
		for key, value := range all {
			if match(key, value) && !yield(key, value) {
				return
			}
		}
	}
}
