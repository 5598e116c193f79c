package fakeapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDirectStateTakesWhatPeopleHave(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		type meta struct {
			Name string `json:"name"`
		}
		type podLike struct {
			Metadata meta `json:"metadata"`
		}
		text := k.must(k.Create("pods", `{"metadata":{"name":"text"}}`))
		k.must(k.Create("pods", []byte(`{"metadata":{"name":"bytes"}}`)))
		k.must(k.Create("pods", json.RawMessage(`{"metadata":{"name":"raw"}}`)))
		k.must(k.Create("pods", podLike{meta{"struct"}}))
		k.must(k.Create("pods", map[string]any{"metadata": map[string]any{"name": "map"}}))
		k.must(k.Create("nodes", `{"metadata":{"name":"n","namespace":""}}`))
		k.must(k.Create("deployments.v1.apps", `{"metadata":{"name":"d"}}`))
		k.must(k.Update("pods", text))
		objects, at, err := k.List("pods", "default")
		if err != nil || at != 8 || len(objects) != 5 || objects[0].Name != "bytes" || objects[0].Namespace != "default" || objects[0].ResourceVersion != 3 || objects[0].UID == "" {
			t.Errorf("%+v at %d, %v", objects, at, err)
		}
		if got := k.must(k.Get("nodes", "ignored", "n")); got.Namespace != "" || got.Name != "n" {
			t.Errorf("a node: %+v", got)
		}
		if got := k.must(k.Get("pods", "", "text")); got.Namespace != "default" || string(got.JSON) != string(text.JSON) {
			t.Errorf("the default namespace: %+v", got)
		}
	})
}

func TestDirectWritesKeepWhatTheyAreGiven(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		o := k.must(k.Apply("pods", `{"metadata":{"name":"a","uid":"mine","creationTimestamp":"1999-12-31T00:00:00Z","deletionTimestamp":"1999-12-31T01:00:00Z"}}`))
		if want := `"uid":"mine","resourceVersion":"2","generation":1,"creationTimestamp":"1999-12-31T00:00:00Z","deletionTimestamp":"1999-12-31T01:00:00Z"`; !strings.Contains(string(o.JSON), want) {
			t.Errorf("created %s", o.JSON)
		}
		o = k.must(k.Apply("pods", `{"metadata":{"name":"a","uid":"other","resourceVersion":"77","labels":{"x":"1"}}}`))
		if want := `"uid":"mine","resourceVersion":"3","generation":1,"creationTimestamp":"1999-12-31T00:00:00Z","deletionTimestamp":"1999-12-31T01:00:00Z","labels":{"x":"1"}`; !strings.Contains(string(o.JSON), want) {
			t.Errorf("updated %s", o.JSON)
		}
	})
}

func TestDirectErrors(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("pods", `{"metadata":{"name":"a"}}`))
		fails := func(why string, err error, code int, message string) {
			t.Helper()
			var s *StatusError
			if !errors.As(err, &s) || s.Code != code || !strings.Contains(s.Error(), message) {
				t.Errorf("%s: %v", why, err)
			}
		}
		_, err := k.Create("pods", `{"metadata":{"name":"a"}}`)
		fails("taken", err, 409, "already exists")
		_, err = k.Create("pod", `{}`)
		fails("no such resource", err, 400, `resource "pod" is not registered`)
		_, err = k.Create("deployments", `{}`)
		fails("a group is missing", err, 400, `did you mean "deployments.apps"?`)
		_, err = k.Create("pods", make(chan int))
		fails("no object at all", err, 400, "unsupported type")
		_, err = k.Create("pods", `{"metadata":1}`)
		fails("no metadata", err, 400, "cannot be handled as a Pod")
		_, err = k.Update("pods", `{"metadata":{"name":"b"}}`)
		fails("nothing to update", err, 404, `pods "b" not found`)
		_, err = k.Delete("pods", "", "b")
		fails("nothing to delete", err, 404, `pods "b" not found`)
		_, err = k.Get("pods", "", "b")
		fails("nothing to get", err, 404, `pods "b" not found`)
		_, err = k.Get("no", "", "b")
		fails("get", err, 400, "not registered")
		_, err = k.Delete("no", "", "b")
		fails("delete", err, 400, "not registered")
		_, _, err = k.List("no", "")
		fails("list", err, 400, "not registered")
	})
}

func TestASeedRepeatsTheRandomParts(t *testing.T) {
	run := func(seed uint64) (all []string) {
		bubble(t, Options{Seed: seed}, func(k *kit) {
			for range 3 {
				all = append(all, string(k.must(k.Create("pods", `{"metadata":{"generateName":"p-"}}`)).JSON))
				all = append(all, k.get("/version").header.Get("Audit-Id"))
			}
			all = append(all, fmt.Sprint(took(func() { k.get("/api/v1/nodes?watch=1") })))
		})
		return all
	}
	if diff := cmp.Diff(run(1), run(1)); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(run(1), run(2)) {
		t.Error("two seeds are one")
	}
}

// A model of what etcd keeps, version by version, is the oracle for lists at
// any version and for watches from any version, under compaction.
func TestHistoryAgainstAModel(t *testing.T) {
	for seed := range uint64(30) {
		bubble(t, Options{History: 40}, func(k *kit) {
			r := rand.New(rand.NewPCG(seed, 0))
			states := map[uint64]map[string]uint64{1: {}} // version: name: version
			events := map[uint64]string{}
			now := map[string]uint64{}
			floor := uint64(1)
			var changes []uint64
			for range 200 {
				name := fmt.Sprintf("p%02d", r.IntN(12))
				_, exists := now[name]
				at := k.Version() + 1
				switch {
				case r.IntN(12) == 0:
					k.CompactTo(k.Version() - min(uint64(r.IntN(10)), k.Version()-floor))
				case !exists:
					k.must(k.Create("pods", pod(name, "")))
					now[name], events[at] = at, fmt.Sprintf("ADDED %s %d", name, at)
				case r.IntN(3) == 0:
					k.must(k.Delete("pods", "default", name))
					delete(now, name)
					events[at] = fmt.Sprintf("DELETED %s %d", name, at)
				default:
					k.must(k.Update("pods", pod(name, fmt.Sprintf(`"v":"%d"`, at))))
					now[name], events[at] = at, fmt.Sprintf("MODIFIED %s %d", name, at)
				}
				if k.Version() == at {
					states[at] = map[string]uint64{}
					for n, v := range now {
						states[at][n] = v
					}
					changes = append(changes, at)
				}
				c := k.byName["pods"]
				if len(changes) > 40 {
					floor = max(floor, changes[len(changes)-41])
				}
				floor = max(floor, c.floor)
				if c.floor != floor {
					t.Fatalf("seed %d: floor %d, want %d", seed, c.floor, floor)
				}
				v := floor + uint64(r.IntN(int(k.Version()-floor)+1))
				l := k.list("/api/v1/pods?resourceVersionMatch=Exact&resourceVersion=" + version(v))
				got := map[string]uint64{}
				for _, i := range l.Items {
					var n uint64
					fmt.Sscan(i.Metadata.ResourceVersion, &n)
					got[i.Metadata.Name] = n
				}
				if diff := cmp.Diff(states[v], got); diff != "" {
					t.Fatalf("seed %d: at %d (floor %d, now %d):\n%s", seed, v, floor, k.Version(), diff)
				}
			}
			from := floor + uint64(r.IntN(int(k.Version()-floor)+1))
			w := k.watch("/api/v1/pods?watch=1&resourceVersion=" + version(from))
			for v := from + 1; v <= k.Version(); v++ {
				w.want(fmt.Sprintf("seed %d from %d", seed, from), events[v])
			}
		})
	}
}

// Keys that came and went do not stay.
func TestForgottenKeysAreSwept(t *testing.T) {
	bubble(t, Options{History: 10}, func(k *kit) {
		k.must(k.Create("pods", pod("stays", "")))
		for round := range 3 {
			for i := range 500 {
				name := fmt.Sprintf("p%d", i)
				k.must(k.Create("pods", pod(name, "")))
				k.must(k.Delete("pods", "default", name))
			}
			if c := k.byName["pods"]; len(c.keys) > 200 || len(c.revisions) != len(c.keys) {
				t.Errorf("round %d: %d keys, %d with revisions, %d dead", round, len(c.keys), len(c.revisions), c.dead)
			}
		}
		k.must(k.Create("pods", pod("p1", "")))
		if got := k.list("/api/v1/pods").names(); got != "p1 stays" {
			t.Errorf("left are %q", got)
		}
	})
}

// Writers and watchers on all cores: every watch gets every change of its
// resource once and in order.
func TestConcurrentWritersAndWatchers(t *testing.T) {
	s := New(Options{WatchBuffer: -1})
	defer s.Close()
	k := &kit{t, s, s.HTTPClient()}
	const writers, writes, watchers = 4, 100, 4
	var all sync.WaitGroup
	for n := range watchers {
		w := k.watch("/api/v1/pods?watch=1&resourceVersion=1&allowWatchBookmarks=1")
		all.Go(func() {
			last := uint64(1)
			for got := 0; got < writers*writes*3; {
				var f struct {
					Type   string
					Object struct {
						Metadata struct{ ResourceVersion string }
					}
				}
				if err := w.d.Decode(&f); err != nil {
					t.Errorf("watcher %d: %v after %d", n, err, got)
					return
				}
				var v uint64
				fmt.Sscan(f.Object.Metadata.ResourceVersion, &v)
				want := last + 1
				if f.Type == "BOOKMARK" {
					want = last // it claims no more than what was sent before
				} else {
					got++
				}
				if v != want {
					t.Errorf("watcher %d: %s %d follows %d", n, f.Type, v, last)
				}
				last = v
			}
		})
	}
	for n := range writers {
		all.Go(func() {
			for i := range writes {
				name := fmt.Sprintf("w%d-%d", n, i)
				_, err := s.Create("pods", pod(name, ""))
				_, err2 := s.Update("pods", pod(name, `"x":"1"`))
				_, err3 := s.Delete("pods", "default", name)
				if err := errors.Join(err, err2, err3); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range writes / 4 {
				k.list("/api/v1/pods?limit=3")
				s.Watches()
				s.Requests()
				s.Bookmark()
			}
		})
	}
	all.Wait()
}
