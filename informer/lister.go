package informer

import (
	"iter"

	"github.com/rawwatch/rawwatch/store"
)

// Lister reads an informer's store, or one namespace of it. Every iteration sees one state of the store, holds no lock,
// and is in no particular order. Objects are shared: they must not be modified.
type Lister[T any] struct {
	store      *store.Store[T]
	namespace  string
	namespaced bool
}

// Lister returns the view of everything.
func (i *Informer[T]) Lister() Lister[T] { return Lister[T]{store: i.store} }

// Namespace returns the view of one namespace.
func (l Lister[T]) Namespace(namespace string) Lister[T] {
	l.namespace, l.namespaced = namespace, true
	return l
}

// Get returns an object by name; on a view of everything the name has its usual form, "namespace/name" or "name".
func (l Lister[T]) Get(name string) (T, bool) {
	key := Key{Namespace: l.namespace, Name: name}
	if !l.namespaced {
		var err error
		if key, err = store.ParseKey(name); err != nil {
			return *new(T), false
		}
	}
	return l.store.Get(key)
}

// All iterates over the objects.
func (l Lister[T]) All() iter.Seq2[Key, T] { return func(yield func(Key, T) bool) { l.each(yield) } }

// each is apart from All, so that All is inlined where it is called and the loop's body stays on the stack.
func (l Lister[T]) each(yield func(Key, T) bool) {
	if l.namespaced {
		l.store.Namespace(l.namespace)(yield)
		return
	}
	l.store.All()(yield)
}

// List returns the objects for which match answers true, or all of them when it is nil.
func (l Lister[T]) List(match func(Key, T) bool) []T {
	var found []T
	for key, value := range l.All() {
		if match == nil || match(key, value) {
			found = append(found, value)
		}
	}
	return found
}

// Len returns the number of objects.
func (l Lister[T]) Len() int {
	if !l.namespaced {
		return l.store.Len()
	}
	n := 0
	for range l.All() {
		n++
	}
	return n
}

// Get returns an object as the store has it.
func (i *Informer[T]) Get(key Key) (T, bool) { return i.store.Get(key) }

// Store returns the informer's store, for snapshots, indexes by name and versions. Its contents are the informer's to write.
func (i *Informer[T]) Store() *store.Store[T] { return i.store }

// Snapshot returns a consistent view with its version; see store.Snapshot. Close it.
func (i *Informer[T]) Snapshot() *store.Snapshot[T] { return i.store.Snapshot() }
