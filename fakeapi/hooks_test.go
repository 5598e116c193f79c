package fakeapi

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestInterceptOnceAnswersOneRequest(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		remove := k.InterceptOnce(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/api/v1/pods" {
				return false
			}
			WriteStatus(w, &StatusError{Code: 429, Reason: "TooManyRequests", Message: "slow down", Details: &StatusDetails{RetryAfterSeconds: 7}})
			return true
		})
		if a := k.get("/api/v1/nodes"); a.code != 200 {
			t.Errorf("another path: %d", a.code)
		}
		a := k.get("/api/v1/pods")
		k.wantStatus("the one", a, 429, "TooManyRequests", "slow down")
		if a.header.Get("Retry-After") != "7" {
			t.Errorf("headers %v", a.header)
		}
		if a := k.get("/api/v1/pods"); a.code != 200 {
			t.Errorf("the next: %d", a.code)
		}
		remove()
		unused := k.InterceptOnce(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(500); return true })
		unused()
		if a := k.get("/api/v1/pods"); a.code != 200 {
			t.Errorf("removed before use: %d", a.code)
		}
	})
}

// An interceptor that takes its time does not hold up other requests.
func TestInterceptOnceStallsOneRequestAlone(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.InterceptOnce(func(w http.ResponseWriter, r *http.Request) bool {
			select {
			case <-time.After(time.Minute):
			case <-r.Context().Done():
			}
			w.WriteHeader(503)
			return true
		})
		stalled := make(chan int)
		go func() { stalled <- k.get("/api/v1/pods").code }()
		synctest.Wait()
		if lasted := took(func() {
			if a := k.get("/api/v1/pods"); a.code != 200 {
				t.Errorf("a second request: %d", a.code)
			}
		}); lasted != 0 {
			t.Errorf("a second request took %v", lasted)
		}
		if code := <-stalled; code != 503 {
			t.Errorf("the stalled one: %d", code)
		}
	})
}

// Close has to end requests that interceptors hold.
func TestCloseEndsHeldRequests(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.Intercept(func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true })
		failed := make(chan error)
		go func() { _, err := k.client.Get(k.URL() + "/api"); failed <- err }()
		synctest.Wait()
		k.Close()
		if err := <-failed; err == nil {
			t.Error("the request got an answer")
		}
		if _, err := k.Dial(k.Context(), "tcp", "x"); err == nil {
			t.Error("a closed server can be dialled")
		}
	})
}

func TestInterceptorsCanHijack(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		remove := k.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
			conn, buffered, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return true
			}
			buffered.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
			buffered.Flush()
			conn.Close()
			return true
		})
		r := k.open("GET", "/api/v1/pods", "")
		b, err := io.ReadAll(r.Body)
		if string(b) != "short" || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %q, %v", b, err)
		}
		remove()
		k.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
			if _, _, err := w.(http.Hijacker).Hijack(); err != nil { // and leaves it open
				t.Error(err)
			}
			return true
		})
		failed := make(chan error)
		go func() { _, err := k.client.Get(k.URL() + "/api"); failed <- err }()
		synctest.Wait()
		k.Close() // ends what the interceptor forgot
		if err := <-failed; err == nil {
			t.Error("the request got an answer")
		}
	})
}

func TestInterceptorsMayFlush(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			io.WriteString(w, "now")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return true
		})
		r := k.open("GET", "/", "")
		b := make([]byte, 3)
		if _, err := io.ReadFull(r.Body, b); err != nil || string(b) != "now" {
			t.Errorf("got %q, %v", b, err)
		}
		r.Body.Close()
	})
}

func TestMiddlewareChangesAnswers(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		mark := func(name string) func(http.Handler) http.Handler {
			return func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Add("Seen-By", name)
					next.ServeHTTP(w, r)
				})
			}
		}
		inner, outer := k.Use(mark("inner")), k.Use(mark("outer"))
		if got := k.get("/api/v1/pods").header.Values("Seen-By"); !cmp.Equal(got, []string{"outer", "inner"}) {
			t.Errorf("seen by %v", got)
		}
		inner()
		inner()
		if got := k.get("/api/v1/pods").header.Values("Seen-By"); !cmp.Equal(got, []string{"outer"}) {
			t.Errorf("seen by %v", got)
		}
		outer()
	})
}

func TestWarnings(t *testing.T) {
	bubble(t, Options{Resources: []Resource{widgets}}, func(k *kit) {
		one := k.Warn("widgets.example.com", `v1 is "old" \ deprecated`)
		all := k.Warn("*", "beware")
		for path, want := range map[string][]string{
			widgetsPath:                {`299 - "v1 is \"old\" \\ deprecated"`, `299 - "beware"`},
			widgetsPath + "/x":         {`299 - "v1 is \"old\" \\ deprecated"`, `299 - "beware"`},
			"/api/v1/pods":             {`299 - "beware"`},
			"/api/v1/pods?limit=x":     {`299 - "beware"`},
			"/apis":                    nil,
			"/api/v1/pods?watch=1&x=1": {`299 - "beware"`},
		} {
			r := k.open("GET", path, "")
			r.Body.Close()
			if diff := cmp.Diff(want, r.Header.Values("Warning")); diff != "" {
				t.Errorf("%s: %s", path, diff)
			}
		}
		one()
		all()
		if got := k.get(widgetsPath).header.Values("Warning"); got != nil {
			t.Errorf("removed: %v", got)
		}
	})
}

func TestEveryAnswerHasAnAuditID(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		a, b := k.get("/api/v1/pods"), k.get("/nowhere")
		if a.header.Get("Audit-Id") == "" || a.header.Get("Audit-Id") == b.header.Get("Audit-Id") {
			t.Errorf("%q and %q", a.header.Get("Audit-Id"), b.header.Get("Audit-Id"))
		}
		if got := a.header.Get("Cache-Control"); got != "no-cache, private" {
			t.Errorf("Cache-Control %q", got)
		}
		if got := k.get("/api", "Audit-Id: mine").header.Get("Audit-Id"); got != "mine" {
			t.Errorf("the client's own came back as %q", got)
		}
	})
}

func TestRequestsAreLogged(t *testing.T) {
	bubble(t, Options{RequestLog: 3, Tokens: map[string]User{"secret": {}}}, func(k *kit) {
		auth := "Authorization: Bearer secret"
		k.get("/forgotten", auth)
		k.get("/api/v1/namespaces/x/pods?limit=5", auth, "User-Agent: me")
		time.Sleep(time.Second)
		k.get("/apis/apps/v1/namespaces/x/deployments/d")
		w := k.watch("/api/v1/pods?watch=1&timeoutSeconds=60", auth)
		log := k.Requests()
		if len(log) != 3 {
			t.Fatalf("%d entries", len(log))
		}
		first, second, open := log[0], log[1], log[2]
		if first.Verb != "list" || first.Resource != "pods" || first.Namespace != "x" || first.Code != 200 || first.Method != "GET" || first.Query.Get("limit") != "5" || first.Header.Get("User-Agent") != "me" || first.RemoteAddr == "" || first.Path != "/api/v1/namespaces/x/pods" {
			t.Errorf("%+v", first)
		}
		if second.Verb != "get" || second.Resource != "deployments.apps" || second.Name != "d" || second.Code != 401 || second.Time.Sub(first.Time) != time.Second || second.Done != second.Time {
			t.Errorf("%+v", second)
		}
		if open.Verb != "watch" || open.Code != 200 || !open.Done.IsZero() {
			t.Errorf("%+v", open)
		}
		for _, r := range log {
			for name, values := range r.Header {
				if strings.Contains(strings.Join(values, ""), "secret") {
					t.Errorf("%s shows the token", name)
				}
			}
		}
		w.wantEnd("", io.EOF)
		synctest.Wait()
		if last := k.Requests()[2]; last.Done.Sub(last.Time) != time.Minute {
			t.Errorf("%+v", last)
		}
		k.ForgetRequests()
		k.get("/version", auth)
		if log := k.Requests(); len(log) != 1 || log[0].Verb != "get" || log[0].Resource != "" {
			t.Errorf("%+v", log)
		}
	})
	bubble(t, Options{RequestLog: -1}, func(k *kit) {
		k.get("/version")
		if log := k.Requests(); len(log) != 0 {
			t.Errorf("off: %+v", log)
		}
	})
}
