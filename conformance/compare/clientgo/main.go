// Clientgo is client-go's informer under measurement, at its best settings: no rate limit, identity encoding, protobuf
// where the row does not say JSON.
package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/conformance/compare/child"
)

var pods = corev1.SchemeGroupVersion.WithResource("pods")

const protobuf = "application/vnd.kubernetes.protobuf"

func main() { child.Main(subject) }

func subject(c child.Config, counter *child.Counter) (child.Subject, error) {
	config := &rest.Config{Host: c.URL, QPS: -1, DisableCompression: true}
	config.CAData = c.CA
	var all []cache.SharedIndexInformer
	for _, namespace := range c.Namespaces() {
		i, err := newInformer(c.Row, config, namespace)
		if err != nil {
			return child.Subject{}, err
		}
		if _, err := i.AddEventHandler(handler(counter)); err != nil {
			return child.Subject{}, err
		}
		all = append(all, i)
	}
	s := child.Subject{Keep: all, Start: func() error {
		for _, i := range all {
			go i.RunWithContext(context.Background())
		}
		return nil
	}}
	if c.Reads {
		var err error
		s.Reads, err = reading(all[0], c.Objects)
		return s, err
	}
	return s, nil
}

func handler(counter *child.Counter) cache.ResourceEventHandlerDetailedFuncs {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(any, bool) { counter.Added() },
		UpdateFunc: func(_, object any) {
			if pod, ok := object.(*corev1.Pod); ok {
				counter.Updated(pod.ResourceVersion)
				return
			}
			counter.Updated(object.(metav1.Object).GetResourceVersion())
		},
	}
}

func newInformer(row string, config *rest.Config, namespace string) (cache.SharedIndexInformer, error) {
	switch row {
	case "client-go typed protobuf", "client-go typed JSON":
		config = rest.CopyConfig(config)
		config.ContentType = "application/json"
		if row == "client-go typed protobuf" {
			config.AcceptContentTypes, config.ContentType = protobuf+",application/json", protobuf
		}
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace)).Core().V1().Pods().Informer(), nil
	case "client-go dynamic":
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil).ForResource(pods).Informer(), nil
	case "client-go metadata":
		client, err := metadata.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return metadatainformer.NewFilteredSharedInformerFactory(client, 0, namespace, nil).ForResource(pods).Informer(), nil
	}
	return nil, fmt.Errorf("unknown row %q", row)
}
