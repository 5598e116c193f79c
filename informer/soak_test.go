package informer

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/listwatch"
)

// TestFaultsLeaveNothingButTheTruth breaks whatever can break while pods change at random. In the end the store is what
// the server has, and every handler has seen a legal history that ends there.
func TestFaultsLeaveNothingButTheTruth(t *testing.T) {
	for seed := range uint64(40) {
		bubble(t, fakeapi.Options{Seed: seed, WatchList: fakeapi.WatchListMode(seed % 2)}, func(k *kit) {
			r := rand.New(rand.NewPCG(seed, 3))
			i := k.pods(Options{Reflector: listwatch.Options{PageSize: 3, Rand: rand.New(rand.NewPCG(seed, 4)).Float64}})
			stop := run(k, i)
			defer stop()
			var followers []*follower
			for n := range 6 {
				followers = append(followers, follow(k, i, n))
			}
			backup := k.Snapshot()
			for range 300 {
				name := fmt.Sprintf("%s/p%d", []string{"red", "blue"}[r.IntN(2)], r.IntN(8))
				switch r.IntN(30) {
				case 0:
					k.CutConnections()
				case 1:
					k.ExpireWatches()
				case 2:
					k.CloseWatches()
					settle()
				case 3:
					k.Bookmark()
					settle()
				case 4:
					backup = k.Snapshot()
				case 5:
					if r.IntN(4) == 0 {
						time.Sleep(10 * time.Minute) // the server is known to be at its version
						k.restore(backup)
						time.Sleep(10 * time.Minute)
					}
				case 6:
					followers = append(followers, follow(k, i, r.IntN(6)))
				case 7, 8, 9, 10, 11, 12:
					namespace, name := split(name)
					k.Delete("pods", namespace, name)
				default:
					k.put(name, fmt.Sprint("n", r.IntN(100)))
				}
				if r.IntN(3) == 0 {
					time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond)
				}
			}
			time.Sleep(20 * time.Minute)
			present, want := map[Key]string{}, map[Key]string{}
			for key, p := range i.Lister().All() {
				present[key] = p.Spec.NodeName
			}
			all, _, _ := k.List("pods", "")
			for _, o := range all {
				_, node, _ := strings.Cut(string(o.JSON), `"nodeName":"`)
				want[Key{Namespace: o.Namespace, Name: o.Name}], _, _ = strings.Cut(node, `"`)
			}
			if diff := cmp.Diff(want, present); diff != "" {
				k.Errorf("seed %d: the store is not what the server has (-server +store):\n%s", seed, diff)
			}
			for _, f := range followers {
				expected := maps.Clone(want)
				maps.DeleteFunc(expected, func(_ Key, node string) bool { return f.match != nil && !f.match(node) })
				if diff := cmp.Diff(expected, f.nodes()); diff != "" {
					k.Errorf("seed %d: handler %q ends elsewhere (-want +got):\n%s", seed, f.name, diff)
				}
				if !isClosed(f.sub.Synced()) {
					k.Errorf("seed %d: handler %q never synced", seed, f.name)
				}
			}
			if t.Failed() {
				k.FailNow()
			}
		})
	}
}

// follower is a handler that checks its own history.
type follower struct {
	name  string
	match func(node string) bool
	state map[Key]Event[*pod]
	sub   *Subscription[*pod]
}

func follow(k *kit, i *Informer[*pod], style int) *follower {
	f := &follower{state: map[Key]Event[*pod]{}}
	h := Handler[*pod]{OnEvent: func(e Event[*pod]) { f.see(k, e) }}
	switch style {
	case 1:
		f.name, h.Limit = "slow", 3
		h.OnEvent = func(e Event[*pod]) { time.Sleep(time.Second); f.see(k, e) }
	case 2:
		f.name, h.Limit, h.Policy = "dropping", 3, DropAndResync
		h.OnEvent = func(e Event[*pod]) { time.Sleep(time.Second); f.see(k, e) }
	case 3:
		f.name, f.match = "narrow", func(node string) bool { return strings.HasSuffix(node, "7") || strings.HasSuffix(node, "1") }
		h.Match = func(_ Key, p *pod) bool { return f.match(p.Spec.NodeName) }
	case 4:
		f.name, h.Limit, f.match = "narrow and slow", 2, func(node string) bool { return len(node) == 3 }
		h.Match = func(_ Key, p *pod) bool { return f.match(p.Spec.NodeName) }
		h.OnEvent = func(e Event[*pod]) { time.Sleep(time.Second); f.see(k, e) }
	case 5:
		f.name, h.Resync = "resynced", 7*time.Second
		h.OnEvent, h.OnBatch = nil, func(events []Event[*pod]) {
			for _, e := range events {
				f.see(k, e)
			}
		}
	}
	h.Name = f.name
	f.sub = i.Subscribe(h)
	return f
}

func (f *follower) see(k *kit, e Event[*pod]) {
	had, there := f.state[e.Key]
	switch {
	case e.Kind == Added && there:
		k.Errorf("%q: %s, but it was there", f.name, describe(e))
	case e.Kind != Added && !there:
		k.Errorf("%q: %s, but it was not there", f.name, describe(e))
	case e.Kind == Updated && (e.Old != had.New || e.UID != had.UID):
		k.Errorf("%q: %s, but the last state seen was %s", f.name, describe(e), describe(had))
	case e.Kind == Resync && e.New != had.New:
		k.Errorf("%q: %s, but the last state seen was %s", f.name, describe(e), describe(had))
	case e.Kind == Deleted && e.UID != had.UID:
		k.Errorf("%q: %s is the end of another life", f.name, describe(e))
	}
	if e.Kind == Deleted {
		delete(f.state, e.Key)
	} else {
		f.state[e.Key] = e
	}
}

func (f *follower) nodes() map[Key]string {
	nodes := map[Key]string{}
	for key, e := range f.state {
		nodes[key] = e.New.Spec.NodeName
	}
	return nodes
}
