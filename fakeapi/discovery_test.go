package fakeapi

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func (k *kit) decode(path string, into any, headers ...string) answer {
	k.Helper()
	a := k.get(path, headers...)
	if err := json.Unmarshal([]byte(a.body), into); err != nil || a.code != 200 {
		k.Fatalf("%s: %d %v %s", path, a.code, err, a.body)
	}
	return a
}

// What client-go asks for.
const acceptAggregated = "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"

func TestLegacyDiscovery(t *testing.T) {
	bubble(t, Options{Resources: []Resource{widgets}}, func(k *kit) {
		k.want("the versions of the core group", k.get("/api"), 200, `{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"127.0.0.1:8001"}]}`)
		var groups struct {
			Kind   string
			Groups []apiGroup
		}
		k.decode("/apis", &groups)
		i := slices.IndexFunc(groups.Groups, func(g apiGroup) bool { return g.Name == "example.com" })
		if groups.Kind != "APIGroupList" || i < 0 || groups.Groups[i].Preferred.GroupVersion != "example.com/v1" {
			t.Errorf("groups %+v", groups)
		}
		if slices.ContainsFunc(groups.Groups, func(g apiGroup) bool { return g.Name == "" }) {
			t.Error("the core group is not among /apis")
		}
		k.want("one group", k.get("/apis/example.com"), 200, `{"kind":"APIGroup","apiVersion":"v1","name":"example.com","versions":[{"groupVersion":"example.com/v1","version":"v1"}],"preferredVersion":{"groupVersion":"example.com/v1","version":"v1"}}`)
		k.want("its resources", k.get("/apis/example.com/v1"), 200, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.com/v1","resources":[`+
			`{"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget","verbs":["delete","deletecollection","get","list","patch","create","update","watch"],"shortNames":["wd"],"storageVersionHash":"gIwvi5rymmg="},`+
			`{"name":"widgets/status","singularName":"","namespaced":true,"kind":"Widget","verbs":["get","patch","update"]}]}`)
		var core struct{ Resources []apiResource }
		k.decode("/api/v1", &core)
		i = slices.IndexFunc(core.Resources, func(r apiResource) bool { return r.Name == "pods" })
		if i < 0 || core.Resources[i].Kind != "Pod" || !slices.Equal(core.Resources[i].ShortNames, []string{"po"}) || !slices.Equal(core.Resources[i].Categories, []string{"all"}) {
			t.Errorf("core resources %+v", core)
		}
		if a := k.get("/"); !strings.HasPrefix(a.body, `{"paths":["/api","/api/v1","/apis","/apis/`) {
			t.Errorf("the root: %s", a.body)
		}
		// Groups of Go types and groups of definitions have routers of their own.
		for _, path := range []string{"/apis/no.such", "/apis/no.such/v1/things", "/apis/example.com/v1/things", "/apis/example.com/v2", "/apis/example.com/v1/widgets/w", "/version/x", "/nowhere", "//api/v1/pods"} {
			a := k.get(path)
			k.want(path, a, 404, "404 page not found")
			if a.header.Get("Content-Type") != "text/plain; charset=utf-8" {
				t.Errorf("%s: %v", path, a.header)
			}
		}
		for _, path := range []string{"/apis/apps/v2", "/api/v2", "/api/v1/nosuch", "/apis/apps/v1/pods", "/api/v1/pods/p", "/api/v1/namespaces/x/nodes", "/api/v1/namespaces/x/pods/p/status/x", "/api/v1/watch", "/apis/apps/v1/watch"} {
			k.wantStatus(path, k.get(path), 404, "NotFound", "the server could not find the requested resource")
		}
		if a := k.get("/api/v1/pods/"); a.code != 200 {
			t.Errorf("a slash at the end: %d", a.code)
		}
	})
}

func TestAggregatedDiscovery(t *testing.T) {
	bubble(t, Options{Resources: []Resource{widgets}}, func(k *kit) {
		type document struct {
			Kind, APIVersion string
			Items            []groupDiscovery
		}
		var core, others document
		a := k.decode("/api", &core, acceptAggregated)
		if got := a.header.Get("Content-Type"); got != "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" || core.APIVersion != "apidiscovery.k8s.io/v2" {
			t.Errorf("content type %q, %s", got, core.APIVersion)
		}
		if len(core.Items) != 1 || core.Items[0].Metadata.Name != "" || core.Items[0].Versions[0].Version != "v1" {
			t.Errorf("the core group: %+v", core)
		}
		k.decode("/apis", &others, acceptAggregated)
		i := slices.IndexFunc(others.Items, func(g groupDiscovery) bool { return g.Metadata.Name == "example.com" })
		if i < 0 {
			t.Fatalf("groups: %+v", others)
		}
		w := others.Items[i].Versions[0].Resources[0]
		if w.Resource != "widgets" || w.Scope != "Namespaced" || w.Singular != "widget" || w.ResponseKind != (groupVersionKind{"example.com", "v1", "Widget"}) || w.Subresources[0].Subresource != "status" {
			t.Errorf("widgets: %+v", w)
		}
		old := k.get("/api", "Accept: application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList")
		if !strings.Contains(old.body, `"apiVersion":"apidiscovery.k8s.io/v2beta1"`) {
			t.Errorf("v2beta1: %.100s", old.body)
		}
		for _, accept := range []string{"application/json", "application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,*/*", "application/yaml;as=APIGroupDiscoveryList,application/json", "application/json,application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;q=0.9"} {
			if a := k.get("/api", "Accept: "+accept); !strings.HasPrefix(a.body, `{"kind":"APIVersions"`) {
				t.Errorf("%s: %.100s", accept, a.body)
			}
		}
		for _, accept := range []string{"application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList", "application/yaml"} {
			k.wantStatus(accept, k.get("/api", "Accept: "+accept), 406, "NotAcceptable", "only the following media types are accepted")
		}
		if pods := core.Items[0].Versions[0].Resources; !slices.ContainsFunc(pods, func(r resourceDiscovery) bool {
			return r.Resource == "pods" && r.ResponseKind == groupVersionKind{Kind: "Pod"}
		}) {
			t.Errorf("pods are not among %+v", pods)
		}
	})
}

func TestVersionAndHealth(t *testing.T) {
	bubble(t, Options{GitVersion: "v1.31.4-test"}, func(k *kit) {
		for _, path := range []string{"/version", "/version/"} {
			var v versionInfo
			k.decode(path, &v)
			if v.Major != "1" || v.Minor != "31" || v.MinCompatibilityMinor != "30" || v.GitVersion != "v1.31.4-test" || v.Platform == "" {
				t.Errorf("%s: %+v", path, v)
			}
		}
		for _, path := range []string{"/healthz", "/readyz", "/livez"} {
			k.want(path, k.get(path), 200, "ok")
		}
	})
}

// Creating a definition is what adds a resource to a real cluster; here it
// takes a call.
func TestRegisterAddsAResource(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.want("before", k.get(widgetsPath), 404, "404 page not found")
		k.Register(widgets)
		k.Register(widgets) // again is nothing
		k.must(k.Create("widgets.example.com", `{"metadata":{"name":"w"}}`))
		if l := k.list(widgetsPath); l.names() != "w" || l.Kind != "WidgetList" {
			t.Errorf("after: %+v", l)
		}
		all := k.Resources()
		if last := all[len(all)-1]; last.Name() != "widgets.example.com" || last.Singular != "widget" || all[0].Name() != "configmaps" {
			t.Errorf("resources end with %+v", last)
		}
	})
}

// Every built-in resource can be written, listed and watched.
func TestEveryBuiltInResourceWorks(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		for _, r := range k.Resources() {
			prefix := "/apis/" + r.APIVersion() + "/"
			if r.Group == "" {
				prefix = "/api/v1/"
			}
			collection := prefix + r.Resource
			if r.Namespaced {
				collection = prefix + "namespaces/default/" + r.Resource
			}
			if a := k.do("POST", collection, `{"kind":"`+r.Kind+`","apiVersion":"`+r.APIVersion()+`","metadata":{"name":"x"}}`); a.code != 201 {
				t.Errorf("%s: %d %s", r.Name(), a.code, a.body)
			}
			w := k.watch(prefix + r.Resource + "?watch=1&allowWatchBookmarks=1")
			at := version(k.Version())
			w.want(r.Name(), "ADDED x "+at, "BOOKMARK+ "+at)
			w.r.Body.Close()
			if a := k.do("DELETE", collection+"/x", ""); a.code != 200 {
				t.Errorf("%s: %d %s", r.Name(), a.code, a.body)
			}
		}
	})
}
