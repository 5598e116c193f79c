package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/conformance/compare/child"
)

type key struct{ namespace, name string }

// reading is how an informer of pods that is indexed by node is read.
func reading(i cache.SharedIndexInformer, objects int) (child.Reads, error) {
	err := i.AddIndexers(cache.Indexers{"node": func(object any) ([]string, error) {
		return []string{object.(*corev1.Pod).Spec.NodeName}, nil
	}})
	asked := child.NewAsked(objects, func(namespace, name string) key { return key{namespace, name} })
	lister := listers.NewPodLister(i.GetIndexer())
	get := func(k int) {
		key := asked.Key(k)
		if _, err := lister.Pods(key.namespace).Get(key.name); err != nil {
			panic(err)
		}
	}
	list := func(int) { count(lister.List(labels.Everything())) }
	return child.Reads{
		Idle: []child.Read{
			{Name: "get", Do: get}, // the shortest way that its users take
			{Name: "lister_get", Do: get},
			{Name: "by_index", Do: func(k int) { count(i.GetIndexer().ByIndex("node", asked.Node(k))) }},
			{Name: "namespace", Do: func(k int) { count(lister.Pods(asked.Namespace(k)).List(labels.Everything())) }},
			{Name: "list_all", Do: list},
			{Name: "snapshot", Do: list}, // the only consistent view that there is
		},
		Busy: []child.Read{{Name: "get", Do: get}, {Name: "lister_get", Do: get}},
	}, err
}

// count goes through what was found, as a reader does.
func count[T any](found []T, err error) {
	if err != nil {
		panic(err)
	}
	for range found {
	}
}
