package server

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/rawwatch/rawwatch/conformance/cluster"
	"github.com/rawwatch/rawwatch/rest"
)

func clientGoDiscovery(t *testing.T, c *cluster.Cluster) *discovery.DiscoveryClient {
	config := &clientrest.Config{Host: c.URL(), BearerToken: cluster.AdminToken, QPS: -1, TLSClientConfig: clientrest.TLSClientConfig{CAData: c.CA()}}
	client, err := clientrest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	d, err := discovery.NewDiscoveryClientForConfigAndClient(config, client)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// row is what both sides say of one resource.
type row struct {
	Resource   rest.Resource
	Kind       string
	Singular   string
	ShortNames []string
	Verbs      []string
	Categories []string
}

func rowOf(r rest.APIResource) row {
	return row{r.Resource, r.Kind, r.Singular, sorted(r.ShortNames), sorted(r.Verbs), sorted(r.Categories)}
}

func sorted(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	names = slices.Clone(names)
	slices.Sort(names)
	return names
}

// Discovery finds what client-go finds, from the same server.
func TestDiscoverFindsWhatClientGoFinds(t *testing.T) {
	c := sharedCluster(t)
	_, lists, err := clientGoDiscovery(t, c).ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]row{}
	for _, list := range lists {
		for _, r := range list.APIResources {
			if !strings.Contains(r.Name, "/") {
				w := clientGoRow(t, list.GroupVersion, r)
				want[w.Resource.String()] = w
			}
		}
	}
	found, err := rest.Discover(cluster.Deadline(t, 30*time.Second), newClient(t, configFor(c, cluster.AdminToken)))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]row{}
	for r := range found.All() {
		got[r.Resource.String()] = rowOf(r)
	}
	if d := cmp.Diff(want, got); d != "" || len(got) < 50 {
		t.Errorf("%d resources (- client-go, + Discover)\n%s", len(got), d)
	}
	if failed := found.Failed(); len(failed) > 0 {
		t.Errorf("failed groups: %v", failed)
	}
}

func clientGoRow(t *testing.T, groupVersion string, r metav1.APIResource) row {
	gv, err := schema.ParseGroupVersion(groupVersion)
	if err != nil {
		t.Fatal(err)
	}
	return row{rest.Resource{Group: gv.Group, Version: gv.Version, Resource: r.Name, Namespaced: r.Namespaced}, r.Kind, r.SingularName,
		sorted(r.ShortNames), sorted(r.Verbs), sorted(r.Categories)}
}

// The table of built-in resources is what the server of this version serves,
// no more and no less. Resources that cannot be listed are left out of it.
func TestBuiltinIsWhatTheServerServes(t *testing.T) {
	c := sharedCluster(t)
	_, lists, err := clientGoDiscovery(t, c).ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]row{}
	for _, list := range lists {
		for _, r := range list.APIResources {
			w := clientGoRow(t, list.GroupVersion, r)
			if slices.Contains(w.Verbs, "list") && !strings.Contains(r.Name, "/") && !strings.Contains(w.Resource.Version, "alpha") && !strings.Contains(w.Resource.Version, "beta") &&
				w.Resource.Group != "example.com" {
				want[w.Resource.String()] = w
			}
		}
	}
	got := map[string]row{}
	for _, r := range rest.Builtin() {
		got[r.Resource.String()] = rowOf(r)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(- kube-apiserver, + Builtin)\n%s", d)
	}
}

// Every name that kubectl resolves means the same here.
func TestFindResolvesNamesAsKubectlDoes(t *testing.T) {
	c := sharedCluster(t)
	d := clientGoDiscovery(t, c)
	groups, err := restmapper.GetAPIGroupResources(d)
	if err != nil {
		t.Fatal(err)
	}
	mapper := restmapper.NewShortcutExpander(restmapper.NewDiscoveryRESTMapper(groups), memory.NewMemCacheClient(d), nil)
	found, err := rest.Discover(cluster.Deadline(t, 30*time.Second), newClient(t, configFor(c, cluster.AdminToken)))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{"nothing": true, "pods.nothing": true, "deployments.v9.apps": true, "events.v1.": true}
	for r := range found.All() {
		for _, name := range append([]string{r.Resource.Resource, r.Singular, strings.ToLower(r.Kind)}, r.ShortNames...) {
			names[name] = true
		}
		if r.Group != "" {
			names[r.Resource.Resource+"."+r.Group] = true
			names[r.Resource.Resource+"."+r.Version+"."+r.Group] = true
			names[r.Singular+"."+r.Group] = true
		}
	}
	for name := range names {
		want, wantErr := kubectlResource(mapper, name)
		got, gotErr := found.Find(name)
		if name == "ev" && want.Group == "events.k8s.io" && got.Resource == rest.Events {
			continue // accepted: a short name means what the full one does, to kubectl the other group's events
		}
		if (wantErr != nil) != (gotErr != nil) {
			t.Errorf("%q: kubectl: %v %v, Find: %v %v", name, want, wantErr, got.Resource, gotErr)
		} else if wantErr == nil && got.GroupVersionResource() != want {
			t.Errorf("%q: kubectl: %v, Find: %v", name, want, got.Resource)
		}
	}
	t.Logf("%d names", len(names))
}

// kubectlResource is how kubectl's resource builder reads a type argument.
func kubectlResource(mapper interface {
	ResourceFor(schema.GroupVersionResource) (schema.GroupVersionResource, error)
}, name string) (schema.GroupVersionResource, error) {
	full, group := schema.ParseResourceArg(name)
	if full != nil {
		if gvr, err := mapper.ResourceFor(*full); err == nil {
			return gvr, nil
		}
	}
	return mapper.ResourceFor(group.WithVersion(""))
}
