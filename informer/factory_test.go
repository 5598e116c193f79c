package informer

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

func podsOf(k *kit, f *Factory, o Options) *Informer[*pod] {
	k.Helper()
	i, err := For(f, rest.Pods, watchdecoder.JSON[pod](), o)
	if err != nil {
		k.Fatal(err)
	}
	return i
}

func stripLabels(p *pod) (*pod, error)  { p.Metadata.Labels = nil; return p, nil }
func stripNothing(p *pod) (*pod, error) { return p, nil }

func TestFactorySharesByCollectionAndHandle(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		f := NewFactory(k.client, FactoryOptions{})
		defer f.Shutdown()
		first := podsOf(k, f, Options{})
		if podsOf(k, f, Options{}) != first {
			k.Error("the same collection in the same form is another informer")
		}
		selected := Options{}
		selected.Reflector.List.LabelSelector = "app=web"
		if podsOf(k, f, selected) == first {
			k.Error("another selector is the same informer")
		}
		if podsOf(k, f, Options{Namespaces: []string{"b", "a"}}) != podsOf(k, f, Options{Namespaces: []string{"a", "b"}}) {
			k.Error("the order of the namespaces matters")
		}
		raw, err := f.ForResource(rest.Pods.GroupVersionResource())
		if err != nil {
			k.Fatal(err)
		}
		again, err := For(f, rest.Pods, watchdecoder.RawObject(), Options{})
		if err != nil || again != raw {
			k.Errorf("ForResource is not For with raw objects: %v", err)
		}
	})
}

func TestFactoryRefusesAnotherTransform(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		f := NewFactory(k.client, FactoryOptions{})
		defer f.Shutdown()
		with := func(transform func(*pod) (*pod, error)) error {
			_, err := For(f, rest.Pods, Transform(watchdecoder.JSON[pod](), transform), Options{})
			return err
		}
		captured := func(node string) func(*pod) (*pod, error) {
			return func(p *pod) (*pod, error) { p.Spec.NodeName = node; return p, nil }
		}
		if err := errors.Join(with(stripLabels), with(stripLabels)); err != nil {
			k.Errorf("the same transform: %v", err)
		}
		if err := with(stripNothing); err == nil || !strings.Contains(err.Error(), "another transform") {
			k.Errorf("another transform: %v", err)
		}
		if _, err := For(f, rest.Pods, watchdecoder.JSON[pod](), Options{}); err == nil {
			k.Error("no transform beside one")
		}
		if _, err := For(f, rest.Pods, Transform(Transform(watchdecoder.JSON[pod](), stripNothing), stripLabels), Options{}); err == nil {
			k.Error("two transforms beside one")
		}
		other := NewFactory(k.client, FactoryOptions{})
		f = other
		defer other.Shutdown()
		one := captured("a")
		if err := errors.Join(with(one), with(one)); err != nil {
			k.Errorf("the same closure: %v", err)
		}
		if with(captured("b")) == nil {
			k.Error("a closure of the same code that captured something else")
		}
	})
}

func TestFactoryStartsWhatIsNewAtEachStart(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		f := NewFactory(k.client, FactoryOptions{})
		defer f.Shutdown()
		pods := podsOf(k, f, Options{})
		f.Start(k.Context())
		f.Start(k.Context())
		if err := f.WaitForCacheSync(k.Context()); err != nil || pods.Store().Len() != 1 {
			k.Errorf("WaitForCacheSync = %v", err)
		}
		nodes, err := f.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "nodes"})
		if err != nil {
			k.Fatal(err)
		}
		settle()
		if isClosed(nodes.Synced()) {
			k.Error("it has not been started")
		}
		f.Start(k.Context())
		if err := f.WaitForCacheSync(k.Context()); err != nil || !isClosed(nodes.Synced()) {
			k.Errorf("WaitForCacheSync = %v", err)
		}
		if diff := cmp.Diff([]string{"watchlist", "watchlist"}, k.requests()); diff != "" {
			k.Errorf("(-want +got):\n%s", diff)
		}
		if all := f.Status(); len(all) != 2 || all[0].Resource != "pods.v1" || !all[1].Synced {
			k.Errorf("Status = %+v", all)
		}
	})
}

func TestWaitForCacheSyncNamesEachThatIsNot(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/pods") {
				return false
			}
			fakeapi.WriteStatus(w, &fakeapi.StatusError{Code: 403, Reason: "Forbidden", Message: "not yours"})
			return true
		})
		f := NewFactory(k.client, FactoryOptions{})
		defer f.Shutdown()
		podsOf(k, f, Options{})
		for _, gvr := range []schema.GroupVersionResource{rest.Secrets.GroupVersionResource(), rest.Deployments.GroupVersionResource()} {
			if _, err := f.ForResource(gvr); err != nil {
				k.Fatal(err)
			}
		}
		f.Start(k.Context())
		ctx, cancel := context.WithTimeout(k.Context(), time.Minute)
		defer cancel()
		err := f.WaitForCacheSync(ctx)
		if !status.IsForbidden(err) || !errors.Is(err, context.DeadlineExceeded) {
			k.Fatalf("WaitForCacheSync = %v", err)
		}
		for _, name := range []string{"secrets", "deployments", "not yours"} {
			if !strings.Contains(err.Error(), name) {
				k.Errorf("the error does not name %s: %v", name, err)
			}
		}
		if strings.Contains(err.Error(), "pods") {
			k.Errorf("the error names what is synced: %v", err)
		}
	})
}

func TestFactoryOptionsReachTheInformers(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("red/a", "n1", "app=web")
		k.put("red/b", "n1", "app=db")
		k.put("blue/a", "n1", "app=web")
		f := NewFactory(k.client, FactoryOptions{
			Namespaces:    []string{"red"},
			DefaultResync: time.Minute,
			CustomResync:  map[rest.Resource]time.Duration{rest.Nodes: time.Hour},
			TweakListOptions: func(r rest.Resource, o *rest.ListOptions) {
				if r == rest.Pods {
					o.LabelSelector = "app=web"
				}
			},
			Workers: -1,
		})
		defer f.Shutdown()
		pods := podsOf(k, f, Options{})
		var told, nodes record
		pods.Subscribe(Handler[*pod]{OnEvent: told.pod})
		all, err := f.ForResource(rest.Nodes.GroupVersionResource())
		if err != nil {
			k.Fatal(err)
		}
		all.Subscribe(Handler[watchdecoder.Raw]{OnEvent: func(e Event[watchdecoder.Raw]) { nodes.add(e.Kind.String()) }})
		k.Create("nodes", `{"metadata":{"name":"n1"}}`)
		f.Start(k.Context())
		if err := f.WaitForCacheSync(k.Context()); err != nil {
			k.Fatal(err)
		}
		time.Sleep(90 * time.Second)
		told.want(k, "namespace, selector and default resync", "Added red/a >n1 initial", "Resync red/a n1>n1")
		nodes.want(k, "a resource without namespaces, and its own period", "Added")
		time.Sleep(time.Hour)
		nodes.want(k, "an hour later", "Resync")
	})
}

func TestReleaseStopsAnInformerThatNobodyHolds(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		f := NewFactory(k.client, FactoryOptions{})
		defer f.Shutdown()
		first, second := podsOf(k, f, Options{}), podsOf(k, f, Options{})
		f.Start(k.Context())
		synced(k, first)
		Release(f, first)
		settle()
		if isClosed(first.ended) {
			k.Error("somebody still holds it")
		}
		Release(f, second)
		if !isClosed(first.ended) {
			k.Error("nobody holds it")
		}
		Release(f, second) // it is not the factory's any more
		third := podsOf(k, f, Options{})
		if third == first {
			k.Error("an informer that has ended is shared")
		}
		Release(f, third) // never started
		if err := f.WaitForCacheSync(k.Context()); err != nil {
			k.Errorf("WaitForCacheSync of nothing = %v", err)
		}
	})
}

func TestShutdownEndsEverythingAndForGood(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		f := NewFactory(k.client, FactoryOptions{})
		pods := podsOf(k, f, Options{})
		nodes, err := f.ForResource(rest.Nodes.GroupVersionResource())
		if err != nil {
			k.Fatal(err)
		}
		f.Start(k.Context())
		podsOf(k, f, Options{Namespaces: []string{"later"}}) // never started
		synced(k, pods)
		asked := time.Now()
		f.Shutdown()
		if !isClosed(pods.ended) || !isClosed(nodes.ended) || time.Since(asked) != 0 {
			k.Errorf("Shutdown took %s", time.Since(asked))
		}
		if _, err := For(f, rest.Pods, watchdecoder.JSON[pod](), Options{}); !errors.Is(err, ErrStopped) {
			k.Errorf("For after Shutdown = %v", err)
		}
		f.Start(k.Context())
		f.Shutdown()
	})
}

func TestFactorysInformersShareWhatTheyLearned(t *testing.T) {
	bubble(t, fakeapi.Options{WatchList: fakeapi.WatchListRefused}, func(k *kit) {
		f := NewFactory(k.client, FactoryOptions{})
		defer f.Shutdown()
		typed := podsOf(k, f, Options{})
		f.Start(k.Context())
		synced(k, typed)
		settle()
		if _, err := f.ForResource(rest.Pods.GroupVersionResource()); err != nil {
			k.Fatal(err)
		}
		f.Start(k.Context())
		if err := f.WaitForCacheSync(k.Context()); err != nil {
			k.Fatal(err)
		}
		settle()
		if diff := cmp.Diff([]string{"watchlist", "list", "watch", "list", "watch"}, k.requests()); diff != "" {
			k.Errorf("the second one need not try (-want +got):\n%s", diff)
		}
	})
}
