package store

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
)

// Index finds objects by a value of type K that a function computes from each. An object may have any number of
// values. Safe for use by several goroutines.
type Index[T any, K comparable] struct {
	name   string
	store  *Store[T]
	values func(key Key, value T, dst []K) []K
	since  uint64 // the commit as of which it was built: older views do not have it

	mu      sync.RWMutex
	buckets map[K]*valueBucket[T, K]

	scratch []K // writer's
}

type valueBucket[T any, K comparable] struct {
	bucket[T]
	index *Index[T, K]
	value K
}

func (b *valueBucket[T, K]) forget() {
	b.index.mu.Lock()
	defer b.index.mu.Unlock()
	if b.index.buckets[b.value] == b {
		delete(b.index.buckets, b.value)
	}
}

// index is what the store needs of an Index, whatever its K.
type index[T any] interface {
	id() string
	// wanted appends the buckets that an object belongs to. A panic of the function is returned, not raised.
	wanted(key Key, value T, dst []*bucket[T]) ([]*bucket[T], error)
	lookup(value any) (iter.Seq2[Key, T], error)
}

// AddIndex adds an index to the store, at any time, and returns its handle. It waits for the writer and walks what is
// there once. values appends the object's values to dst and returns it; equal values count once. It is called by the
// writer only, one object at a time, and must depend on the object alone. An error without an index says that the name is
// taken; one beside the index joins an *IndexError for each object that values panicked on.
func AddIndex[T any, K comparable](s *Store[T], name string, values func(value T, dst []K) []K) (*Index[T, K], error) {
	return addIndex(s, name, func(_ Key, value T, dst []K) []K { return values(value, dst) })
}

func addIndex[T any, K comparable](s *Store[T], name string, values func(Key, T, []K) []K) (*Index[T, K], error) {
	s.writing.Lock()
	defer s.unlock()
	indexes := *s.indexes.Load()
	for _, other := range indexes {
		if other.id() == name {
			return nil, fmt.Errorf("store: there is an index %q already", name)
		}
	}
	idx := &Index[T, K]{name: name, store: s, values: values, buckets: make(map[K]*valueBucket[T, K])}
	idx.since = s.committed.Load()
	var failed []error
	var wanted []*bucket[T]
	for n := range s.live() {
		var err error
		if wanted, err = idx.wanted(n.key, n.head.Load().value, wanted[:0]); err != nil {
			failed = append(failed, err)
		}
		n.enter(wanted, idx.since)
	}
	indexes = append(slices.Clone(indexes), idx)
	s.indexes.Store(&indexes)
	return idx, errors.Join(failed...)
}

// Name returns the name that the index was added under.
func (x *Index[T, K]) Name() string { return x.name }

// Get iterates over the objects with the given value as of the newest commit, in no particular order, without a lock.
func (x *Index[T, K]) Get(value K) iter.Seq2[Key, T] {
	return func(yield func(Key, T) bool) { x.show(value, yield) }
}

// show is Get, called. What returns an iterator does no more than that, so that it is inlined and nothing escapes.
func (x *Index[T, K]) show(value K, yield func(Key, T) bool) {
	seq := x.store.views.open()
	defer x.store.release(seq)
	x.each(seq, value, yield)
}

// In iterates over the objects with the given value in a snapshot. A snapshot older than the index is searched instead.
func (x *Index[T, K]) In(s *Snapshot[T], value K) iter.Seq2[Key, T] {
	if s.seq < x.since {
		return s.Match(func(key Key, object T) bool {
			return slices.Contains(x.values(key, object, nil), value)
		})
	}
	return func(yield func(Key, T) bool) {
		s.check()
		x.each(s.seq, value, yield)
	}
}

// Values iterates over the values that some object has as of the newest commit, in no particular order.
func (x *Index[T, K]) Values() iter.Seq[K] {
	return func(yield func(K) bool) {
		x.mu.RLock()
		all := make([]K, 0, len(x.buckets))
		for value := range x.buckets {
			all = append(all, value)
		}
		x.mu.RUnlock()
		seq := x.store.views.open()
		defer x.store.release(seq)
		for _, value := range all {
			empty := true
			x.each(seq, value, func(Key, T) bool { empty = false; return false })
			if !empty && !yield(value) {
				return
			}
		}
	}
}

func (x *Index[T, K]) each(seq uint64, value K, yield func(Key, T) bool) {
	if b := x.find(value); b != nil {
		b.each(seq, yield)
	}
}

func (x *Index[T, K]) find(value K) *bucket[T] {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if b := x.buckets[value]; b != nil {
		return &b.bucket
	}
	return nil
}

func (x *Index[T, K]) id() string { return x.name }

func (x *Index[T, K]) wanted(key Key, value T, dst []*bucket[T]) (buckets []*bucket[T], err error) {
	start := len(dst)
	defer func() {
		if cause := recover(); cause != nil {
			buckets, err = dst[:start], &IndexError{Index: x.name, Key: key, Cause: cause}
		}
	}()
	x.scratch = x.values(key, value, x.scratch[:0])
	for _, v := range x.scratch {
		b := x.bucket(v)
		if !slices.Contains(dst[start:], b) {
			dst = append(dst, b)
		}
	}
	clear(x.scratch)
	return dst, nil
}

// bucket returns the bucket of a value, a new one where there was none.
func (x *Index[T, K]) bucket(value K) *bucket[T] {
	b := x.buckets[value] // only the writer writes the map, and this is the writer
	if b == nil {
		b = &valueBucket[T, K]{index: x, value: value}
		b.bucket.forget = b
		x.mu.Lock()
		x.buckets[value] = b
		x.mu.Unlock()
	}
	return &b.bucket
}

func (x *Index[T, K]) lookup(value any) (iter.Seq2[Key, T], error) {
	k, ok := value.(K)
	if !ok {
		return nil, fmt.Errorf("store: index %q is asked for a %T, its values are of type %T", x.name, value, *new(K))
	}
	return x.Get(k), nil
}

// IndexError says that an index function panicked. The object is in the store, but not in that index.
type IndexError struct {
	Index string
	Key   Key
	Cause any // what the function panicked with
}

// Error names the index and the object; it does not print the cause, which may hold parts of the object.
func (e *IndexError) Error() string {
	return fmt.Sprintf("store: index %q panicked on %s", e.Index, FormatKey(e.Key))
}

// Lookup iterates over the objects with a value in the index of that name: for callers that know neither at compile time.
func (s *Store[T]) Lookup(name string, value any) (iter.Seq2[Key, T], error) {
	for _, x := range *s.indexes.Load() {
		if x.id() == name {
			return x.lookup(value)
		}
	}
	return nil, fmt.Errorf("store: there is no index %q", name)
}

// namespaceIndex is the name of the index behind Namespace: no name that a caller can take by accident.
const namespaceIndex = "\x00namespace"

func (s *Store[T]) byNamespace() *Index[T, string] {
	if x := s.namespaces.Load(); x != nil {
		return x
	}
	s.namespacing.Lock()
	defer s.namespacing.Unlock()
	if x := s.namespaces.Load(); x != nil {
		return x
	}
	x, err := addIndex(s, namespaceIndex, func(key Key, _ T, dst []string) []string { return append(dst, key.Namespace) })
	if err != nil {
		panic(err) // the name is ours and the function cannot fail
	}
	s.namespaces.Store(x)
	return x
}
