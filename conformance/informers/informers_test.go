// Package informers runs client-go's informers against fakeapi: what they
// accept, and end with, is the measure of the fake.
package informers

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/features"
	featuretesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/consistencydetector"
	"k8s.io/klog/v2"

	"github.com/rawwatch/rawwatch/fakeapi"
)

func TestMain(m *testing.M) {
	// After each watch-list client-go then asks for a list at the very same
	// version, and panics when the two are not equal.
	consistencydetector.SetDataConsistencyDetectionForWatchListEnabledForTest(true)
	klog.LogToStderr(false)
	klog.SetOutput(discard{})
	code := m.Run()
	if err := goleak.Find(goleak.IgnoreTopFunction("k8s.io/klog/v2.(*flushDaemon).run.func1")); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

var widgets = fakeapi.Resource{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true, SelectableFields: []string{".spec.color"}}

// modes are the two ways in which client-go fills a store.
func modes(t *testing.T, run func(t *testing.T, watchList bool)) {
	for _, watchList := range []bool{true, false} {
		t.Run(fmt.Sprintf("watch-list %v", watchList), func(t *testing.T) {
			featuretesting.SetFeatureDuringTest(t, features.WatchListClient, watchList)
			run(t, watchList)
		})
	}
}

func newServer(t *testing.T) (*fakeapi.Server, string) {
	s := fakeapi.New(fakeapi.Options{
		Resources:        []fakeapi.Resource{widgets},
		Tokens:           map[string]fakeapi.User{"token": {Name: "informer"}},
		BookmarkInterval: 200 * time.Millisecond,
	})
	address, err := s.Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, address
}

// world changes one collection at random, always in the same way.
type world struct {
	t        *testing.T
	server   *fakeapi.Server
	resource string
	random   *rand.Rand
	next     int
	present  []string
}

func newWorld(t *testing.T, s *fakeapi.Server, resource string) *world {
	return &world{t: t, server: s, resource: resource, random: rand.New(rand.NewPCG(1, 2))}
}

func (w *world) object(name string) string {
	// Text that JSON and HTML escape, numbers beyond float64, and null.
	return fmt.Sprintf(`{"metadata":{"namespace":"ns-%d","name":%q,"labels":{"app":"a%d","note":"x"},"annotations":{"text":"<&> \u2028 \"q\" %d"}},
"spec":{"nodeName":"n%d","color":"c%d","priority":%d},"status":{"phase":"Running"}}`,
		len(name)%3, name, w.random.IntN(3), w.random.IntN(1e9), w.random.IntN(4), w.random.IntN(4), w.random.Int32())
}

func (w *world) create(n int) {
	for range n {
		name := fmt.Sprintf("%s-%d", strings.Repeat("o", 1+w.next%3), w.next)
		w.next++
		if _, err := w.server.Create(w.resource, w.object(name)); err != nil {
			w.t.Fatal(err)
		}
		w.present = append(w.present, name)
	}
}

func (w *world) change(n int) {
	for range n {
		i := w.random.IntN(len(w.present))
		name := w.present[i]
		var err error
		switch w.random.IntN(4) {
		case 0:
			w.create(1)
		case 1:
			_, err = w.server.Delete(w.resource, fmt.Sprintf("ns-%d", len(name)%3), name)
			w.present = append(w.present[:i], w.present[i+1:]...)
		case 2: // the same name, another object
			if _, err = w.server.Delete(w.resource, fmt.Sprintf("ns-%d", len(name)%3), name); err == nil {
				_, err = w.server.Create(w.resource, w.object(name))
			}
		default:
			_, err = w.server.Update(w.resource, w.object(name))
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) state(selector func(fakeapi.Object) bool) []fakeapi.Object {
	all, _, err := w.server.List(w.resource, "")
	if err != nil {
		w.t.Fatal(err)
	}
	var kept []fakeapi.Object
	for _, o := range all {
		if selector == nil || selector(o) {
			kept = append(kept, o)
		}
	}
	return kept
}

// Every flavor of informer fills its store, follows changes, survives the end
// of its watch of every kind, and has told its handlers a history without a
// hole.
func TestInformersSyncAndFollow(t *testing.T) {
	modes(t, func(t *testing.T, watchList bool) {
		for _, f := range flavors() {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				follow(t, f, watchList)
			})
		}
	})
}

func follow(t *testing.T, f flavor, watchList bool) {
	server, address := newServer(t)
	world := newWorld(t, server, f.resource)
	world.create(1100) // three pages of 500
	informer := start(t, f, address, nil)
	check := func() {
		t.Helper()
		objects := world.state(nil)
		informer.waitFor(t, versionsOf(objects))
		compareObjects(t, f, informer.informer.GetStore(), objects)
	}
	if !cache.WaitForCacheSync(t.Context().Done(), informer.informer.HasSynced) {
		t.Fatal("never synced")
	}
	check()
	initial := requests(server)
	if got := initial["watch-list"] > 0; got != watchList {
		t.Errorf("watch-list used: %v, want %v (%v)", got, watchList, initial)
	}

	// Changes arrive by the open watch.
	world.change(300)
	check()
	if now := requests(server); now["watch-list"] != initial["watch-list"] || now["list"] != initial["list"] {
		t.Errorf("following took more than a watch: first %v, then %v", initial, now)
	}

	// A watch that the server ends is resumed where it was, without a relist.
	server.ForgetRequests()
	server.CloseWatches()
	world.change(100)
	check()
	if now := requests(server); now["watch"] == 0 || now["list"]+now["watch-list"] > 0 {
		t.Errorf("after a clean end: %v, want watches only", now)
	}

	// So is one whose connection breaks in the middle.
	server.ForgetRequests()
	server.CutConnections()
	world.change(100)
	check()
	if now := requests(server); now["watch"] == 0 || now["list"]+now["watch-list"] > 0 {
		t.Errorf("after a cut: %v, want watches only", now)
	}

	// What was compacted away while the informer was not looking is noticed by
	// a relist, deletes included.
	server.ForgetRequests()
	before := informer.deleted()
	server.ExpireWatches()
	world.change(200)
	check()
	now := requests(server)
	switch {
	case watchList && now["watch-list"] == 0:
		t.Errorf("after 410: %v, want a watch-list", now)
	case !watchList && now["list"] == 0:
		t.Errorf("after 410: %v, want lists", now)
	}
	if informer.deleted() == before {
		t.Error("no delete was noticed by the relist")
	}
}

// requests counts the server's log by what the requests are for. The list of
// the consistency check, which follows a watch-list, is counted apart.
func requests(s *fakeapi.Server) map[string]int {
	counts := map[string]int{}
	for _, r := range s.Requests() {
		counts[purpose(r.Query)]++
	}
	return counts
}

func purpose(q url.Values) string {
	switch {
	case q.Get("sendInitialEvents") == "true":
		return "watch-list"
	case q.Get("watch") != "":
		return "watch"
	case q.Get("resourceVersionMatch") == "Exact":
		return "check"
	case q.Get("continue") != "":
		return "page"
	}
	return "list"
}

// A list that is too long for one answer comes in pages, which add up to one
// version of the collection although it changes meanwhile.
func TestInformersPage(t *testing.T) {
	featuretesting.SetFeatureDuringTest(t, features.WatchListClient, false)
	for _, f := range flavors() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			server, address := newServer(t)
			world := newWorld(t, server, f.resource)
			world.create(1200)
			// client-go pages only where the cache cannot serve it: when the first
			// list, which names version 0, is answered 410.
			server.InterceptOnce(func(w http.ResponseWriter, r *http.Request) bool {
				if purpose(r.URL.Query()) != "list" {
					return false
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusGone)
				io.WriteString(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"gone","reason":"Expired","code":410}`)
				return true
			})
			var once sync.Once
			changed := make(chan struct{})
			server.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
				if purpose(r.URL.Query()) != "page" {
					return false
				}
				once.Do(func() {
					world.change(50)
					close(changed)
				})
				return false
			})
			informer := start(t, f, address, nil)
			select {
			case <-changed:
			case <-time.After(20 * time.Second):
				t.Fatal("no second page was asked for")
			}
			objects := world.state(nil)
			informer.waitFor(t, versionsOf(objects))
			compareObjects(t, f, informer.informer.GetStore(), objects)
			if now := requests(server); now["page"] < 2 {
				t.Errorf("%v, want at least two further pages", now)
			}
		})
	}
}

// A selector makes an object that leaves the selection a deleted one, and one
// that enters it an added one, in lists and watches alike.
func TestInformersSelect(t *testing.T) {
	modes(t, func(t *testing.T, _ bool) {
		for _, f := range flavors() {
			t.Run(f.name+" by label", func(t *testing.T) {
				t.Parallel()
				selector := "app in (a0,a1),note"
				parsed, err := labels.Parse(selector)
				if err != nil {
					t.Fatal(err)
				}
				selectSome(t, f, func(o *metav1.ListOptions) { o.LabelSelector = selector }, func(o fakeapi.Object) bool {
					return parsed.Matches(labels.Set(decodeMetadata(t, o.JSON).(*metav1.PartialObjectMetadata).Labels))
				})
			})
			t.Run(f.name+" by field", func(t *testing.T) {
				t.Parallel()
				path, value := "spec.nodeName", "n1"
				if f.gvr == widgetsGVR {
					path, value = "spec.color", "c1"
				}
				selectSome(t, f, func(o *metav1.ListOptions) { o.FieldSelector = path + "=" + value }, func(o fakeapi.Object) bool {
					var object struct{ Spec map[string]any }
					mustDecode(t, o.JSON, &object)
					return object.Spec[strings.TrimPrefix(path, "spec.")] == value
				})
			})
		}
	})
}

func selectSome(t *testing.T, f flavor, tweak tweak, selected func(fakeapi.Object) bool) {
	server, address := newServer(t)
	world := newWorld(t, server, f.resource)
	world.create(100)
	informer := start(t, f, address, tweak)
	for range 3 {
		objects := world.state(selected)
		if len(objects) == 0 || len(objects) == len(world.present) {
			t.Fatalf("%d of %d objects are selected: the test shows nothing", len(objects), len(world.present))
		}
		informer.waitFor(t, versionsOf(objects))
		compareObjects(t, f, informer.informer.GetStore(), objects)
		world.change(100)
	}
}
