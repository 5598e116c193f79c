package informer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kit is a server and a client to it, in one bubble.
type kit struct {
	*testing.T
	*fakeapi.Server
	client *rest.Client
}

func bubble(t *testing.T, o fakeapi.Options, test func(k *kit)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		// What hangs would let the fake clock run for ever, and the server's history fill the memory.
		hangs := time.AfterFunc(7*24*time.Hour, func() { panic(t.Name() + ": a week has gone by") })
		defer hangs.Stop()
		server := fakeapi.New(o)
		defer server.Close()
		client, err := rest.NewClient(rest.Config{Server: server.URL(), Dial: server.Dial})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		test(&kit{t, server, client})
	})
}

// pod is what the tests declare of a pod.
type pod struct {
	Metadata struct {
		Name            string            `json:"name"`
		Labels          map[string]string `json:"labels"`
		ResourceVersion string            `json:"resourceVersion"`
	} `json:"metadata"`
	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
}

// put creates or changes a pod: name or namespace/name, the node that it is on, and labels such as "app=web".
func (k *kit) put(name, node string, labels ...string) fakeapi.Object {
	k.Helper()
	namespace, name := split(name)
	pairs := []string{}
	for _, l := range labels {
		key, value, _ := strings.Cut(l, "=")
		pairs = append(pairs, fmt.Sprintf("%q:%q", key, value))
	}
	o, err := k.Apply("pods", fmt.Sprintf(`{"metadata":{"namespace":%q,"name":%q,"labels":{%s}},"spec":{"nodeName":%q}}`,
		namespace, name, strings.Join(pairs, ","), node))
	if err != nil {
		k.Fatal(err)
	}
	return o
}

func (k *kit) remove(name string) fakeapi.Object {
	k.Helper()
	namespace, name := split(name)
	o, err := k.Delete("pods", namespace, name)
	if err != nil {
		k.Fatal(err)
	}
	return o
}

func split(name string) (namespace, _ string) {
	if namespace, rest, found := strings.Cut(name, "/"); found {
		return namespace, rest
	}
	return "default", name
}

func podKey(name string) Key {
	namespace, name := split(name)
	return Key{Namespace: namespace, Name: name}
}

// pods returns an informer of pods that has not been started.
func (k *kit) pods(o Options) *Informer[*pod] {
	return New(k.client, rest.Pods, watchdecoder.JSON[pod](), o)
}

// run starts an informer; stop ends it and waits.
func run[T any](k *kit, i *Informer[T]) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := i.Run(ctx); !errors.Is(err, context.Canceled) {
			k.Errorf("Run = %v, want the cause that its context ended with", err)
		}
	}()
	return func() { cancel(); <-done }
}

func synced[T any](k *kit, i *Informer[T]) {
	k.Helper()
	ctx, cancel := context.WithTimeout(k.Context(), 10*time.Minute)
	defer cancel()
	if err := i.WaitSync(ctx); err != nil {
		k.Fatal(err)
	}
}

// await waits an hour: a bubble in which something polls would otherwise never end.
func (k *kit) await(c <-chan struct{}) {
	k.Helper()
	select {
	case <-c:
	case <-time.After(time.Hour):
		k.Fatal("an hour has gone by")
	}
}

// settle waits until everything that is under way has arrived. A connection that is used again is looked at for a
// millisecond first.
func settle() {
	time.Sleep(100 * time.Millisecond)
	synctest.Wait()
}

// fromHere returns what a handler is told once it has the state as it is now.
func fromHere(k *kit, i *Informer[*pod]) *record {
	k.Helper()
	told := new(record)
	i.Subscribe(Handler[*pod]{OnEvent: told.pod})
	synced(k, i)
	settle()
	told.take()
	return told
}

// record keeps what a handler was told.
type record struct {
	mu    sync.Mutex
	lines []string
}

func (r *record) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

func (r *record) pod(e Event[*pod]) { r.add(describe(e)) }

// take returns what has been told since the last call.
func (r *record) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := append([]string{}, r.lines...)
	r.lines = nil
	return lines
}

// describe is an event of a pod in a line: "Updated a n1>n2", with the flags that are set.
func describe(e Event[*pod]) string {
	line := fmt.Sprintf("%s %s %s>%s", e.Kind, strings.TrimPrefix(e.Key.String(), "default/"), nodeOf(e.Old), nodeOf(e.New))
	if e.Initial {
		line += " initial"
	}
	if e.Stale {
		line += " stale"
	}
	return line
}

func nodeOf(p *pod) string {
	if p == nil {
		return ""
	}
	return p.Spec.NodeName
}

func (r *record) want(k *kit, reason string, lines ...string) {
	k.Helper()
	if diff := cmp.Diff(append([]string{}, lines...), r.take()); diff != "" {
		k.Errorf("%s (-want +got):\n%s", reason, diff)
	}
}

// requests describes the requests since the last ForgetRequests: verb and what makes it what it is.
func (k *kit) requests() []string {
	var all []string
	for _, r := range k.Requests() {
		line := r.Verb
		if r.Query.Get("sendInitialEvents") == "true" {
			line = "watchlist"
		}
		all = append(all, line)
	}
	return all
}

// failAll answers every request with a code until the returned function is called.
func (k *kit) failAll(code int, reason string) (stop func()) {
	return k.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		fakeapi.WriteStatus(w, &fakeapi.StatusError{Code: code, Reason: reason, Message: "as the test wants it"})
		return true
	})
}

// restore puts a backup of etcd back as it is done in earnest: while no API server serves anything.
func (k *kit) restore(backup *fakeapi.Snapshot) {
	back := k.failAll(503, "ServiceUnavailable")
	k.CutConnections()
	settle()
	k.Restore(backup)
	back()
}

// counting is a codec that counts.
type counting[T any] struct {
	watchdecoder.Codec[T]
	mu    sync.Mutex
	calls int
}

func (c *counting[T]) Decode(raw []byte) (T, error) {
	c.mu.Lock()
	c.calls++
	c.mu.Unlock()
	return c.Codec.Decode(raw)
}

func (c *counting[T]) take() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.calls
	c.calls = 0
	return n
}

var listOnly = listwatch.Options{WatchList: listwatch.WatchListOff}
