package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/status"
)

// The same small API in both forms. apps has a beta version that is served first
// and not preferred; metrics is an aggregated API.
const (
	aggregatedCore = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{"creationTimestamp":null},"versions":[
		{"version":"v1","freshness":"Current","resources":[
			{"resource":"bindings","responseKind":{"group":"","version":"","kind":"Binding"},"scope":"Namespaced","singularResource":"binding","verbs":["create"]},
			{"resource":"nodes","responseKind":{"group":"","version":"","kind":"Node"},"scope":"Cluster","singularResource":"node","verbs":["get","list","watch"],"shortNames":["no"],
			 "subresources":[{"subresource":"status","responseKind":{"group":"","version":"","kind":"Node"},"verbs":["get"]}]},
			{"resource":"pods","responseKind":{"group":"","version":"","kind":"Pod"},"scope":"Namespaced","singularResource":"pod","verbs":["get","list","watch"],"shortNames":["po"],"categories":["all"]}]}]}]}`
	aggregatedGroups = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[
		{"metadata":{"name":"apps","creationTimestamp":null},"versions":[
			{"version":"v1","freshness":"Current","resources":[
				{"resource":"deployments","responseKind":{"group":"","version":"","kind":"Deployment"},"scope":"Namespaced","singularResource":"deployment","verbs":["list","watch"],"shortNames":["deploy"]}]},
			{"version":"v1beta1","freshness":"Current","resources":[
				{"resource":"deployments","responseKind":{"group":"","version":"","kind":"Deployment"},"scope":"Namespaced","singularResource":"","verbs":["list"]}]}]},
		{"metadata":{"name":"metrics.k8s.io","creationTimestamp":null},"versions":[
			{"version":"v1beta1","freshness":"%s","resources":[
				{"resource":"pods","responseKind":{"group":"","version":"","kind":"PodMetrics"},"scope":"Namespaced","singularResource":"","verbs":["get","list"]},
				{"resource":"parents","scope":"Namespaced","singularResource":"","verbs":[],"subresources":[]}]}]}]}`

	legacyCore     = `{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"10.0.0.1:6443"}]}`
	legacyCoreList = `{"kind":"APIResourceList","groupVersion":"v1","resources":[
		{"name":"bindings","singularName":"binding","namespaced":true,"kind":"Binding","verbs":["create"]},
		{"name":"nodes","singularName":"node","namespaced":false,"kind":"Node","verbs":["get","list","watch"],"shortNames":["no"]},
		{"name":"nodes/status","singularName":"","namespaced":false,"kind":"Node","verbs":["get"]},
		{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["get","list","watch"],"shortNames":["po"],"categories":["all"]}]}`
	legacyGroups = `{"kind":"APIGroupList","apiVersion":"v1","groups":[
		{"name":"apps","versions":[{"groupVersion":"apps/v1beta1","version":"v1beta1"},{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}},
		{"name":"metrics.k8s.io","versions":[{"groupVersion":"metrics.k8s.io/v1beta1","version":"v1beta1"}],"preferredVersion":{"groupVersion":"metrics.k8s.io/v1beta1","version":"v1beta1"}}]}`
	legacyApps     = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1","resources":[{"name":"deployments","singularName":"deployment","namespaced":true,"kind":"Deployment","verbs":["list","watch"],"shortNames":["deploy"]}]}`
	legacyAppsBeta = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"apps/v1beta1","resources":[{"name":"deployments","singularName":"","namespaced":true,"kind":"Deployment","verbs":["list"]}]}`
	legacyMetrics  = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"metrics.k8s.io/v1beta1","resources":[{"name":"pods","singularName":"","namespaced":true,"kind":"PodMetrics","verbs":["get","list"]}]}`

	notFound    = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","code":404}`
	unavailable = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"service unavailable","reason":"ServiceUnavailable","code":503}`
)

// wantResources is what either form comes to.
var wantResources = []string{
	"bindings.v1 Binding binding true [] [create] []",
	"nodes.v1 Node node false [no] [get list watch] []",
	"pods.v1 Pod pod true [po] [get list watch] [all]",
	"deployments.v1.apps Deployment deployment true [deploy] [list watch] []",
	"deployments.v1beta1.apps Deployment deployment true [] [list] []",
	"pods.v1beta1.metrics.k8s.io PodMetrics podmetrics true [] [get list] []",
}

func shownResources(d *Discovery) []string {
	var all []string
	for r := range d.All() {
		all = append(all, fmt.Sprintf("%s %s %s %v %v %v %v", r, r.Kind, r.Singular, r.Namespaced, r.ShortNames, r.Verbs, r.Categories))
	}
	return all
}

// answers is a server by path: a body, after the code if it is not 200.
type answers map[string]string

func (a answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := a[r.URL.Path]
	if !ok {
		body = "404 " + notFound
	}
	w.Header().Set("Content-Type", "application/json")
	if code := 0; len(body) > 4 && body[3] == ' ' {
		if _, err := fmt.Sscan(body[:3], &code); err == nil {
			w.WriteHeader(code)
			body = body[4:]
		}
	}
	io.WriteString(w, body)
}

func newTestClient(t *testing.T, h http.Handler) *Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	client, err := NewClient(Config{Server: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func discover(t *testing.T, h http.Handler) *Discovery {
	t.Helper()
	d, err := Discover(t.Context(), newTestClient(t, h))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func current() answers {
	return answers{"/api": aggregatedCore, "/apis": fmt.Sprintf(aggregatedGroups, "Current")}
}

func legacy() answers {
	return answers{
		"/api": legacyCore, "/api/v1": legacyCoreList, "/apis": legacyGroups,
		"/apis/apps/v1": legacyApps, "/apis/apps/v1beta1": legacyAppsBeta, "/apis/metrics.k8s.io/v1beta1": legacyMetrics,
	}
}

func (a answers) but(path, body string) answers {
	a[path] = body
	return a
}

func TestDiscoverReadsBothForms(t *testing.T) {
	for _, row := range []struct {
		name   string
		server http.Handler
	}{
		{"aggregated", current()},
		{"legacy", legacy()},
		{"aggregated for the groups alone", legacy().but("/apis", fmt.Sprintf(aggregatedGroups, "Current"))},
		{"aggregated for the core alone", legacy().but("/api", aggregatedCore)},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := discover(t, row.server)
			if diff := cmp.Diff(wantResources, shownResources(d)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(d.Failed()) > 0 {
				t.Errorf("failed: %v", d.Failed())
			}
		})
	}
}

func TestDiscoverAsksForTheAggregatedForm(t *testing.T) {
	var asked []string
	server := current()
	discover(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path+" "+r.Header.Get("Accept"))
		server.ServeHTTP(w, r)
	}))
	accept := "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
	if diff := cmp.Diff([]string{"GET /api " + accept, "GET /apis " + accept}, asked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDiscoverAsksPlainlyAfter406(t *testing.T) {
	old := legacy()
	d := discover(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept"), ";") {
			http.Error(w, "406", http.StatusNotAcceptable)
			return
		}
		old.ServeHTTP(w, r)
	}))
	if diff := cmp.Diff(wantResources, shownResources(d)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDiscoverToleratesWhatIsDown(t *testing.T) {
	stale := answers{"/api": aggregatedCore, "/apis": fmt.Sprintf(aggregatedGroups, "Stale")}
	withoutMetrics := wantResources[:5]
	for _, row := range []struct {
		name   string
		server answers
		want   []string
		failed []string
	}{
		{"a stale aggregated API: its last known resources, and the failure", stale, wantResources, []string{"metrics.k8s.io v1beta1"}},
		{"an aggregated API that is down", legacy().but("/apis/metrics.k8s.io/v1beta1", "503 "+unavailable), withoutMetrics, []string{"metrics.k8s.io v1beta1"}},
		{"an aggregated API that sends a page", legacy().but("/apis/metrics.k8s.io/v1beta1", "<html>planted</html>"), withoutMetrics, []string{"metrics.k8s.io v1beta1"}},
		{"an aggregated API that sends another object", legacy().but("/apis/metrics.k8s.io/v1beta1", `{"kind":"PodList","items":[]}`), withoutMetrics, []string{"metrics.k8s.io v1beta1"}},
		{"no core group", answers{"/apis": fmt.Sprintf(aggregatedGroups, "Current")}, wantResources[3:], []string{"/api "}},
		{"groups that may not be read", current().but("/apis", "403 {}"), wantResources[:3], []string{"/apis "}},
		{"names that fit in no path", legacy().but("/apis/metrics.k8s.io/v1beta1", strings.Replace(legacyMetrics, `"pods"`, `".."`, 1)), withoutMetrics, []string{"metrics.k8s.io v1beta1"}},
		{"a version that fits in no path", legacy().but("/apis", strings.Replace(legacyGroups, `"version":"v1beta1"}],"pref`, `"version":"../v1"}],"pref`, 1)), withoutMetrics, []string{"metrics.k8s.io ../v1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := discover(t, row.server)
			if diff := cmp.Diff(row.want, shownResources(d)); diff != "" {
				t.Errorf("resources (-want +got):\n%s", diff)
			}
			var failed []string
			for _, f := range d.Failed() {
				failed = append(failed, f.Group+" "+f.Version)
				if strings.Contains(f.Error(), "planted") {
					t.Errorf("the message repeats the page: %v", f)
				}
			}
			if diff := cmp.Diff(row.failed, failed); diff != "" {
				t.Errorf("failed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDiscoverPrefersFreshVersions(t *testing.T) {
	d := discover(t, current().but("/apis", strings.Replace(fmt.Sprintf(aggregatedGroups, "Current"), `"v1","freshness":"Current"`, `"v1","freshness":"Stale"`, 1)))
	got, err := d.Find("deployments")
	if err != nil || got.Version != "v1beta1" {
		t.Errorf("got %v, %v; want the version that is fresh", got.Resource, err)
	}
	if got, err = d.Find("deploy"); err != nil || got.Version != "v1" {
		t.Errorf("got %v, %v; want the short name of the stale version", got.Resource, err)
	}
}

func TestDiscoverFails(t *testing.T) {
	page := "<!DOCTYPE html><p>planted login page"
	for _, row := range []struct {
		name   string
		server answers
		check  func(error) bool
	}{
		{"not logged in", answers{"/api": "401 {}", "/apis": "401 {}"}, status.IsUnauthorized},
		{"not an API server", answers{}, status.IsNotFound},
		{"nothing may be read", answers{"/api": "403 {}", "/apis": "403 {}"}, status.IsForbidden},
		{"every version down", legacy().but("/api/v1", "503 x").but("/apis/apps/v1", "503 x").but("/apis/apps/v1beta1", "503 x").but("/apis/metrics.k8s.io/v1beta1", "503 x"), status.IsServiceUnavailable},
		{"the server fails", current().but("/apis", "500 "+page), status.IsInternal},
		{"a page with 200", current().but("/api", page), isNoDiscovery},
		{"another object with 200", current().but("/api", `{"kind":"PodList"}`), isNoDiscovery},
		{"cut in the middle", current().but("/api", aggregatedCore[:100]), isNoDiscovery},
		{"more after the end", current().but("/api", aggregatedCore+"{}"), isNoDiscovery},
		{"nested without end", current().but("/api", strings.Repeat("[", 100_000)), isNoDiscovery},
	} {
		t.Run(row.name, func(t *testing.T) {
			d, err := Discover(t.Context(), newTestClient(t, row.server))
			if err == nil || !row.check(err) {
				t.Fatalf("got %v, %v", d, err)
			}
			if strings.Contains(err.Error(), "planted") || len(err.Error()) > 1000 {
				t.Errorf("message: %v", err)
			}
		})
	}
}

func isNoDiscovery(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Phase == PhaseBody && strings.Contains(e.Error(), "is no discovery document")
}

func TestDiscoverEndsWithItsContext(t *testing.T) {
	why := errors.New("enough")
	for _, path := range []string{"/api", "/apis/apps/v1"} {
		t.Run(path, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			server := legacy()
			client := newTestClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == path {
					cancel(why)
					<-r.Context().Done()
					return
				}
				server.ServeHTTP(w, r)
			}))
			if d, err := Discover(ctx, client); d != nil || err == nil {
				t.Errorf("got %v, %v; want the context's end", d, err)
			}
		})
	}
}

func TestDiscoverNeverTakesACutDocument(t *testing.T) {
	// Cut exactly behind a complete document: what framing promised is missing.
	client := newTestClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(aggregatedCore)+1))
		io.WriteString(w, aggregatedCore)
		panic(http.ErrAbortHandler)
	}))
	if d, err := Discover(t.Context(), client); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, %v; want io.ErrUnexpectedEOF", d, err)
	}
}

func TestDiscoverBoundsWhatItReads(t *testing.T) {
	versions := make([]string, maxLegacyVersions+500)
	for i := range versions {
		versions[i] = fmt.Sprintf(`"v%d"`, i)
	}
	var requests int
	server := answers{"/api": `{"kind":"APIVersions","versions":[` + strings.Join(versions, ",") + `]}`, "/apis": `{"kind":"APIGroupList"}`, "/api/v0": legacyCoreList}
	d := discover(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		server.ServeHTTP(w, r)
	}))
	if requests != maxLegacyVersions+2 {
		t.Errorf("%d requests, want %d", requests, maxLegacyVersions+2)
	}
	failed := d.Failed()
	if len(failed) != maxLegacyVersions || !errors.Is(failed[len(failed)-1], errTooManyVersions) {
		t.Errorf("%d failures, the last %v", len(failed), failed[len(failed)-1])
	}
	if len(slices.Collect(d.All())) != 3 {
		t.Errorf("got %v", shownResources(d))
	}
}

func TestDiscoverRefusesEndlessDocuments(t *testing.T) {
	client := newTestClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		blanks := []byte(strings.Repeat(" ", 1<<20))
		for range 2 * maxDiscoveryBytes / len(blanks) {
			if _, err := w.Write(blanks); err != nil {
				return
			}
		}
	}))
	_, err := Discover(t.Context(), client)
	if err == nil || !isNoDiscovery(err) {
		t.Errorf("got %v", err)
	}
}
