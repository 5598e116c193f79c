// Podwatch is examples/podwatch written with client-go, for the size of it.
package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "podwatch:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	pods := informers.NewSharedInformerFactory(client, 0).Core().V1().Pods().Informer()
	byNode := func(object any) ([]string, error) { return []string{object.(*corev1.Pod).Spec.NodeName}, nil }
	if err := pods.AddIndexers(cache.Indexers{"node": byNode}); err != nil {
		return err
	}
	show := func(kind string, object any) {
		if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = unknown.Obj
		}
		pod := object.(*corev1.Pod)
		beside, err := pods.GetIndexer().ByIndex("node", pod.Spec.NodeName)
		if err != nil {
			panic(err) // the index is there
		}
		fmt.Printf("%-8s %-60s %-10s %-16s %s (%d pods)\n",
			kind, pod.Namespace+"/"+pod.Name, pod.Status.Phase, pod.Status.PodIP, pod.Spec.NodeName, len(beside))
	}
	_, err = pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { show("ADDED", object) },
		UpdateFunc: func(_, object any) { show("UPDATED", object) },
		DeleteFunc: func(object any) { show("DELETED", object) },
	})
	if err != nil {
		return err
	}
	pods.RunWithContext(ctx)
	return ctx.Err()
}
