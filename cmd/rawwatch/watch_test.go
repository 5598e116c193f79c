package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// shown reads -o json as "TYPE namespace/name version".
func shown(t *testing.T, stdout string) []string {
	t.Helper()
	var all []string
	for line := range strings.Lines(stdout) {
		var e struct {
			Type   string
			Object struct {
				Metadata struct{ Namespace, Name, ResourceVersion string }
			}
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		m := e.Object.Metadata
		all = append(all, strings.TrimSpace(e.Type+" "+strings.TrimPrefix(m.Namespace+"/"+m.Name, "/")+" "+m.ResourceVersion))
	}
	return all
}

func TestWatchPrintsEveryEventOnceAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, fakeapi.Options{BookmarkInterval: -1})
		object := must[fakeapi.Object](t)
		object(server.Create("pods", pod("shop", "a", "")))
		r := start(t, server, "pods", "-A", "-o", "json")
		object(server.Create("pods", pod("shop", "b", "")))
		settle()
		object(server.Update("pods", pod("shop", "b", `"x":"y"`)))
		object(server.Delete("pods", "shop", "a"))
		settle()
		server.Bookmark()
		settle()
		server.CloseWatches() // it is resumed
		settle()
		time.Sleep(5 * time.Second)
		object(server.Create("pods", pod("shop", "c", "")))
		settle()
		got := r.interrupt().want(t, "SIGINT", 130)
		want := []string{"ADDED shop/a 2", "ADDED shop/b 3", "MODIFIED shop/b 4", "DELETED shop/a 5", "BOOKMARK  5", "ADDED shop/c 6"}
		if diff := cmp.Diff(want, shown(t, got.stdout)); diff != "" {
			t.Error(diff)
		}
		for _, words := range []string{"pods: in sync at version 2: 1 object", "the server ended the watch", "resuming at version 5"} {
			if !strings.Contains(got.stderr, words) {
				t.Errorf("no notice says %q:\n%s", words, got.stderr)
			}
		}
	})
}

// After a relist the differences are printed, never the whole list again.
func TestARelistPrintsTheDifferences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, fakeapi.Options{BookmarkInterval: -1})
		object := must[fakeapi.Object](t)
		for _, name := range []string{"same", "changed", "gone"} {
			object(server.Create("pods", pod("shop", name, "")))
		}
		r := start(t, server, "pods", "-n", "shop", "-o", "json")
		server.ExpireWatches()
		object(server.Update("pods", pod("shop", "changed", `"x":"y"`)))
		object(server.Delete("pods", "shop", "gone"))
		object(server.Create("pods", pod("shop", "new", "")))
		server.Compact()
		time.Sleep(10 * time.Second)
		got := r.interrupt().want(t, "SIGINT", 130)
		lines := shown(t, got.stdout)
		if diff := cmp.Diff([]string{"MODIFIED shop/changed 6", "ADDED shop/new 8", "DELETED shop/gone 4"}, lines[min(3, len(lines)):]); diff != "" {
			t.Errorf("after the first list: %s\n%s", diff, got.stderr)
		}
		for _, words := range []string{"410", "relisting", "relist complete at version 8: 3 differences"} {
			if !strings.Contains(got.stderr, words) {
				t.Errorf("no notice says %q:\n%s", words, got.stderr)
			}
		}
		if !strings.Contains(got.stdout, `{"type":"DELETED","object":{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":"gone",`) {
			t.Errorf("a deletion that nobody saw is made of what is known:\n%s", got.stdout)
		}
	})
}

// net/http reads the same watch: what we print must be its lines, and -o raw its body.
func TestJSONAndRawAreTheBytesOfTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, fakeapi.Options{BookmarkInterval: time.Second})
		object := must[fakeapi.Object](t)
		object(server.Create("pods", pod("shop", "a", `"é":"\u00e9<>&"`)))
		object(server.Create("pods", pod("shop", "b", "")))
		change := time.AfterFunc(1500*time.Millisecond, func() { object(server.Delete("pods", "shop", "b")) })
		defer change.Stop()
		oracle := make(chan string)
		go func() {
			r := must[*http.Response](t)(server.HTTPClient().Get(server.URL() + "/api/v1/pods?allowWatchBookmarks=true&resourceVersion=2&timeoutSeconds=4&watch=true"))
			defer r.Body.Close()
			oracle <- string(must[[]byte](t)(io.ReadAll(r.Body)))
		}()
		lines := start(t, server, "pods", "-A", "--once", "--resource-version", "2", "--timeout-seconds", "4", "-o", "json")
		raw := start(t, server, "pods", "-A", "--resource-version", "2", "--timeout-seconds", "4", "-o", "raw")
		want := <-oracle
		if !strings.Contains(want, "DELETED") || !strings.Contains(want, "BOOKMARK") {
			t.Fatalf("the watch showed too little: %s", want)
		}
		if diff := cmp.Diff(want, lines.wait().want(t, "the server ended the watch whole", 0).stdout); diff != "" {
			t.Errorf("-o json (- net/http): %s", diff)
		}
		if diff := cmp.Diff(want, raw.wait().want(t, "the body is complete", 0).stdout); diff != "" {
			t.Errorf("-o raw (- net/http): %s", diff)
		}
	})
}

func TestEnds(t *testing.T) {
	t.Run("--count", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, fakeapi.Options{})
			for _, name := range []string{"a", "b", "c"} {
				must[fakeapi.Object](t)(server.Create("pods", pod("shop", name, "")))
			}
			got := start(t, server, "pods", "-A", "-o", "name", "--count", "2").wait().want(t, "two events", 0)
			if got.stdout != "pods/a\npods/b\n" {
				t.Errorf("%q", got.stdout)
			}
		})
	})
	t.Run("--for", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			start(t, newServer(t, fakeapi.Options{}), "pods,svc", "-A", "--for", "1h").wait().want(t, "an hour of a healthy watch", 0)
			if lasted := time.Since(began); lasted != time.Hour {
				t.Errorf("lasted %v", lasted)
			}
		})
	})
	t.Run("SIGTERM", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := start(t, newServer(t, fakeapi.Options{}), "pods")
			r.end(signalled{syscall.SIGTERM})
			if got := r.wait().want(t, "SIGTERM", 143); strings.Contains(got.stderr, "context") || strings.Contains(got.stderr, "terminated") {
				t.Errorf("whoever sends a signal knows: %s", got.stderr)
			}
		})
	})
}

// A watch that is broken when its time is up does not exit with 0.
func TestABrokenWatchNeverExitsWithZero(t *testing.T) {
	t.Run("the server has gone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, fakeapi.Options{})
			r := start(t, server, "pods", "-A", "--for", "1m")
			server.Close()
			got := r.wait().want(t, "the time is up", exitConnection)
			if !strings.Contains(got.stderr, "rawwatch: pods: when the time was up, the watch had been broken for ") {
				t.Errorf("does not say what is wrong:\n%s", got.stderr)
			}
		})
	})
	t.Run("the credentials are no longer accepted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, fakeapi.Options{Tokens: map[string]fakeapi.User{"s3cret": {}}})
			r := start(t, server, "pods", "-A", "--for", "1m", "--token", "s3cret")
			server.SetTokens(map[string]fakeapi.User{})
			server.CloseWatches()
			got := r.wait().want(t, "the time is up", exitConnection)
			if !strings.Contains(got.stderr, "401") || strings.Contains(got.stderr, "s3cret") {
				t.Errorf("does not say what is wrong:\n%s", got.stderr)
			}
		})
	})
	t.Run("it recovered in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, fakeapi.Options{})
			r := start(t, server, "pods", "-A", "--for", "1m")
			server.CutConnections()
			r.wait().want(t, "the time is up, the watch is well", 0)
		})
	})
	t.Run("the state at the beginning never came", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, fakeapi.Options{WatchList: fakeapi.WatchListUnmarked})
			got := start(t, server, "pods", "-A", "--for", "10s").wait().want(t, "the time is up", exitTimeout)
			if !strings.Contains(got.stderr, "the state at the beginning was not complete") {
				t.Errorf("does not say what is wrong:\n%s", got.stderr)
			}
		})
	})
	t.Run("--once and a cut", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, fakeapi.Options{})
			r := start(t, server, "pods", "-A", "--once")
			server.CutConnections()
			got := r.wait().want(t, "the body broke off", exitProtocol)
			if !strings.Contains(got.stderr, "rawwatch: the watch ended after ") {
				t.Errorf("does not say what is wrong:\n%s", got.stderr)
			}
		})
	})
}

// A request that nobody answers ends with --request-timeout, whatever it is for.
func TestRequestTimeout(t *testing.T) {
	for _, args := range [][]string{{"pods"}, {"/api/v1/pods"}, {"/api/v1/pods", "--once"}, {"list", "/api/v1/pods"}, {"/version"}, {"/api/v1/pods", "-o", "raw"}} {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, fakeapi.Options{})
			server.Intercept(func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true })
			began := time.Now()
			got := start(t, server, append(args, "--request-timeout", "7")...).wait().want(t, strings.Join(args, " "), exitTimeout)
			if lasted := time.Since(began); lasted != 7*time.Second {
				t.Errorf("%v: lasted %v", args, lasted)
			}
			if !strings.Contains(got.stderr, "try again") {
				t.Errorf("%v: does not say what to do: %s", args, got.stderr)
			}
		})
	}
}

// A body that stalls is silence too, but for a watch, which may be silent.
func TestRequestTimeoutWithinABody(t *testing.T) {
	for _, args := range [][]string{{"list", "/api/v1/pods"}, {"list", "/api/v1/pods", "--limit", "5"}, {"/version"}, {"list", "/api/v1/pods", "-o", "raw"}} {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, fakeapi.Options{})
			server.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, `{"kind":"PodList",`)
				http.NewResponseController(w).Flush()
				<-r.Context().Done()
				return true
			})
			began := time.Now()
			start(t, server, append(args, "--request-timeout", "7")...).wait().want(t, strings.Join(args, " "), exitTimeout)
			if lasted := time.Since(began); lasted != 7*time.Second {
				t.Errorf("%v: lasted %v", args, lasted)
			}
		})
	}
	for _, args := range [][]string{{"pods"}, {"pods", "--once"}, {"pods", "-o", "raw"}} {
		synctest.Test(t, func(t *testing.T) {
			start(t, newServer(t, fakeapi.Options{}), append(args, "--request-timeout", "7", "--for", "50s")...).wait().want(t, strings.Join(args, " "), 0)
		})
	}
}

// A connection that died without saying so: no bookmark comes any more.
func TestIdleTimeout(t *testing.T) {
	for _, args := range [][]string{{"pods", "--once"}, {"pods", "-o", "raw"}} {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, fakeapi.Options{BookmarkInterval: -1})
			start(t, server, args...).wait().want(t, strings.Join(args, " "), exitTimeout)
			start(t, server, append(args, "--idle-timeout", "5")...).wait().want(t, "5 s", exitTimeout)
			start(t, server, append(args, "--idle-timeout", "0", "--for", "10m")...).wait().want(t, "no limit", 0)
			start(t, server, append(args, "--allow-watch-bookmarks=false", "--for", "10m")...).wait().want(t, "without bookmarks nothing says that silence is wrong", 0)
		})
	}
}

func TestSeveralResourcesAreTagged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, fakeapi.Options{BookmarkInterval: -1})
		object := must[fakeapi.Object](t)
		object(server.Create("pods", pod("shop", "a", "")))
		r := start(t, server, "po,deploy", "-A", "--no-headers")
		object(server.Create("deployments.apps", pod("shop", "web", "")))
		settle()
		var lines [][]string
		for line := range strings.Lines(r.interrupt().stdout) {
			lines = append(lines, strings.Fields(line)[2:6])
		}
		want := [][]string{{"ADDED", "pods", "shop/a", "2"}, {"ADDED", "deployments.apps", "shop/web", "3"}}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Error(diff)
		}
	})
}

// What the flags ask for is what the server is asked for.
func TestRequests(t *testing.T) {
	for _, c := range []struct {
		why   string
		args  []string
		paths string
		query map[string]string // of the last request; "-" is none
	}{
		{"-A is stronger than -n", []string{"pods", "-n", "shop", "-A"}, "/api/v1/pods", nil},
		{"-n", []string{"pods", "-n", "shop"}, "/api/v1/namespaces/shop/pods", nil},
		{"no namespace is default", []string{"po"}, "/api/v1/namespaces/default/pods", nil},
		{"a resource without namespaces", []string{"nodes", "-n", "shop"}, "/api/v1/nodes", nil},
		{"a group", []string{"deployments.apps", "-A"}, "/apis/apps/v1/deployments", nil},
		{"a kind", []string{"Deployment", "-A"}, "/apis/apps/v1/deployments", nil},
		{"a name", []string{"pods", "web-1"}, "/api/v1/namespaces/default/pods", map[string]string{"fieldSelector": "metadata.name=web-1"}},
		{"TYPE/NAME", []string{"pods/web-1", "--field-selector", "spec.nodeName=n"}, "/api/v1/namespaces/default/pods", map[string]string{"fieldSelector": "metadata.name=web-1,spec.nodeName=n"}},
		{"-l", []string{"pods", "-l", "app=web,tier!=cache"}, "/api/v1/namespaces/default/pods", map[string]string{"labelSelector": "app=web,tier!=cache"}},
		{"bookmarks and a watch-list unless told otherwise", []string{"pods"}, "/api/v1/namespaces/default/pods", map[string]string{"allowWatchBookmarks": "true", "sendInitialEvents": "true", "watch": "true"}},
		{"no bookmarks", []string{"pods", "--allow-watch-bookmarks=false", "--send-initial-events=false"}, "/api/v1/namespaces/default/pods", map[string]string{"allowWatchBookmarks": "false", "sendInitialEvents": "-", "watch": "true"}},
		{"a version to begin at", []string{"pods", "--resource-version", "1", "--timeout-seconds", "77"}, "/api/v1/namespaces/default/pods", map[string]string{"resourceVersion": "1", "timeoutSeconds": "77", "watch": "true"}},
		{
			"--once sends what it was given", []string{"pods", "--once", "--resource-version", "1", "--resource-version-match", "NotOlderThan", "--send-initial-events"},
			"/api/v1/namespaces/default/pods",
			map[string]string{"resourceVersion": "1", "resourceVersionMatch": "NotOlderThan", "sendInitialEvents": "true", "allowWatchBookmarks": "true", "watch": "true"},
		},
		{"a path with a query", []string{"/api/v1/pods?labelSelector=a%3Db&pretty=true&watch=1", "--once"}, "/api/v1/pods", map[string]string{"labelSelector": "a=b", "pretty": "true", "watch": "true"}},
		{"list", []string{"list", "pods", "-A", "--resource-version", "0", "--chunk-size", "17"}, "/api/v1/pods", map[string]string{"watch": "-", "limit": "17", "resourceVersion": "0"}},
		{"list in one page", []string{"list", "pods", "-A", "--chunk-size", "-1"}, "/api/v1/pods", map[string]string{"limit": "-"}},
		{"get -w is watch", []string{"get", "pods", "-w", "-A"}, "/api/v1/pods", map[string]string{"watch": "true"}},
		{"-w is what it does anyway", []string{"pods", "-A", "-w"}, "/api/v1/pods", map[string]string{"watch": "true"}},
		{"get is list", []string{"get", "pods", "-A", "--limit", "3"}, "/api/v1/pods", map[string]string{"limit": "3", "watch": "-"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, fakeapi.Options{})
			must[fakeapi.Object](t)(server.Create("pods", pod("other", "x", "")))
			r := start(t, server, c.args...)
			r.interrupt()
			requests := server.Requests()
			last := requests[len(requests)-1]
			if last.Path != c.paths {
				t.Errorf("%s: %s, want %s\n%s", c.why, last.Path, c.paths, r.stderr)
			}
			for name, want := range c.query {
				if want == "-" && last.Query.Has(name) || want != "-" && last.Query.Get(name) != want {
					t.Errorf("%s: %s=%q, want %q in %s", c.why, name, last.Query.Get(name), want, last.Query.Encode())
				}
			}
		})
	}
}

// The trace shows how it went, and no secret.
func TestTraceOfAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, fakeapi.Options{Tokens: map[string]fakeapi.User{"s3cret": {}}, BookmarkInterval: -1})
		must[fakeapi.Object](t)(server.Create("pods", pod("shop", "a", "")))
		r := start(t, server, "/api/v1/pods", "--trace", "-q", "--token", "s3cret")
		time.Sleep(3 * time.Second)
		must[fakeapi.Object](t)(server.Create("pods", pod("shop", "b", "")))
		settle()
		got := r.interrupt()
		if strings.Contains(got.stderr, "s3cret") {
			t.Fatalf("a secret:\n%s", got.stderr)
		}
		var marks strings.Builder
		lines := bufio.NewScanner(strings.NewReader(got.stderr))
		for lines.Scan() {
			marks.WriteString(strings.Fields(lines.Text())[2])
		}
		for _, words := range []string{
			"[1] > GET /api/v1/pods?", "[1] > Authorization: <masked>", "[1] < HTTP/1.1 200 OK", "body: chunked", "[1] { chunk 1: ", "[1] = ADDED shop/a version 2: ",
			"[1] * idle for 3.010s", "[1] = ADDED shop/b version 3: ", " in chunk ", "[1] * closed: local",
		} {
			if !strings.Contains(got.stderr, words) {
				t.Errorf("no line says %q:\n%s", words, got.stderr)
			}
		}
		if order := marks.String(); !strings.HasPrefix(order, "**>>") || !strings.Contains(order, "<<*{=") {
			t.Errorf("marks %s:\n%s", order, got.stderr)
		}
	})
}
