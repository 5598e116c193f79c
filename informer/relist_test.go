package informer

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

func TestCutConnectionResumesWithoutARelist(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := k.pods(Options{})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		told.take()
		for n := range 5 {
			k.CutConnections()
			k.put("a", fmt.Sprint("m", n))
			time.Sleep(time.Minute)
		}
		told.want(k, "nothing is lost or repeated", "Updated a n1>m0", "Updated a m0>m1", "Updated a m1>m2", "Updated a m2>m3", "Updated a m3>m4")
		if s := i.Status().Sources[0]; s.Replaces != 1 || s.Reflector.Resumes < 5 {
			k.Errorf("%d complete states, %d resumes", s.Replaces, s.Reflector.Resumes)
		}
	})
}

func TestRelistDeliversDifferencesOnly(t *testing.T) {
	for name, o := range map[string]listwatch.Options{"watch-list": {}, "list": listOnly} {
		t.Run(name, func(t *testing.T) {
			bubble(t, fakeapi.Options{}, func(k *kit) {
				for _, name := range []string{"same", "changed", "gone"} {
					k.put(name, "n1")
				}
				codec := &counting[*pod]{Codec: watchdecoder.JSON[pod]()}
				i := New(k.client, rest.Pods, codec, Options{Reflector: o})
				var told record
				sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
				stop := run(k, i)
				defer stop()
				k.await(sub.Synced())
				told.take()
				codec.take()
				k.ExpireWatches()
				k.put("changed", "n2")
				k.put("new", "n1")
				k.remove("gone")
				time.Sleep(time.Minute)
				got := told.take()
				slices.Sort(got[1:])
				if diff := cmp.Diff([]string{"Deleted gone n1> stale", "Added new >n1", "Updated changed n1>n2"}, got); diff != "" {
					k.Errorf("removals first, nothing for what is the same, nothing Initial (-want +got):\n%s", diff)
				}
				if n := codec.take(); n != 2 {
					k.Errorf("%d objects were decoded, want the two that are not the same", n)
				}
				if s := i.Status().Sources[0]; s.Replaces != 2 || s.Unchanged == 0 || s.Reflector.Relists[listwatch.ReasonExpired] != 1 {
					k.Errorf("Status = %+v", s)
				}
			})
		})
	}
}

func TestRedeliverUnchangedDeliversEverythingOnARelist(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := k.pods(Options{RedeliverUnchanged: true})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		told.take()
		k.ExpireWatches()
		time.Sleep(time.Minute)
		told.want(k, "who asks for it gets it", "Updated a n1>n1")
	})
}

func TestRestoredServerIsANewEpoch(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("kept", "n1")
		backup := k.Snapshot()
		for range 5 {
			k.put("a", "n0")
			k.put("a", "n1")
		}
		i := k.pods(Options{})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		told.take()
		k.restore(backup)
		k.put("b", "n2")
		time.Sleep(10 * time.Minute)
		got := told.take()
		slices.Sort(got)
		// Versions of another epoch prove nothing, so what looks unchanged is told, too.
		if diff := cmp.Diff([]string{"Added b >n2", "Deleted a n1> stale", "Updated kept n1>n1"}, got); diff != "" {
			k.Errorf("(-want +got):\n%s", diff)
		}
		if s := i.Status().Sources[0].Reflector; s.Epoch != 1 {
			k.Errorf("epoch %d", s.Epoch)
		}
	})
}

func TestFrameSentAgainIsDroppedWhetherSeenInTheStoreOrNot(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.RewriteEvents(func(_ *httpRequest, e fakeapi.Event) []fakeapi.Event {
			if e.Type == "BOOKMARK" {
				return []fakeapi.Event{e}
			}
			return []fakeapi.Event{e, e, e}
		})
		i := k.pods(Options{})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		k.put("a", "n1")
		k.put("a", "n2")
		settle()
		k.put("a", "n3")
		settle()
		k.remove("a")
		settle()
		told.want(k, "each state once", "Added a >n1", "Updated a n1>n2", "Updated a n2>n3", "Deleted a n3>")
	})
}

func TestFrameOfLongAgoIsNeitherDecodedNorDelivered(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		last := map[string]fakeapi.Event{}
		k.RewriteEvents(func(_ *httpRequest, e fakeapi.Event) []fakeapi.Event {
			if e.Type == "BOOKMARK" {
				return []fakeapi.Event{e}
			}
			had := last["a"]
			last["a"] = e
			if had.Type == "" {
				return []fakeapi.Event{e}
			}
			return []fakeapi.Event{had, e}
		})
		codec := &counting[*pod]{Codec: watchdecoder.JSON[pod]()}
		i := New(k.client, rest.Pods, codec, Options{})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		for n := range 4 {
			k.put("a", fmt.Sprint("n", n))
			settle()
		}
		told.want(k, "each state once", "Added a >n0", "Updated a n0>n1", "Updated a n1>n2", "Updated a n2>n3")
		if n := codec.take(); n != 4 || i.Status().Sources[0].Unchanged != 3 {
			k.Errorf("%d decodes, %d unchanged", n, i.Status().Sources[0].Unchanged)
		}
	})
}

func TestChangesDuringTheWatchListBelongToIt(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		for _, name := range []string{"a", "b", "c"} {
			k.put(name, "n1")
		}
		k.RewriteEvents(func(_ *httpRequest, e fakeapi.Event) []fakeapi.Event {
			if !e.Marker {
				return []fakeapi.Event{e}
			}
			changed := func(kind, name string) fakeapi.Event {
				return fakeapi.Event{Type: kind, Object: []byte(fmt.Sprintf(
					`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"default","uid":"u","resourceVersion":"%d"},"spec":{"nodeName":"n2"}}`, name, k.Version()))}
			}
			return []fakeapi.Event{changed("DELETED", "a"), changed("MODIFIED", "b"), changed("DELETED", "c"), changed("ADDED", "c"), e}
		})
		i := k.pods(Options{})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		got := told.take()
		slices.Sort(got)
		if diff := cmp.Diff([]string{"Added b >n2 initial", "Added c >n2 initial"}, got); diff != "" {
			k.Errorf("the state as of the marker (-want +got):\n%s", diff)
		}
	})
}

func TestListThatBrokeOffIsForgotten(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := k.pods(Options{Reflector: listOnly})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		broken := 0
		k.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if broken++; broken > 3 {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"ghost","namespace":"default","uid":"u","resourceVersion":"3"}},`)
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		told.want(k, "no item of a list without an end is ever seen", "Added a >n1 initial")
	})
}

func TestBadItemOfARelistStaysAsItWas(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("bad", "n1")
		k.put("good", "n1")
		i := k.pods(Options{Reflector: listOnly})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		told.take()
		spoiled := k.Use(spoiling("bad"))
		k.ExpireWatches()
		k.put("bad", "n2")
		k.put("good", "n2")
		time.Sleep(time.Minute)
		told.want(k, "the bad one is not gone", "Updated good n1>n2")
		if s := i.Status(); i.Store().Len() != 2 || len(s.Stale) != 1 {
			k.Errorf("Status = %+v", s)
		}
		spoiled()
		k.ExpireWatches()
		time.Sleep(time.Minute)
		told.want(k, "the next list cures it", "Updated bad n1>n2")
		if s := i.Status(); len(s.Stale) != 0 {
			k.Errorf("Status = %+v", s)
		}
	})
}

func TestRelistForgetsProblemsOfWhatIsGone(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		spoiled := k.Use(spoiling("bad"))
		k.put("bad", "n1")
		i := k.pods(Options{Reflector: listOnly})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		if s := i.Status(); len(s.Stale) != 1 {
			k.Errorf("Status = %+v", s)
		}
		k.ExpireWatches()
		k.remove("bad")
		k.Compact()
		time.Sleep(time.Minute)
		if s := i.Status(); len(s.Stale) != 0 {
			k.Errorf("Status = %+v", s)
		}
		spoiled()
	})
}

// spoiling makes an object of a list, and of a GET, one of another type.
func spoiling(name string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("watch") == "" {
				w = &spoiler{w, fmt.Sprintf(`"name":%q`, name)}
			}
			next.ServeHTTP(w, r)
		})
	}
}

type spoiler struct {
	http.ResponseWriter
	mark string
}

func (s *spoiler) WriteHeader(code int) {
	s.Header().Del("Content-Length")
	s.ResponseWriter.WriteHeader(code)
}

func (s *spoiler) Write(p []byte) (int, error) {
	before, after, found := strings.Cut(string(p), s.mark)
	if !found {
		return s.ResponseWriter.Write(p)
	}
	s.Header().Del("Content-Length")
	_, err := io.WriteString(s.ResponseWriter, before+s.mark+`,"labels":7`+strings.Replace(after, `"labels"`, `"was"`, 1))
	return len(p), err
}

func (s *spoiler) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func TestRelistOfManyUnchangedObjectsCostsNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 objects")
	}
	const objects = 100_000
	bubble(t, fakeapi.Options{BookmarkInterval: -1}, func(k *kit) {
		var live int64 // at the end of the last list, when everything but its commit has been done
		k.Intercept(manyPods(objects, func() { settle(); live = liveHeap() }))
		codec := &counting[watchdecoder.Raw]{Codec: watchdecoder.RawObject()}
		i := New(k.client, rest.Pods, codec, Options{Reflector: listOnly})
		calls := 0
		i.Subscribe(Handler[watchdecoder.Raw]{OnBatch: func(e []Event[watchdecoder.Raw]) { calls += len(e) }})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		settle()
		if codec.take() != objects || calls != objects {
			k.Fatalf("%d calls", calls)
		}
		before := liveHeap()
		calls = 0
		k.CutConnections() // the interceptor answers the resume with 410
		time.Sleep(time.Minute)
		settle()
		if s := i.Status().Sources[0]; s.Replaces < 2 || s.Unchanged != (s.Replaces-1)*objects {
			k.Errorf("%d states, %d unchanged", s.Replaces, s.Unchanged)
		}
		if n := codec.take(); n != 0 || calls != 0 {
			k.Errorf("%d decodes, %d calls of the handler", n, calls)
		}
		for when, now := range map[string]int64{"during": live, "after": liveHeap()} {
			if grown := now - before; grown > 32<<20 {
				k.Errorf("%s the relist the heap has %d MiB more", when, grown>>20)
			}
		}
	})
}

// liveHeap is what a collection leaves.
func liveHeap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// manyPods answers lists with n pods, always the same, and every second watch with 410. written is called before a list ends.
func manyPods(n int, written func()) func(http.ResponseWriter, *http.Request) bool {
	watches := 0
	return func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") != "" {
			if watches++; watches%2 == 0 {
				fakeapi.WriteStatus(w, &fakeapi.StatusError{Code: 410, Reason: "Expired"})
				return true
			}
			w.WriteHeader(200)
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return true
		}
		io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1000000"},"items":[`)
		for i := range n {
			if i > 0 {
				io.WriteString(w, ",")
			}
			fmt.Fprintf(w, `{"metadata":{"name":"pod-%d","namespace":"default","uid":"uid-%d","resourceVersion":"%d"},"spec":{"nodeName":"n%d"}}`, i, i, i+1, i%100)
		}
		http.NewResponseController(w).Flush()
		written()
		io.WriteString(w, "]}")
		return true
	}
}

func TestNoGoroutineIsLeftWhenRunReturns(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		for range 20 {
			i := k.pods(Options{})
			i.Subscribe(Handler[*pod]{OnEvent: func(Event[*pod]) { time.Sleep(time.Minute) }})
			ctx, cancel := context.WithTimeout(k.Context(), time.Second)
			i.Run(ctx)
			cancel()
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			for _, of := range []string{"informer.(*source", "informer.(*pool", "informer.(*Subscription", "informer.(*Informer", "listwatch."} {
				if strings.Contains(string(stacks), of) {
					k.Fatalf("a goroutine in %s is left:\n%s", of, stacks)
				}
			}
		}
	})
}
