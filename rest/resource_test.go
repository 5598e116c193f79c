package rest

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestResourcePath(t *testing.T) {
	widgets := Resource{Group: "example.com", Version: "v1alpha1", Resource: "widgets", Namespaced: true}
	for _, row := range []struct {
		name            string
		resource        Resource
		namespace, item string
		sub             []string
		want            string
	}{
		{"core collection of all namespaces", Pods, "", "", nil, "/api/v1/pods"},
		{"core collection of one namespace", Pods, "shop", "", nil, "/api/v1/namespaces/shop/pods"},
		{"core object", Pods, "shop", "web-0", nil, "/api/v1/namespaces/shop/pods/web-0"},
		{"subresource", Pods, "shop", "web-0", []string{"log"}, "/api/v1/namespaces/shop/pods/web-0/log"},
		{"two subresources", Services, "shop", "web", []string{"proxy", "healthz"}, "/api/v1/namespaces/shop/services/web/proxy/healthz"},
		{"cluster-scoped collection", Nodes, "", "", nil, "/api/v1/nodes"},
		{"cluster-scoped object", Nodes, "", "node-1", nil, "/api/v1/nodes/node-1"},
		{"a namespace is a cluster-scoped object", Namespaces, "", "shop", nil, "/api/v1/namespaces/shop"},
		{"group", Deployments, "shop", "web", []string{"scale"}, "/apis/apps/v1/namespaces/shop/deployments/web/scale"},
		{"custom resource", widgets, "", "", nil, "/apis/example.com/v1alpha1/widgets"},
		{"colons of RBAC names stay as they are", ClusterRoles, "", "system:node", nil, "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node"},
		{"what a URL gives a meaning to is escaped", ConfigMaps, "a?b", "c#d e", nil, "/api/v1/namespaces/a%3Fb/configmaps/c%23d%20e"},
		{"bytes above ASCII are escaped", ConfigMaps, "n", "é", nil, "/api/v1/namespaces/n/configmaps/%C3%A9"},
		{"dots inside a name are a name", ConfigMaps, "n", "..a", nil, "/api/v1/namespaces/n/configmaps/..a"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := row.resource.Path(row.namespace, row.item, row.sub...); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

func TestPathRefusesWhatIsNoSegment(t *testing.T) {
	for _, row := range []struct {
		name            string
		resource        Resource
		namespace, item string
		sub             []string
		part, rule      string
	}{
		{"slash in a name", Pods, "n", "a/b", nil, "name", "'/' or '%'"},
		{"percent in a name: a proxy may decode it", Pods, "n", "a%2fb", nil, "name", "'/' or '%'"},
		{"parent as a name", Pods, "n", "..", nil, "name", "'.' or '..'"},
		{"self as a name", Pods, "n", ".", nil, "name", "'.' or '..'"},
		{"line break in a name", Pods, "n", "a\r\nHost: x", nil, "name", "control characters"},
		{"delete byte in a name", Pods, "n", "a\x7f", nil, "name", "control characters"},
		{"parent as a namespace", Pods, "..", "", nil, "namespace", "'.' or '..'"},
		{"slash in a namespace", Pods, "a/../b", "", nil, "namespace", "'/' or '%'"},
		{"object without its namespace", Pods, "", "web-0", nil, "namespace", "must not be empty"},
		{"namespace of a cluster-scoped resource", Nodes, "shop", "", nil, "namespace", "cluster-scoped"},
		{"subresource without an object", Pods, "shop", "", []string{"log"}, "subresource", "name of an object"},
		{"empty subresource", Pods, "shop", "web-0", []string{""}, "subresource", "must not be empty"},
		{"slash in a subresource", Pods, "shop", "web-0", []string{"proxy/x"}, "subresource", "'/' or '%'"},
		{"zero resource", Resource{}, "", "", nil, "version", "must not be empty"},
		{"no resource name", Resource{Version: "v1"}, "", "", nil, "resource", "must not be empty"},
		{"slash in the version", Resource{Version: "v1/pods", Resource: "x"}, "", "", nil, "version", "'/' or '%'"},
		{"slash in the group", Resource{Group: "a/b", Version: "v1", Resource: "x"}, "", "", nil, "group", "'/' or '%'"},
		{"parent as the resource", Resource{Version: "v1", Resource: ".."}, "", "", nil, "resource", "'.' or '..'"},
	} {
		t.Run(row.name, func(t *testing.T) {
			path, err := row.resource.BuildPath(row.namespace, row.item, row.sub...)
			var pe *PathError
			if !errors.As(err, &pe) {
				t.Fatalf("got path %q and error %v, want a *PathError", path, err)
			}
			if pe.Part != row.part || !strings.Contains(pe.Rule, row.rule) {
				t.Errorf("got part %q, rule %q; want part %q, rule with %q", pe.Part, pe.Rule, row.part, row.rule)
			}
			if strings.ContainsAny(err.Error(), "\r\n\x7f") {
				t.Errorf("control characters in the message: %q", err)
			}
			if got := row.resource.Path(row.namespace, row.item, row.sub...); got != "" {
				t.Errorf("Path gave %q, want none", got)
			}
		})
	}
}

func TestPathErrorShortensWhatItQuotes(t *testing.T) {
	_, err := Pods.BuildPath("n", "/"+strings.Repeat("x", 1<<20))
	if err == nil || len(err.Error()) > 400 {
		t.Errorf("message of %d bytes", len(err.Error()))
	}
}

func TestResourceNames(t *testing.T) {
	if got, want := Pods.String(), "pods.v1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := Deployments.String(), "deployments.v1.apps"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := Pods.APIVersion()+" "+Deployments.APIVersion(), "v1 apps/v1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := Pods.GroupResource()+" "+Deployments.GroupResource(), "pods deployments.apps"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	if got := Deployments.GroupVersionResource(); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestResourceIsAMapKey(t *testing.T) {
	seen := map[Resource]int{Pods: 1}
	seen[Resource{Version: "v1", Resource: "pods", Namespaced: true}]++
	if seen[Pods] != 2 || len(seen) != 1 {
		t.Errorf("got %v", seen)
	}
}

func TestBuiltinTableHoldsTogether(t *testing.T) {
	paths := map[string]bool{}
	short := map[string]string{} // short name -> group resource
	for _, r := range Builtin() {
		path, err := r.BuildPath("", "")
		if err != nil {
			t.Errorf("%s: %v", r, err)
		}
		if paths[path] {
			t.Errorf("%s stands twice", path)
		}
		paths[path] = true
		if r.Kind == "" || r.Singular != strings.ToLower(r.Kind) {
			t.Errorf("%s: kind %q, singular %q", r, r.Kind, r.Singular)
		}
		if !r.Can("list") || r.Can("watch") == (r.Resource == ComponentStatuses) {
			t.Errorf("%s: verbs %v", r, r.Verbs)
		}
		for _, s := range r.ShortNames {
			if other, ok := short[s]; ok && !strings.HasPrefix(other, r.Resource.Resource) {
				t.Errorf("short name %s of %s and %s", s, r, other)
			}
			short[s] = r.GroupResource()
		}
		if r.Group != "" && !strings.Contains(r.Group, ".") &&
			!slices.Contains([]string{"apps", "autoscaling", "batch", "policy"}, r.Group) {
			t.Errorf("%s: unknown group", r)
		}
	}
	if len(paths) != 65 {
		t.Errorf("got %d resources, want the 65 that 1.37 serves as GA and lists", len(paths))
	}
}

func TestBuiltinIsTheCallersOwn(t *testing.T) {
	changed := Builtin()
	changed[0].Verbs[0] = "changed"
	changed[0] = APIResource{}
	if fresh := Builtin(); fresh[0].Kind == "" || fresh[0].Verbs[0] == "changed" {
		t.Errorf("a change by one caller reached another: %+v", fresh[0])
	}
}

func FuzzResourcePath(f *testing.F) {
	f.Add("", "v1", "pods", true, "shop", "web-0", "log")
	f.Add("apps", "v1", "deployments", true, "a?b", "c#d e", "")
	f.Add("x.io", "v1", "..", false, "", "%2e%2e", "a/b")
	f.Add("rbac.authorization.k8s.io", "v1", "clusterroles", false, "", "system:node;v=1,2", "")
	f.Fuzz(func(t *testing.T, group, version, resource string, namespaced bool, namespace, name, sub string) {
		r := Resource{Group: group, Version: version, Resource: resource, Namespaced: namespaced}
		var subs []string
		if sub != "" {
			subs = append(subs, sub)
		}
		path, err := r.BuildPath(namespace, name, subs...)
		if err != nil {
			if path != "" {
				t.Fatalf("path %q beside the error %v", path, err)
			}
			return
		}
		// net/url is the oracle: a reader of the path finds the same parts, no more.
		u, err := url.ParseRequestURI(path)
		if err != nil {
			t.Fatalf("%q: %v", path, err)
		}
		if u.RawQuery != "" || u.Fragment != "" || u.Host != "" || u.JoinPath().EscapedPath() != u.EscapedPath() {
			t.Fatalf("%q is not a clean path", path)
		}
		want := []string{"", "api", version}
		if group != "" {
			want = []string{"", "apis", group, version}
		}
		if namespace != "" {
			want = append(want, "namespaces", namespace)
		}
		want = append(want, resource)
		if name != "" {
			want = append(append(want, name), subs...)
		}
		got := strings.Split(u.EscapedPath(), "/")
		for i := range got {
			if got[i], err = url.PathUnescape(got[i]); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", path, diff)
		}
	})
}
