package rest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// crowded is the built-in API beside custom resources that get in its way.
func crowded() *Discovery {
	custom := func(group, version, plural, kind string, short ...string) APIResource {
		return APIResource{
			Resource: Resource{Group: group, Version: version, Resource: plural, Namespaced: true},
			Kind:     kind, Singular: strings.ToLower(kind), ShortNames: short, Verbs: []string{"list", "watch"},
		}
	}
	return NewDiscovery(append(Builtin(),
		custom("serving.knative.dev", "v1", "services", "Service", "kservice", "ksvc"),
		custom("cluster.x-k8s.io", "v1beta1", "machines", "Machine", "ma", "po"),
		custom("a.example.com", "v1", "widgets", "Widget", "wd"),
		custom("b.example.com", "v2", "widgets", "Widget", "wd"),
		custom("b.example.com", "v1", "widgets", "Widget", "wd"),
		custom("b.example.com", "v1", "gadgets", "Widgetry"),
		// A custom kind that has another resource's short name as its plural.
		custom("odd.example.com", "v1", "svc", "Odd"),
		custom("v1.example.com", "v1", "pods", "Pod"),
	))
}

func TestFindResolvesAsKubectl(t *testing.T) {
	d := crowded()
	for _, row := range []struct{ name, want string }{
		{"pods", "pods.v1"},
		{"pod", "pods.v1"},
		{"po", "pods.v1"},
		{"Pod", "pods.v1"},
		{"PODS", "pods.v1"},
		{"Pods", "pods.v1"},
		{"deploy", "deployments.v1.apps"},
		{"Deployment", "deployments.v1.apps"},
		{"deployments.apps", "deployments.v1.apps"},
		{"deploy.apps", "deployments.v1.apps"},
		{"deployments.v1.apps", "deployments.v1.apps"},
		{"Deployment.v1.apps", "deployments.v1.apps"},
		{"pods.v1", "pods.v1"},
		{"pods.v1.", "pods.v1"},
		{"events", "events.v1"},
		{"ev", "events.v1"},
		{"events.events.k8s.io", "events.v1.events.k8s.io"},
		{"ev.events.k8s.io", "events.v1.events.k8s.io"},
		{"ev.v1.events.k8s.io", "events.v1.events.k8s.io"},
		{"hpa", "horizontalpodautoscalers.v2.autoscaling"},
		{"hpa.v1.autoscaling", "horizontalpodautoscalers.v1.autoscaling"},
		{"endpoints", "endpoints.v1"},
		{"ep", "endpoints.v1"},
		{"crd", "customresourcedefinitions.v1.apiextensions.k8s.io"},
		{"crds", "customresourcedefinitions.v1.apiextensions.k8s.io"},
		{"services", "services.v1"},
		{"services.serving.knative.dev", "services.v1.serving.knative.dev"},
		{"ksvc", "services.v1.serving.knative.dev"},
		// The first group wins; a version of a group only by name.
		{"widgets", "widgets.v1.a.example.com"},
		{"wd", "widgets.v1.a.example.com"},
		{"widgets.b.example.com", "widgets.v2.b.example.com"},
		{"widgets.v1.b.example.com", "widgets.v1.b.example.com"},
		// A full name goes before a short name.
		{"svc", "svc.v1.odd.example.com"},
		// A kind that is not the singular.
		{"Widgetry", "gadgets.v1.b.example.com"},
		// A prefix of a group.
		{"storageclass.storage", "storageclasses.v1.storage.k8s.io"},
		{"sc.storage", "storageclasses.v1.storage.k8s.io"},
		{"deployments.app", "deployments.v1.apps"},
		// A core version goes before a group that begins like it.
		{"pods.v1.example.com", "pods.v1.v1.example.com"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := d.Find(row.name)
			if err != nil || got.String() != row.want {
				t.Errorf("got %v, %v; want %s", got.Resource, err, row.want)
			}
		})
	}
}

func TestFindReadsBackEveryResource(t *testing.T) {
	d := crowded()
	for r := range d.All() {
		got, err := d.Find(r.String())
		if err != nil || got.Resource != r.Resource {
			t.Errorf("%s: got %v, %v", r, got.Resource, err)
		}
	}
}

func TestFindShowsNearMatches(t *testing.T) {
	d := crowded()
	for _, row := range []struct {
		name string
		near []string
	}{
		{"pdos", []string{"pods"}},
		{"deploymnet", []string{"deployments.apps"}},
		{"deployments.extensions", []string{"deployments.apps"}},
		{"statefullset", []string{"statefulsets.apps"}},
		{"persistentvol", []string{"persistentvolumeclaims", "persistentvolumes"}},
		{"PO", []string{"pods"}}, // short names are matched by case
		{"Confgimap", []string{"configmaps"}},
		{"zzzzzzzz", nil},
		{"", nil},
		{"..", nil},
		{strings.Repeat("pods", 100), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := d.Find(row.name)
			var unknown *UnknownResourceError
			if !errors.As(err, &unknown) {
				t.Fatalf("got %v, %v; want an *UnknownResourceError", got.Resource, err)
			}
			for _, name := range row.near {
				if !slices.Contains(unknown.Near, name) {
					t.Errorf("near %v lacks %s", unknown.Near, name)
				}
			}
			if row.near == nil && unknown.Near != nil {
				t.Errorf("near %v, want none", unknown.Near)
			}
			if len(unknown.Near) > maxNear || len(err.Error()) > 500 {
				t.Errorf("too much: %v", err)
			}
		})
	}
}

func TestUnknownResourceSaysWhatCouldNotBeRead(t *testing.T) {
	d := &Discovery{}
	d.fail("metrics.k8s.io", "v1beta1", errStale)
	_, err := d.Find("nodemetrics\x1b[31m")
	want := `the server has no resource "nodemetrics\x1b[31m" (not all groups could be read: discovery of "metrics.k8s.io/v1beta1": stale: the server could not refresh it)`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if !errors.Is(d.Failed()[0], errStale) {
		t.Errorf("the failure hides its cause: %v", d.Failed()[0])
	}
}

func TestNearMatchesAreQuotedWhenTheyAreOdd(t *testing.T) {
	d := NewDiscovery([]APIResource{
		{Resource: Resource{Version: "v1", Resource: "pods\x1b[2J"}, Singular: "pod"},
		{Resource: Resource{Version: "v1", Group: strings.Repeat("g", 300), Resource: "pods"}, Singular: "pod"},
	})
	_, err := d.Find("pox")
	if err == nil || strings.Contains(err.Error(), "\x1b") || len(err.Error()) > 300 {
		t.Errorf("got %q", err)
	}
}

func TestNewDiscoveryCopiesTheSlice(t *testing.T) {
	rows := Builtin()
	d := NewDiscovery(rows)
	rows[0] = APIResource{}
	if got := slices.Collect(d.All()); got[0].Kind == "" {
		t.Error("a later change of the argument is seen")
	}
}

func TestEditDistance(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"pods", "pods", 0}, {"pdos", "pods", 1},
		{"pod", "pods", 1}, {"pods", "nods", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3},
		{strings.Repeat("a", maxNearName), strings.Repeat("b", maxNearName), maxNearName},
	} {
		if got, back := editDistance(row.a, row.b), editDistance(row.b, row.a); got != row.want || back != row.want {
			t.Errorf("%q, %q: got %d and %d, want %d", row.a, row.b, got, back, row.want)
		}
	}
}

// FuzzFind: any name is answered without a panic, in bounded text, and what is
// found has the name by the rules of Find's documentation.
func FuzzFind(f *testing.F) {
	for _, name := range []string{"pods", "po", "Pod", "deploy.apps", "hpa.v1.autoscaling", "pods.v1.", "sc.storage", "..", "x.", ".v1", "WIDGETS", "podſ"} {
		f.Add(name)
	}
	d := crowded()
	f.Fuzz(func(t *testing.T, name string) {
		r, err := d.Find(name)
		if err != nil {
			if len(err.Error()) > 1500 || strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Fatalf("message: %q", err)
			}
			return
		}
		label, rest, qualified := strings.Cut(name, ".")
		folded := []string{r.Resource.Resource, r.Singular, r.Kind}
		if !slices.Contains(r.ShortNames, label) && !slices.ContainsFunc(folded, func(s string) bool { return strings.EqualFold(s, label) }) {
			t.Fatalf("%q gave %s", name, r)
		}
		version, group, _ := strings.Cut(rest, ".")
		if qualified && !(r.Version == version && r.Group == group) && !strings.HasPrefix(r.Group, rest) {
			t.Fatalf("%q gave %s", name, r)
		}
		again, err := d.Find(name)
		if diff := cmp.Diff(r, again); diff != "" || err != nil {
			t.Fatalf("asked twice: %v\n%s", err, diff)
		}
	})
}
