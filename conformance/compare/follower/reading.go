package follower

import (
	"github.com/rawwatch/rawwatch/conformance/compare/child"
	"github.com/rawwatch/rawwatch/informer"
)

// reading measures reads of an informer that is indexed by node.
func reading[T any](i *informer.Informer[T], node func(T) string, objects int) func() map[string]float64 {
	index := informer.AddIndex(i, func(object T, dst []string) []string { return append(dst, node(object)) })
	return func() map[string]float64 {
		keys := make([]informer.Key, objects)
		for k := range keys {
			keys[k] = informer.Key{Namespace: child.Namespace(k), Name: child.Name(k)}
		}
		f := map[string]float64{}
		child.Time(f, "get", func(k int) {
			if _, there := i.Get(keys[k*7919%objects]); !there {
				panic("missing")
			}
		})
		lister := i.Lister()
		child.Time(f, "lister_get", func(k int) {
			key := keys[k*7919%objects]
			if _, there := lister.Namespace(key.Namespace).Get(key.Name); !there {
				panic("missing")
			}
		})
		child.Time(f, "by_index", func(k int) {
			for range index.Get(child.Node(k)) {
			}
		})
		child.Time(f, "namespace", func(k int) {
			for range lister.Namespace(child.Namespace(k)).All() {
			}
		})
		child.Time(f, "list_all", func(int) {
			for range lister.All() {
			}
		})
		child.Time(f, "snapshot", func(int) { i.Snapshot().Close() })
		return f
	}
}
