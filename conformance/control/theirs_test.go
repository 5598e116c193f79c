package control

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// theirs is client-go's informer.
type theirs struct {
	cache.SharedIndexInformer
	registration cache.ResourceEventHandlerRegistration
}

func (o theirs) synced() bool        { return o.HasSynced() }
func (o theirs) handlerSynced() bool { return o.registration.HasSynced() }
func (o theirs) size() int           { return len(o.GetStore().ListKeys()) }

func (o theirs) version(key string) string {
	object, ok, err := o.GetStore().GetByKey(key)
	if err != nil || !ok {
		return ""
	}
	return object.(*corev1.Pod).ResourceVersion
}

func (o theirs) whyNotSynced(ctx context.Context) string {
	return fmt.Sprintf("%v, without a reason", cache.WaitForCacheSync(ctx.Done(), o.HasSynced))
}

func (o theirs) removeHandler() {
	if err := o.RemoveEventHandler(o.registration); err != nil {
		panic(err)
	}
}

// withoutCrash keeps client-go from ending the process after a panic.
func withoutCrash(t *testing.T) {
	utilruntime.ReallyCrash = false
	t.Cleanup(func() { utilruntime.ReallyCrash = true })
}

// stripped is what a transform leaves of the metadata that only names things.
func stripped(m metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Name}
}

func (b *bed) startTheirs(s setup) {
	b.Helper()
	config := &rest.Config{Host: b.server.URL(), QPS: -1, BearerToken: b.token}
	client := &http.Client{Transport: &http.Transport{DialContext: b.dial}}
	if b.tls != nil {
		config.Host, config.CAData = b.tls.url, b.tls.ca
		var err error
		if client, err = rest.HTTPClientFor(config); err != nil {
			b.Fatal(err)
		}
	}
	set, err := kubernetes.NewForConfigAndClient(config, client)
	if err != nil {
		b.Fatal(err)
	}
	b.follow(informers.NewSharedInformerFactory(set, s.resync).Core().V1().Pods().Informer(), s, client.CloseIdleConnections)
}

func (b *bed) follow(i cache.SharedIndexInformer, s setup, closeIdle func()) {
	b.Helper()
	if s.transform != nil {
		err := i.SetTransform(func(object any) (any, error) {
			p := object.(*corev1.Pod)
			strip, err := s.transform(p.Namespace + "/" + p.Name)
			if strip {
				p.ObjectMeta = stripped(p.ObjectMeta)
			}
			return p, err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	note := func(kind string, object any) {
		if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = unknown.Obj
		}
		p := object.(*corev1.Pod)
		b.note(kind, p.Namespace+"/"+p.Name, p.ResourceVersion, s)
	}
	registration, err := i.AddEventHandlerWithResyncPeriod(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { note("Added", o) },
		UpdateFunc: func(_, o any) { note("Updated", o) },
		DeleteFunc: func(o any) { note("Deleted", o) },
	}, 0)
	if err != nil {
		b.Fatal(err)
	}
	if s.resync > 0 {
		if _, err := i.AddEventHandlerWithResyncPeriod(cache.ResourceEventHandlerFuncs{}, s.resync); err != nil {
			b.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		i.RunWithContext(ctx)
		close(done)
	}()
	b.peer = theirs{SharedIndexInformer: i, registration: registration}
	b.stop = func() {
		cancel()
		<-done
		closeIdle()
	}
}
