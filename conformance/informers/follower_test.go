package informers

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// follower is a handler that rebuilds the collection from the notifications
// alone, beside the informer's store: "namespace/name" to resourceVersion.
type follower struct {
	informer cache.SharedIndexInformer
	changed  chan struct{} // holds one token after any notification
	mu       sync.Mutex
	seen     map[string]string
	faults   []string // notifications that make no sense
	deletes  int
}

func newFollower(t *testing.T, informer cache.SharedIndexInformer) *follower {
	f := &follower{informer: informer, changed: make(chan struct{}, 1), seen: map[string]string{}}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: f.add, UpdateFunc: f.update, DeleteFunc: f.delete})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *follower) add(o any) {
	f.note(func() {
		key, version := identify(o)
		if old, ok := f.seen[key]; ok {
			f.faults = append(f.faults, fmt.Sprintf("%s added at %s, but it was there at %s", key, version, old))
		}
		f.seen[key] = version
	})
}

func (f *follower) update(before, after any) {
	f.note(func() {
		key, version := identify(after)
		if _, old := identify(before); f.seen[key] != old {
			f.faults = append(f.faults, fmt.Sprintf("%s updated from %s, but it was at %q", key, old, f.seen[key]))
		}
		f.seen[key] = version
	})
}

func (f *follower) delete(o any) {
	f.note(func() {
		if unknown, ok := o.(cache.DeletedFinalStateUnknown); ok {
			o = unknown.Obj
		}
		key, _ := identify(o)
		if _, ok := f.seen[key]; !ok {
			f.faults = append(f.faults, key+" deleted, but it was not there")
		}
		delete(f.seen, key)
		f.deletes++
	})
}

func (f *follower) note(change func()) {
	f.mu.Lock()
	change()
	f.mu.Unlock()
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

func identify(o any) (key, version string) {
	m := o.(metav1.Object)
	return m.GetNamespace() + "/" + m.GetName(), m.GetResourceVersion()
}

// waitFor returns once the notifications add up to want, and the store too:
// the store is changed before its handlers are told.
func (f *follower) waitFor(t *testing.T, want map[string]string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		f.mu.Lock()
		equal := maps.Equal(f.seen, want)
		seen := maps.Clone(f.seen)
		f.mu.Unlock()
		if equal && maps.Equal(f.stored(), want) {
			break
		}
		select {
		case <-f.changed:
		case <-ctx.Done():
			t.Fatalf("the notifications do not add up to the server's state (- server, + notified):\n%.4000s\nstore:\n%.4000s", cmp.Diff(want, seen), cmp.Diff(want, f.stored()))
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fault := range f.faults {
		t.Error(fault)
	}
}

// deleted counts the deletes that were notified.
func (f *follower) deleted() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.deletes
}

func (f *follower) stored() map[string]string {
	all := map[string]string{}
	for _, o := range f.informer.GetStore().List() {
		key, version := identify(o)
		all[key] = version
	}
	return all
}

// versionsOf is what a follower must arrive at.
func versionsOf(objects []fakeapi.Object) map[string]string {
	all := map[string]string{}
	for _, o := range objects {
		all[o.Namespace+"/"+o.Name] = fmt.Sprint(o.ResourceVersion)
	}
	return all
}

// compareObjects holds every object of the store to the server's JSON of it,
// decoded apart from any informer.
func compareObjects(t *testing.T, f flavor, store cache.Store, objects []fakeapi.Object) {
	t.Helper()
	for _, want := range objects {
		got, ok, err := store.GetByKey(want.Namespace + "/" + want.Name)
		if err != nil || !ok {
			t.Fatalf("%s/%s is not in the store: %v", want.Namespace, want.Name, err)
		}
		if d := cmp.Diff(f.decode(t, want.JSON), got); d != "" {
			t.Fatalf("%s/%s (- server, + store):\n%s", want.Namespace, want.Name, d)
		}
	}
}
