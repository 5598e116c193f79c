package chaos

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/conformance/cluster"
	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// ourInformers are this module's: typed, raw and of metadata alone.
func ourInformers(t *testing.T, ctx context.Context, url string, ca []byte) (all []*follower, stop func()) {
	client, err := rest.NewClient(rest.Config{Server: url, CAData: ca, Token: func(context.Context) (string, error) { return cluster.AdminToken, nil }})
	must(t, err)
	typed := informer.New(client, rest.ConfigMaps, watchdecoder.JSON[corev1.ConfigMap](), informer.Options{})
	raw := informer.New(client, rest.ConfigMaps, watchdecoder.RawObject(), informer.Options{})
	metadata := informer.New(client, rest.ConfigMaps, watchdecoder.MetadataObject(), informer.Options{})
	ctx, cancel := context.WithCancel(ctx)
	ends := []func(){
		run(ctx, typed, add(&all, "rawwatch, typed", false), func(c *corev1.ConfigMap) string { return c.Data["text"] }),
		run(ctx, raw, add(&all, "rawwatch, raw", false), func(r watchdecoder.Raw) string { return stateOf(r).text }),
		run(ctx, metadata, add(&all, "rawwatch, metadata", true), func(*watchdecoder.Metadata) string { return "" }),
	}
	return all, func() {
		cancel()
		for _, end := range ends {
			end()
		}
		client.Close()
	}
}

func add(all *[]*follower, name string, noText bool) *follower {
	f := (&follower{name: name, ours: true, noText: noText}).init()
	*all = append(*all, f)
	return f
}

// run runs one of them; wait returns when it has ended.
func run[T any](ctx context.Context, i *informer.Informer[T], f *follower, text func(T) string) (wait func()) {
	i.Subscribe(informer.Handler[T]{OnEvent: func(e informer.Event[T]) {
		s := state{key: e.Key.String(), uid: e.UID, version: e.ResourceVersion}
		if e.Kind != informer.Deleted {
			s.text = text(e.New)
		}
		f.told(e.Kind.String(), nil, s)
	}})
	f.synced = func() bool {
		select {
		case <-i.Synced():
			return true
		default:
			return false
		}
	}
	f.store = func() map[string]state {
		all := map[string]state{}
		for key, value := range i.Lister().All() {
			entry, _ := i.Store().Entry(key)
			all[key.String()] = state{key.String(), entry.UID, entry.ResourceVersion, text(value)}
		}
		return all
	}
	f.details = func() string {
		r := i.Status().Sources[0].Reflector
		return fmt.Sprintf("%d watch-lists, %d lists, %d watches, %d resumes, %d probes, epoch %d, relists %v", r.WatchLists, r.Lists, r.Watches, r.Resumes, r.Probes, r.Epoch, r.Relists)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = i.Run(ctx)
	}()
	return func() { <-done }
}

// theirInformers are client-go's: typed and dynamic, over HTTP/2 as is its default.
func theirInformers(t *testing.T, ctx context.Context, url string, ca []byte) (all []*follower, stop func()) {
	config := &clientrest.Config{Host: url, QPS: -1, BearerToken: cluster.AdminToken}
	config.CAData = ca
	client, err := clientrest.HTTPClientFor(config)
	must(t, err)
	set, err := kubernetes.NewForConfigAndClient(config, client)
	must(t, err)
	dynamicClient, err := dynamic.NewForConfigAndClient(config, client)
	must(t, err)
	typed := informers.NewSharedInformerFactory(set, 0).Core().V1().ConfigMaps().Informer()
	untyped := dynamicinformer.NewDynamicSharedInformerFactory(dynamicClient, 0).ForResource(corev1.SchemeGroupVersion.WithResource("configmaps")).Informer()
	ctx, cancel := context.WithCancel(ctx)
	var ends []func()
	for name, i := range map[string]cache.SharedIndexInformer{"client-go, typed": typed, "client-go, dynamic": untyped} {
		f := (&follower{name: name}).init()
		all = append(all, f)
		ends = append(ends, runTheirs(t, ctx, i, f))
	}
	return all, func() {
		cancel()
		for _, end := range ends {
			end()
		}
		client.CloseIdleConnections()
	}
}

func runTheirs(t *testing.T, ctx context.Context, i cache.SharedIndexInformer, f *follower) (wait func()) {
	f.synced, f.details = i.HasSynced, func() string { return "no counters" }
	f.store = func() map[string]state {
		all := map[string]state{}
		for _, object := range i.GetStore().List() {
			s := theirState(object)
			all[s.key] = s
		}
		return all
	}
	_, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { f.told("Added", nil, theirState(o)) },
		UpdateFunc: func(old, o any) {
			before := theirState(old)
			f.told("Updated", &before, theirState(o))
		},
		DeleteFunc: func(o any) { f.told("Deleted", nil, theirState(o)) },
	})
	must(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		i.RunWithContext(ctx)
	}()
	return func() { <-done }
}

func theirState(object any) state {
	switch o := object.(type) {
	case *corev1.ConfigMap:
		return state{o.Namespace + "/" + o.Name, string(o.UID), o.ResourceVersion, o.Data["text"]}
	case *unstructured.Unstructured:
		text, _, _ := unstructured.NestedString(o.Object, "data", "text")
		return state{o.GetNamespace() + "/" + o.GetName(), string(o.GetUID()), o.GetResourceVersion(), text}
	case cache.DeletedFinalStateUnknown:
		return theirState(o.Obj)
	}
	panic(fmt.Sprintf("%T", object))
}
