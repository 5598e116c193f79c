package informer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/listwatch"
)

func TestSyncsByWatchList(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		k.put("b", "n2")
		i := k.pods(Options{})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		if a, ok := i.Get(podKey("a")); !ok || a.Spec.NodeName != "n1" || i.Store().Len() != 2 {
			k.Errorf("Get = %v, %v of %d objects", a, ok, i.Store().Len())
		}
		if diff := cmp.Diff([]string{"watchlist"}, k.requests()); diff != "" {
			k.Errorf("one request is enough (-want +got):\n%s", diff)
		}
		if v := i.Store().Version(); v != fmt.Sprint(k.Version()) {
			k.Errorf("the store is at %q, the server at %d", v, k.Version())
		}
	})
}

func TestSyncsByListInPages(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		for n := range 10 {
			k.put(fmt.Sprint("p", n), "n1")
		}
		o := listOnly
		o.PageSize, o.ConsistentList = 4, true
		i := k.pods(Options{Reflector: o})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		settle()
		if i.Store().Len() != 10 {
			k.Errorf("%d objects, want those of all pages", i.Store().Len())
		}
		if diff := cmp.Diff([]string{"list", "list", "list", "watch"}, k.requests()); diff != "" {
			k.Errorf("three pages and a watch (-want +got):\n%s", diff)
		}
	})
}

func TestEveryChangeIsDeliveredOnceAndInOrder(t *testing.T) {
	for _, o := range []Options{{}, {Workers: -1}, {Workers: 3}, {BytesInFlight: 1}, {BytesInFlight: -1}, {Queue: 1}} {
		bubble(t, fakeapi.Options{}, func(k *kit) {
			k.put("a", "n1")
			i := k.pods(o)
			var told record
			sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
			stop := run(k, i)
			defer stop()
			k.await(sub.Synced())
			told.want(k, "what is there comes first", "Added a >n1 initial")
			k.put("b", "n2")
			k.put("a", "n3")
			k.put("a", "n4")
			k.remove("b")
			k.put("c", "n5")
			settle()
			told.want(k, "no event is merged, lost, repeated or overtaken",
				"Added b >n2", "Updated a n1>n3", "Updated a n3>n4", "Deleted b n2>", "Added c >n5")
		})
	}
}

func TestEventCarriesIdentityBesideTheObject(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{})
		var last Event[*pod]
		sub := i.Subscribe(Handler[*pod]{OnEvent: func(e Event[*pod]) { last = e }})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		now := time.Now()
		made := k.put("a", "n1")
		settle()
		if last.Key != podKey("a") || last.UID != made.UID || last.ResourceVersion != fmt.Sprint(made.ResourceVersion) || !last.Received.Equal(now) {
			k.Errorf("event = %+v, of %+v", last, made)
		}
		gone := k.remove("a")
		settle()
		if last.Kind != Deleted || last.ResourceVersion != fmt.Sprint(gone.ResourceVersion) || last.Stale || last.New != nil {
			k.Errorf("event = %+v, want the deletion with its version %d", last, gone.ResourceVersion)
		}
	})
}

func TestStoreIsAtLeastAsNewAsTheEvent(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{})
		behind := 0
		sub := i.Subscribe(Handler[*pod]{OnEvent: func(e Event[*pod]) {
			had, ok := i.Store().Entry(e.Key)
			if e.Kind != Deleted && (!ok || older(had.ResourceVersion, e.ResourceVersion)) {
				behind++
			}
		}})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		for n := range 50 {
			k.put(fmt.Sprint("p", n%7), fmt.Sprint(n))
		}
		settle()
		if behind != 0 {
			k.Errorf("%d events came before their state was in the store", behind)
		}
	})
}

func TestAnotherUIDUnderTheSameNameIsADeletionAndAnAddition(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		first := k.put("a", "n1")
		i := k.pods(Options{})
		var told record
		var uids []string
		sub := i.Subscribe(Handler[*pod]{OnEvent: func(e Event[*pod]) { told.pod(e); uids = append(uids, e.UID) }})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		told.take()
		k.ExpireWatches() // before the next line nobody can ask again
		k.remove("a")
		second := k.put("a", "n2")
		time.Sleep(time.Minute)
		settle()
		told.want(k, "the life that ended during the relist is one of its own", "Deleted a n1> stale", "Added a >n2")
		if diff := cmp.Diff([]string{first.UID, first.UID, second.UID}, uids); diff != "" {
			k.Errorf("UIDs (-want +got):\n%s", diff)
		}
	})
}

func TestDeletionOfAnObjectNeverSeenIsNothing(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.RewriteEvents(func(_ *httpRequest, e fakeapi.Event) []fakeapi.Event {
			if e.Type == "ADDED" {
				return nil
			}
			return []fakeapi.Event{e}
		})
		i := k.pods(Options{})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		k.put("a", "n1")
		gone := k.remove("a")
		settle()
		told.want(k, "who never saw it cannot lose it")
		if v := i.Store().Version(); v != fmt.Sprint(gone.ResourceVersion) {
			k.Errorf("the store is at %q, want the deletion's %d", v, gone.ResourceVersion)
		}
	})
}

func TestRunsOnce(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{})
		stop := run(k, i)
		synced(k, i)
		if err := i.Run(k.Context()); !errors.Is(err, errRunning) {
			k.Errorf("a second Run = %v", err)
		}
		stop()
		if err := i.Run(k.Context()); !errors.Is(err, errRunning) {
			k.Errorf("Run after the end = %v", err)
		}
	})
}

func TestRunReturnsTheCauseOfItsContext(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(k.Context())
		time.AfterFunc(time.Minute, func() { cancel(why) })
		if err := k.pods(Options{}).Run(ctx); err != why {
			k.Errorf("Run = %v", err)
		}
	})
}

func TestCancelEndsRunAtOnceInEveryState(t *testing.T) {
	states := map[string]struct {
		options   fakeapi.Options
		reflector listwatch.Options
		prepare   func(k *kit)
	}{
		"watching":                {},
		"waiting for marker":      {options: fakeapi.Options{WatchList: fakeapi.WatchListSilent}},
		"backing off":             {prepare: func(k *kit) { k.failAll(500, "InternalError") }},
		"throttled":               {prepare: func(k *kit) { k.failAll(429, "TooManyRequests") }},
		"waiting for a head":      {prepare: func(k *kit) { k.Intercept(hang) }},
		"waiting for a list":      {reflector: listOnly, prepare: func(k *kit) { k.Intercept(hang) }},
		"nobody listens":          {prepare: func(k *kit) { k.Close() }},
		"reading an endless list": {reflector: listOnly, prepare: func(k *kit) { k.Intercept(endless) }},
	}
	for name, state := range states {
		t.Run(name, func(t *testing.T) {
			bubble(t, state.options, func(k *kit) {
				k.put("a", "n1")
				if state.prepare != nil {
					state.prepare(k)
				}
				i := k.pods(Options{Reflector: state.reflector})
				i.Subscribe(Handler[*pod]{OnEvent: func(Event[*pod]) {}})
				stop := run(k, i)
				time.Sleep(10 * time.Second)
				asked := time.Now()
				stop()
				if took := time.Since(asked); took != 0 {
					k.Errorf("Run returned %s after its context had ended", took)
				}
			})
		})
	}
}

func TestSeveralHandlersOfDifferentSpeedSeeTheSame(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n0")
		i := k.pods(Options{})
		var fast, slow record
		i.Subscribe(Handler[*pod]{OnEvent: fast.pod})
		i.Subscribe(Handler[*pod]{OnEvent: func(e Event[*pod]) { time.Sleep(time.Minute); slow.pod(e) }})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		for n := range 20 {
			k.put("a", fmt.Sprint("n", n+1))
		}
		settle()
		quick := fast.take()
		if len(quick) != 21 {
			k.Errorf("the fast handler waited for the slow one: %d events", len(quick))
		}
		time.Sleep(time.Hour)
		if diff := cmp.Diff(quick, slow.take()); diff != "" {
			k.Errorf("the slow handler saw something else (-fast +slow):\n%s", diff)
		}
	})
}

func TestLateSubscriberGetsThePresentStateFirst(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		k.put("b", "n1")
		i := k.pods(Options{})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		k.put("b", "n2")
		settle()
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		k.await(sub.Synced())
		got := told.take()
		slices.Sort(got)
		if diff := cmp.Diff([]string{"Added a >n1 initial", "Added b >n2 initial"}, got); diff != "" {
			k.Errorf("the state as of subscribing (-want +got):\n%s", diff)
		}
		k.remove("a")
		settle()
		told.want(k, "then what happens", "Deleted a n1>")
	})
}
