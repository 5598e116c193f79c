package follow

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/rawwatch/rawwatch/conformance/cluster"
	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

const writes = 10_000

// widget is what an embedder declares of a custom resource.
type widget struct {
	Metadata struct {
		UID             string `json:"uid"`
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Spec struct {
		Color string  `json:"color"`
		Sizes []int   `json:"sizes"`
		Ratio float64 `json:"ratio"`
	} `json:"spec"`
}

// A cluster in motion is followed through everything that happens to API
// servers: one is killed and another told to stop, and etcd forgets what the
// informers, cut off for a while, have not seen yet. The truth is a fresh
// list, and what independent writers were answered.
func TestInformersFollowAClusterThroughRestartsAndACompaction(t *testing.T) {
	began := time.Now()
	c := sharedCluster(t)
	ctx := cluster.Deadline(t, 4*time.Minute)
	witness := c.Client(cluster.AdminToken)
	defer witness.Close()
	prepare(t, ctx, witness)

	network := newGate()
	client, err := rest.NewClient(rest.Config{
		Server: c.URL(), CAData: c.CA(), Dial: network.dial,
		Token: func(context.Context) (string, error) { return cluster.AdminToken, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	factory := informer.NewFactory(client, informer.FactoryOptions{})
	followed := followAll(t, factory)

	all := collections()
	for _, c := range all {
		c.states = map[state]bool{}
	}
	const first, cutOff, third, second = writes / 4, writes / 4 * 2, writes/2 + 500, writes / 4 * 3
	storm := newStorm(t, witness, all, 8, first, cutOff, third, second)
	storm.start(ctx, first/5) // something is there before the informers are
	storm.wait.Wait()
	factory.Start(ctx)
	storm.start(ctx, writes)
	if err := factory.WaitForCacheSync(ctx); err != nil {
		t.Fatal(err)
	}
	t.Logf("%6.1fs synced", time.Since(began).Seconds())

	must(t, storm.reach(ctx, first))
	must(t, c.RestartAPIServer(ctx, syscall.SIGTERM))
	t.Logf("%6.1fs told to stop, and restarted, after %d writes", time.Since(began).Seconds(), storm.done.Load())
	late := followed.late()
	must(t, storm.reach(ctx, cutOff))
	network.close()
	must(t, storm.reach(ctx, third))
	must(t, c.StopAPIServer(syscall.SIGKILL))
	must(t, c.Compact(ctx, newestVersion(all)))
	must(t, c.StartAPIServer(ctx))
	network.open()
	t.Logf("%6.1fs cut off, killed, compacted and restarted after %d writes", time.Since(began).Seconds(), storm.done.Load())
	must(t, storm.reach(ctx, second))
	storm.wait.Wait()
	t.Logf("%6.1fs all %d writes; %d more had no clear answer", time.Since(began).Seconds(), storm.done.Load(), storm.unclear.Load())

	last := storm.writers[0]
	for _, c := range all {
		name := "last-" + c.name
		for last.present[c][name].uid == "" && ctx.Err() == nil {
			last.create(ctx, c, name)
		}
		for _, f := range followed {
			if f.resource() == c.name {
				must(t, f.waitVersion(ctx, namespaceOf(name), last.present[c][name].version))
			}
		}
	}
	t.Logf("%6.1fs the last writes are in the stores", time.Since(began).Seconds())
	for _, f := range followed {
		f.compare(t, list(t, ctx, witness, f.path()))
	}
	for _, f := range append(followed, late...) {
		f.drain(t, ctx)
		for _, c := range all {
			if f.resource() == c.name {
				f.judge(t, c)
			}
		}
	}
	for _, s := range factory.Status() {
		r := s.Sources[0].Reflector
		t.Logf("%s: %d objects; %d watch-lists, %d lists, %d watches, %d resumes, %d probes, relists %v, %d connections, problems %v",
			s.Resource, s.Objects, r.WatchLists, r.Lists, r.Watches, r.Resumes, r.Probes, r.Relists, r.Connections, s.Problems)
		if len(s.Problems) > 0 || r.Problems > 0 {
			t.Errorf("%s: problems %v %s", s.Resource, s.Problems, s.LastProblem)
		}
		if r.Relists["Expired"] == 0 {
			t.Errorf("%s never met a compacted version; the cut-off did not do its work", s.Resource)
		}
	}

	factory.Shutdown()
	client.Close()
	witness.Close()
	goleak.VerifyNone(t, flushDaemon(), waitsForServer())
	t.Logf("%6.1fs nothing is left", time.Since(began).Seconds())
}

// prepare makes the namespaces and the custom resource, and waits for it.
func prepare(t *testing.T, ctx context.Context, witness *cluster.Client) {
	t.Helper()
	header := map[string][]string{"Content-Type": {"application/json"}}
	post := func(path, body string) {
		t.Helper()
		r, err := witness.Do(ctx, "POST", path, header, []byte(body))
		must(t, err)
		if r.Code >= 300 && r.Code != 409 {
			t.Fatalf("%s: %d %s", path, r.Code, r.Body)
		}
	}
	for i := range 2 {
		post("/api/v1/namespaces", fmt.Sprintf(`{"metadata":{"name":"follow-%d"}}`, i))
	}
	post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
"names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},"versions":[{"name":"v1","served":true,"storage":true,
"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}}`)
	for {
		r, err := witness.Do(ctx, "GET", "/apis/example.com/v1/widgets", nil, nil)
		must(t, err)
		if r.Code == 200 {
			return
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("the custom resource is not served: %d %s", r.Code, r.Body)
		}
	}
}

// follower is one informer of the test, whatever its T.
type follower interface {
	resource() string
	path() string
	waitVersion(ctx context.Context, namespace, version string) error
	compare(*testing.T, []json.RawMessage)
	drain(*testing.T, context.Context)
	judge(*testing.T, *collection)
	again() follower
}

type followers []follower

// late is one more handler for each informer, which finds everything there.
func (f followers) late() (late followers) {
	for _, one := range f {
		late = append(late, one.again())
	}
	return late
}

func followAll(t *testing.T, factory *informer.Factory) followers {
	t.Helper()
	widgets := rest.Resource{Group: "example.com", Version: "v1", Resource: "widgets", Namespaced: true}
	pods, err := informer.For(factory, rest.Pods, watchdecoder.JSON[corev1.Pod](), informer.Options{})
	must(t, err)
	raw, err := factory.ForResource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"})
	must(t, err)
	own, err := informer.For(factory, widgets, watchdecoder.JSON[widget](), informer.Options{})
	must(t, err)
	metadata, err := informer.For(factory, rest.ConfigMaps, watchdecoder.MetadataObject(), informer.Options{})
	must(t, err)
	return followers{
		(&view[*corev1.Pod]{
			name: "typed", of: rest.Pods, informer: pods, identify: func(p *corev1.Pod) (string, string) { return string(p.UID), p.ResourceVersion },
			decode: decodeJSON[*corev1.Pod],
			comparable: func(p *corev1.Pod) any {
				shallow := *p // items of a list do not say their kind
				shallow.TypeMeta = metav1.TypeMeta{}
				return &shallow
			},
			// The server marks a pod before it removes it.
			unwritten: func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil },
		}).subscribe(),
		(&view[watchdecoder.Raw]{
			name: "raw", of: widgets, informer: raw, identify: func(r watchdecoder.Raw) (string, string) { return identifyWidget(decodeJSON[*widget](r)) },
			decode:     func(data []byte) (watchdecoder.Raw, error) { return data, nil },
			comparable: func(r watchdecoder.Raw) any { return fmt.Sprint(decodeJSON[map[string]any](r)) },
		}).subscribe(),
		(&view[*widget]{
			name: "own struct", of: widgets, informer: own, identify: func(w *widget) (string, string) { return identifyWidget(w, nil) },
			decode: decodeJSON[*widget], comparable: func(w *widget) any { return w },
		}).subscribe(),
		(&view[*watchdecoder.Metadata]{
			name: "metadata", of: rest.ConfigMaps, informer: metadata, identify: func(m *watchdecoder.Metadata) (string, string) { return string(m.UID), m.ResourceVersion },
			decode: func(data []byte) (*watchdecoder.Metadata, error) {
				o, err := decodeJSON[struct{ Metadata *watchdecoder.Metadata }](data)
				return o.Metadata, err
			},
			comparable: func(m *watchdecoder.Metadata) any { return m },
		}).subscribe(),
	}
}

func decodeJSON[T any](data []byte) (value T, err error) {
	err = json.Unmarshal(data, &value)
	return value, err
}

func identifyWidget(w *widget, err error) (uid, version string) {
	if err != nil {
		return err.Error(), ""
	}
	return w.Metadata.UID, w.Metadata.ResourceVersion
}

// list is the collection as the server has it now.
func list(t *testing.T, ctx context.Context, witness *cluster.Client, path string) []json.RawMessage {
	t.Helper()
	r, err := witness.Do(ctx, "GET", path, nil, nil)
	must(t, err)
	var l struct{ Items []json.RawMessage }
	if err := json.Unmarshal(r.Body, &l); err != nil || r.Code != 200 {
		t.Fatalf("%s: %d %v", path, r.Code, err)
	}
	return l.Items
}

func newestVersion(all []*collection) string {
	newest := ""
	for _, c := range all {
		c.mu.Lock()
		for s := range maps.Keys(c.states) {
			if newest == "" || number(s.version) > number(newest) {
				newest = s.version
			}
		}
		c.mu.Unlock()
	}
	return newest
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// view is a follower.
type view[T any] struct {
	name         string
	of           rest.Resource
	informer     *informer.Informer[T]
	identify     func(T) (uid, version string)
	decode       func([]byte) (T, error)
	comparable   func(T) any
	unwritten    func(T) bool // a state that no writer made, but the server itself; nil is none
	history      *history[T]
	subscription *informer.Subscription[T]
}

func (v *view[T]) subscribe() *view[T] {
	v.history = newHistory(v.identify, v.unwritten)
	v.subscription = v.informer.Subscribe(informer.Handler[T]{OnEvent: v.history.see, Name: v.name})
	return v
}

func (v *view[T]) again() follower {
	late := *v
	late.name += ", late"
	return late.subscribe()
}

func (v *view[T]) resource() string { return v.of.Resource }
func (v *view[T]) path() string     { return v.of.Path("", "") }

func (v *view[T]) waitVersion(ctx context.Context, namespace, version string) error {
	return v.informer.WaitVersion(ctx, namespace, version)
}

// compare holds the store to a list: identity, and content as others decode it.
func (v *view[T]) compare(t *testing.T, items []json.RawMessage) {
	t.Helper()
	if got := v.informer.Lister().Len(); got != len(items) {
		t.Errorf("%s: %d objects, the server has %d", v.name, got, len(items))
	}
	for _, item := range items {
		var o struct {
			Metadata struct{ Namespace, Name, UID, ResourceVersion string }
		}
		must(t, json.Unmarshal(item, &o))
		key := informer.Key{Namespace: o.Metadata.Namespace, Name: o.Metadata.Name}
		entry, ok := v.informer.Store().Entry(key)
		if !ok || entry.UID != o.Metadata.UID || entry.ResourceVersion != o.Metadata.ResourceVersion {
			t.Errorf("%s %s: %v %s %s, the server has %+v", v.name, key, ok, entry.UID, entry.ResourceVersion, o.Metadata)
			continue
		}
		want, err := v.decode(item)
		must(t, err)
		if d := cmp.Diff(v.comparable(want), v.comparable(entry.Value)); d != "" {
			t.Errorf("%s %s (- server, + store):\n%s", v.name, key, d)
		}
	}
}

// drain lets the handler see what waits for it, and nothing after.
func (v *view[T]) drain(t *testing.T, ctx context.Context) {
	v.subscription.Close(true)
	select {
	case <-v.subscription.Done():
	case <-ctx.Done():
		t.Fatalf("%s: %d events wait for the handler", v.name, v.subscription.Depth())
	}
	if err := v.subscription.Err(); err != nil {
		t.Errorf("%s: %v", v.name, err)
	}
}

// judge says what was wrong with the handler's history: in itself, against
// the store, and against what the writers were answered.
func (v *view[T]) judge(t *testing.T, c *collection) {
	h := v.history
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, fault := range h.faults[:min(len(h.faults), 10)] {
		t.Errorf("%s: %s", v.name, fault)
	}
	stored := map[string]state{}
	for key := range v.informer.Lister().All() {
		entry, _ := v.informer.Store().Entry(key)
		stored[key.String()] = state{key.String(), entry.UID, entry.ResourceVersion}
	}
	if d := cmp.Diff(stored, h.present, cmp.AllowUnexported(state{})); d != "" {
		t.Errorf("%s (- store, + what the handler saw):\n%.2000s", v.name, d)
	}
	unknown, seen := 0, 0
	for s := range h.shown {
		switch {
		case c.states[s]:
			seen++
		case strings.HasPrefix(s.key, "follow-"):
			unknown++
			t.Logf("%s: %v was shown, and no writer made it", v.name, s)
		}
	}
	if unknown > 0 {
		t.Errorf("%s: %d states that no writer made", v.name, unknown)
	}
	t.Logf("%s: events %v, %d times another object of the same name; %d of %d states were seen, the others superseded", v.name, h.events, h.overtake, seen, len(c.states))
}
