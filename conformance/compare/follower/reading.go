package follower

import (
	"github.com/rawwatch/rawwatch/conformance/compare/child"
	"github.com/rawwatch/rawwatch/informer"
)

// reading is how an informer that is indexed by node is read.
func reading[T any](i *informer.Informer[T], node func(T) string, objects int) child.Reads {
	index := informer.AddIndex(i, func(object T, dst []string) []string { return append(dst, node(object)) })
	asked := child.NewAsked(objects, func(namespace, name string) informer.Key {
		return informer.Key{Namespace: namespace, Name: name}
	})
	lister := i.Lister()
	get := child.Read{Name: "get", Do: func(k int) {
		if _, there := i.Get(asked.Key(k)); !there {
			panic("missing")
		}
	}}
	listerGet := child.Read{Name: "lister_get", Do: func(k int) {
		key := asked.Key(k)
		if _, there := lister.Namespace(key.Namespace).Get(key.Name); !there {
			panic("missing")
		}
	}}
	return child.Reads{
		Idle: []child.Read{
			get, listerGet,
			{Name: "by_index", Do: func(k int) {
				for range index.Get(asked.Node(k)) {
				}
			}},
			{Name: "namespace", Do: func(k int) {
				for range lister.Namespace(asked.Namespace(k)).All() {
				}
			}},
			{Name: "list_all", Do: func(int) {
				for range lister.All() {
				}
			}},
			{Name: "snapshot", Do: func(int) { i.Snapshot().Close() }},
		},
		Busy: []child.Read{get, listerGet},
	}
}
