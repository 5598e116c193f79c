package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// fill makes pods named pod-000 and so on, at versions from 2.
func fill(t *testing.T, server *fakeapi.Server, n int) {
	t.Helper()
	for i := range n {
		must[fakeapi.Object](t)(server.Create("pods", pod("shop", fmt.Sprintf("pod-%03d", i), "")))
	}
}

func TestListPrintsEveryObjectOfEveryPage(t *testing.T) {
	for _, format := range []string{"name", "json", "lines", "wide", "yaml"} {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, fakeapi.Options{})
			fill(t, server, 25)
			got := start(t, server, "list", "pods", "-A", "--chunk-size", "10", "-o", format).wait().want(t, "-o "+format, 0)
			last := -1
			for i := range 25 {
				name := fmt.Sprintf("pod-%03d", i)
				at := strings.Index(got.stdout, name)
				if at <= last {
					t.Errorf("-o %s: %s is missing or out of order:\n%s", format, name, got.stdout)
				}
				last = at
			}
			if got.stderr != "rawwatch: pods: 25 objects at version 26\n" {
				t.Errorf("-o %s: %s", format, got.stderr)
			}
		})
	}
}

// The objects of a list have no envelope of their own: their bytes stand in one, as they were sent.
func TestListedObjectsAreTheBytesOfTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, fakeapi.Options{})
		fill(t, server, 3)
		r := must[*http.Response](t)(server.HTTPClient().Get(server.URL() + "/api/v1/pods"))
		defer r.Body.Close()
		var list struct{ Items []json.RawMessage }
		if err := json.Unmarshal(must[[]byte](t)(io.ReadAll(r.Body)), &list); err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for _, item := range list.Items {
			fmt.Fprintf(&want, `{"type":"ADDED","object":%s}`+"\n", item)
		}
		if diff := cmp.Diff(want.String(), start(t, server, "list", "pods", "-A", "-o", "json").wait().stdout); diff != "" {
			t.Error(diff)
		}
	})
}

// --limit is one page, and what it says on standard error leads to the next.
func TestLimitAndContinue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, fakeapi.Options{})
		fill(t, server, 5)
		got := start(t, server, "list", "pods", "-A", "-o", "name", "--limit", "3").wait().want(t, "the first page", 0)
		if got.stdout != "pods/pod-000\npods/pod-001\npods/pod-002\n" {
			t.Errorf("the first page: %q", got.stdout)
		}
		next := regexp.MustCompile(`about 2 more: --continue (\S+)`).FindStringSubmatch(got.stderr)
		if next == nil {
			t.Fatalf("no token: %s", got.stderr)
		}
		got = start(t, server, "list", "pods", "-A", "-o", "name", "--continue", next[1]).wait().want(t, "the rest", 0)
		if got.stdout != "pods/pod-003\npods/pod-004\n" || strings.Contains(got.stderr, "more") {
			t.Errorf("the rest: %q, %q", got.stdout, got.stderr)
		}
	})
}

// A list that lacks an object says so with its exit code, and shows the others.
func TestAListWithABadObject(t *testing.T) {
	body := `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a","resourceVersion":"1"}},{"metadata":{"resourceVersion":"2"}},{"metadata":{"name":"c","resourceVersion":"3"}}]}`
	url := answering(t, page(200, "application/json", body))
	for _, args := range [][]string{{"list", "/api/v1/pods"}, {"list", "/api/v1/pods", "--limit", "10"}} {
		got := setting{}.rawwatch(t, append(args, "-s", url, "-o", "name")...).want(t, strings.Join(args, " "), exitProtocol)
		if got.stdout != "pods/a\npods/c\n" {
			t.Errorf("%v: %q", args, got.stdout)
		}
		if !strings.Contains(got.stderr, "the list is not complete: an object without name") {
			t.Errorf("%v: %s", args, got.stderr)
		}
	}
}

// A list that is cut is not a shorter one.
func TestACutList(t *testing.T) {
	url := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a","resourceVersion":"1"}},`)
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	for _, args := range [][]string{{"list", "/api/v1/pods"}, {"list", "/api/v1/pods", "--limit", "10"}, {"list", "/api/v1/pods", "-o", "raw"}} {
		got := setting{}.rawwatch(t, append(args, "-s", url)...).want(t, strings.Join(args, " "), exitProtocol)
		if !strings.Contains(got.stderr, "try again") {
			t.Errorf("%v: %s", args, got.stderr)
		}
	}
}

func TestPathsThatAreNoCollection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, fakeapi.Options{})
		fill(t, server, 1)
		fetch := func(args ...string) string {
			t.Helper()
			return start(t, server, args...).wait().want(t, strings.Join(args, " "), 0).stdout
		}
		if got := fetch("/healthz"); got != "ok" {
			t.Errorf("a text: %q", got)
		}
		one := fetch("/api/v1/namespaces/shop/pods/pod-000")
		if !strings.HasPrefix(one, `{"kind":"Pod"`) || fetch("get", "/api/v1/namespaces/shop/pods/pod-000") != one {
			t.Errorf("an object: %q", one)
		}
		if got := fetch("/api/v1/namespaces/shop/pods/pod-000", "-o", "yaml"); !strings.HasPrefix(got, "apiVersion: v1\nkind: Pod\n") {
			t.Errorf("an object as yaml: %q", got)
		}
		if got := fetch("/version?pretty=true", "-o", "json"); strings.Count(got, "\n") != 1 || !json.Valid([]byte(got)) {
			t.Errorf("-o json is one line: %q", got)
		}
		if got := fetch("/healthz", "/livez"); got != "okok" {
			t.Errorf("two paths: %q", got)
		}
		got := start(t, server, "/api/v1/namespaces/shop/pods/nobody").wait().want(t, "an object that is not there", exitStatus)
		if !strings.Contains(got.stderr, `pods "nobody" not found`) {
			t.Error(got.stderr)
		}
	})
}

func TestTypeNames(t *testing.T) {
	for path, want := range map[string]string{
		"/api/v1/pods": "pods", "/api/v1/namespaces/shop/pods": "pods", "/apis/apps/v1/namespaces/shop/deployments": "deployments.apps",
	} {
		if got := (&target{path: path}).typeName(); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestIsCollection(t *testing.T) {
	for path, want := range map[string]bool{
		"/api/v1/pods": true, "/api/v1/namespaces": true, "/api/v1/namespaces/shop/pods": true, "/apis/apps/v1/deployments": true,
		"/apis/apps/v1/namespaces/shop/deployments/": true,
		"/": false, "/api": false, "/api/v1": false, "/apis/apps/v1": false, "/version": false, "/healthz": false, "/openapi/v3/apis/apps/v1": false,
		"/api/v1/namespaces/shop": false, "/api/v1/nodes/a": false, "/api/v1/namespaces/shop/pods/a": false, "/api/v1/namespaces/shop/pods/a/log": false,
		"/api/v1/namespaces/shop/status": false, "/api/v1/namespaces/shop/finalize": false, "/api/v1/watch/pods": false,
	} {
		if got := isCollection(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
