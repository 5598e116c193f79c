package informers

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// tweak narrows what an informer asks for.
type tweak = func(*metav1.ListOptions)

// flavor is one of client-go's ways to a shared informer.
type flavor struct {
	name     string
	resource string // as fakeapi names it
	gvr      schema.GroupVersionResource
	informer func(*testing.T, *rest.Config, *http.Client, schema.GroupVersionResource, tweak) cache.SharedIndexInformer
	// decode turns an object's JSON into what the informer's store must hold.
	decode func(*testing.T, []byte) any
}

var (
	podsGVR    = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	widgetsGVR = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
)

// flavors cover built-in and custom resources.
func flavors() []flavor {
	return []flavor{
		{"typed pods", "pods", podsGVR, typedInformer, decodePod},
		{"dynamic pods", "pods", podsGVR, dynamicInformer, decodeUnstructured},
		{"dynamic widgets", "widgets.example.com", widgetsGVR, dynamicInformer, decodeUnstructured},
		{"metadata pods", "pods", podsGVR, metadataInformer, decodeMetadata},
		{"metadata widgets", "widgets.example.com", widgetsGVR, metadataInformer, decodeMetadata},
	}
}

func typedInformer(t *testing.T, config *rest.Config, client *http.Client, _ schema.GroupVersionResource, tweak tweak) cache.SharedIndexInformer {
	set, err := kubernetes.NewForConfigAndClient(config, client)
	if err != nil {
		t.Fatal(err)
	}
	return informers.NewSharedInformerFactoryWithOptions(set, 0, informers.WithTweakListOptions(tweak)).Core().V1().Pods().Informer()
}

func dynamicInformer(t *testing.T, config *rest.Config, client *http.Client, gvr schema.GroupVersionResource, tweak tweak) cache.SharedIndexInformer {
	set, err := dynamic.NewForConfigAndClient(config, client)
	if err != nil {
		t.Fatal(err)
	}
	return dynamicinformer.NewFilteredDynamicSharedInformerFactory(set, 0, metav1.NamespaceAll, dynamicinformer.TweakListOptionsFunc(tweak)).ForResource(gvr).Informer()
}

func metadataInformer(t *testing.T, config *rest.Config, client *http.Client, gvr schema.GroupVersionResource, tweak tweak) cache.SharedIndexInformer {
	set, err := metadata.NewForConfigAndClient(config, client)
	if err != nil {
		t.Fatal(err)
	}
	informer := metadatainformer.NewFilteredSharedInformerFactory(set, 0, metav1.NamespaceAll, metadatainformer.TweakListOptionsFunc(tweak)).ForResource(gvr).Informer()
	if err := informer.SetTransform(clearTypeMeta); err != nil {
		t.Fatal(err)
	}
	return informer
}

// clearTypeMeta makes listed and watched metadata alike: JSON list items say
// their kind, and client-go keeps it, but takes it from watched objects. Its
// own check of watch-lists would call that a difference.
func clearTypeMeta(o any) (any, error) {
	if m, ok := o.(*metav1.PartialObjectMetadata); ok {
		m.TypeMeta = metav1.TypeMeta{}
	}
	return o, nil
}

func decodePod(t *testing.T, data []byte) any {
	pod := &corev1.Pod{}
	mustDecode(t, data, pod)
	pod.TypeMeta = metav1.TypeMeta{} // typed clients clear it
	return pod
}

func decodeUnstructured(t *testing.T, data []byte) any {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return object
}

func decodeMetadata(t *testing.T, data []byte) any {
	object := &metav1.PartialObjectMetadata{}
	mustDecode(t, data, object)
	object.TypeMeta = metav1.TypeMeta{}
	return object
}

func mustDecode(t *testing.T, data []byte, into any) {
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// start runs the informer until the test ends and leaves nothing behind.
func start(t *testing.T, f flavor, url string, tweak tweak) *follower {
	config := &rest.Config{Host: url, QPS: -1, BearerToken: "token"}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	informer := f.informer(t, config, client, f.gvr, tweak)
	view := newFollower(t, informer)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		informer.RunWithContext(ctx)
		close(done)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		client.CloseIdleConnections()
	})
	return view
}
