package informer

import (
	"fmt"

	"github.com/rawwatch/rawwatch/store"
)

// AddIndex adds an index to an informer, before or while it runs; values appends an object's values to dst. An object
// that values panics on is in the store and not in the index, and is reported as a Problem. The index has no name;
// AddNamedIndex gives it one.
func AddIndex[T any, K comparable](i *Informer[T], values func(object T, dst []K) []K) *store.Index[T, K] {
	x, err := store.AddIndex(i.store, fmt.Sprintf("\x00%d", i.indexes.Add(1)), values)
	i.indexProblems(err)
	return x
}

// AddNamedIndex is AddIndex with a name under which Store().Lookup finds it. The error says that the name is taken.
func AddNamedIndex[T any, K comparable](i *Informer[T], name string, values func(object T, dst []K) []K) (*store.Index[T, K], error) {
	x, err := store.AddIndex(i.store, name, values)
	if x == nil {
		return nil, err
	}
	i.indexProblems(err)
	return x, nil
}
