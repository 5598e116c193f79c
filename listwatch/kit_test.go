package listwatch

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/rest"
)

// kit is an API server, a client, and what an iteration over one of its collections has yielded. A test is a straight line:
// something happens, that is wanted.
type kit struct {
	t      *testing.T
	api    *fakeapi.Server
	client *rest.Client
	r      *Reflector
	cancel context.CancelFunc
	done   chan struct{}

	mu          sync.Mutex
	seen        []string
	transitions []string
	hold        chan struct{} // if set, the loop body waits for it
}

// inBubble runs f with a server and a client in a bubble of fake time. Everything has ended when it returns.
func inBubble(t *testing.T, o fakeapi.Options, f func(k *kit)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		// What hangs would let the fake clock run for ever, and the server's history fill the memory.
		hangs := time.AfterFunc(7*24*time.Hour, func() { panic(t.Name() + ": a week has gone by") })
		defer hangs.Stop()
		api := fakeapi.New(o)
		defer api.Close()
		k := &kit{t: t, api: api, client: newClient(t, api)}
		defer k.client.Close()
		defer k.leave()
		f(k)
	})
}

func newClient(t *testing.T, api *fakeapi.Server) *rest.Client {
	c, err := rest.NewClient(rest.Config{Server: api.URL(), Dial: api.Dial})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// options are those of the tests: config maps of one namespace, no chance.
func (k *kit) options() Options {
	return Options{
		Resource: rest.ConfigMaps, Namespace: "default", Rand: func() float64 { return 0.5 },
		Observe: func(t Transition) {
			k.mu.Lock()
			defer k.mu.Unlock()
			k.transitions = append(k.transitions, t.From+" -> "+t.To+": "+t.Reason)
		},
	}
}

// run iterates in a goroutine of its own, until leave.
func (k *kit) run(events func(context.Context) iter.Seq2[*Event, error]) {
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel, k.done = cancel, make(chan struct{})
	go func() {
		defer close(k.done)
		for e, err := range events(ctx) {
			k.see(e, err)
		}
	}()
}

// reflect iterates over a reflector. A request on a kept connection takes a moment of fake time: rest listens whether it is quiet.
func (k *kit) reflect(o Options) {
	k.r = New(k.client, o)
	k.run(k.r.Events)
	synctest.Wait()
}

// leave ends the iteration and waits for it.
func (k *kit) leave() {
	if k.cancel != nil {
		k.cancel()
		<-k.done
		k.cancel = nil
	}
}

func (k *kit) see(e *Event, err error) {
	k.mu.Lock()
	k.seen = append(k.seen, line(e, err))
	hold := k.hold
	k.mu.Unlock()
	if hold != nil {
		<-hold
	}
}

// forget drops what has been seen.
func (k *kit) forget() {
	synctest.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seen = nil
}

// line is an event in a test.
func line(e *Event, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	words := []string{e.Kind.String()}
	if len(e.Identity.Name) > 0 {
		words = append(words, string(e.Identity.Name)+"@"+string(e.Identity.ResourceVersion))
	}
	if e.Kind == ReplaceBegin || e.Kind == ReplaceAbort || e.Kind == Problem {
		words = append(words, "("+e.Reason+")")
	}
	if e.Kind == ReplaceEnd || e.Kind == Bookmark {
		words = append(words, "at "+e.Version)
	}
	if e.Stale {
		words = append(words, "stale")
	}
	return strings.Join(words, " ")
}

// want compares what has been yielded since it was last asked, when nothing more is about to happen.
func (k *kit) want(why string, lines ...string) {
	k.t.Helper()
	synctest.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	if diff := cmp.Diff(lines, k.seen); diff != "" {
		k.t.Fatalf("%s: -want +got\n%s\ntransitions:\n%s", why, diff, strings.Join(k.transitions, "\n"))
	}
	k.seen = nil
}

// wantRequests compares the requests since it was last asked.
func (k *kit) wantRequests(why string, want ...string) {
	k.t.Helper()
	synctest.Wait()
	var got []string
	for _, r := range k.api.Requests() {
		got = append(got, r.Verb+" "+r.Query.Encode())
	}
	k.api.ForgetRequests()
	if diff := cmp.Diff(want, got); diff != "" {
		k.t.Fatalf("%s: -want +got\n%s", why, diff)
	}
}

// wantStatus compares a few fields.
func (k *kit) wantStatus(why string, f func(Status) any, want any) {
	k.t.Helper()
	synctest.Wait()
	if diff := cmp.Diff(want, f(k.r.Status())); diff != "" {
		k.t.Fatalf("%s: -want +got\n%s", why, diff)
	}
}

// put creates or changes a config map.
func (k *kit) put(name, value string) {
	k.t.Helper()
	object := map[string]any{"metadata": map[string]any{"name": name}, "data": map[string]any{"value": value}}
	if _, err := k.api.Apply("configmaps", object); err != nil {
		k.t.Fatal(err)
	}
}

func (k *kit) delete(name string) {
	k.t.Helper()
	if _, err := k.api.Delete("configmaps", "default", name); err != nil {
		k.t.Fatal(err)
	}
}

// at moves the version to n, so that what follows has versions that can be written down.
func (k *kit) at(n uint64) { k.api.SetVersion(n) }

// answer answers the next request for which match is true.
func (k *kit) answer(match func(*http.Request) bool, handler http.HandlerFunc) {
	k.api.InterceptOnce(func(w http.ResponseWriter, r *http.Request) bool {
		if !match(r) {
			return false
		}
		handler(w, r)
		return true
	})
}

func isWatch(r *http.Request) bool { return r.URL.Query().Get("watch") != "" }
func isList(r *http.Request) bool  { return r.URL.Query().Get("watch") == "" }
func anything(*http.Request) bool  { return true }

// respond answers with a body of JSON.
func respond(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// refuse answers with a Status.
func refuse(code int, reason string) http.HandlerFunc {
	return respond(code, fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d,"message":"no"}`, reason, code))
}

// pass lets time go by.
func pass(d time.Duration) {
	time.Sleep(d) // of the bubble
	synctest.Wait()
}
