package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/conformance/compare/child"
)

// reading measures reads of an informer of pods that is indexed by node.
func reading(i cache.SharedIndexInformer, objects int) (func() map[string]float64, error) {
	err := i.AddIndexers(cache.Indexers{"node": func(object any) ([]string, error) {
		return []string{object.(*corev1.Pod).Spec.NodeName}, nil
	}})
	return func() map[string]float64 {
		type key struct{ namespace, name string }
		keys := make([]key, objects)
		for k := range keys {
			keys[k] = key{child.Namespace(k), child.Name(k)}
		}
		f := map[string]float64{}
		lister := listers.NewPodLister(i.GetIndexer())
		get := func(k int) {
			key := keys[k*7919%objects]
			if _, err := lister.Pods(key.namespace).Get(key.name); err != nil {
				panic(err)
			}
		}
		child.Time(f, "get", get)
		child.Time(f, "lister_get", get)
		child.Time(f, "by_index", func(k int) {
			found, err := i.GetIndexer().ByIndex("node", child.Node(k))
			if err != nil {
				panic(err)
			}
			for range found {
			}
		})
		child.Time(f, "namespace", func(k int) {
			found, err := lister.Pods(child.Namespace(k)).List(labels.Everything())
			if err != nil {
				panic(err)
			}
			for range found {
			}
		})
		list := func(int) {
			found, err := lister.List(labels.Everything())
			if err != nil {
				panic(err)
			}
			for range found {
			}
		}
		child.Time(f, "list_all", list)
		child.Time(f, "snapshot", list) // the only consistent view that there is
		return f
	}, err
}
