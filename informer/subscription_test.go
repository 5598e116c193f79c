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
	"github.com/rawwatch/rawwatch/fifo"
)

func TestHandlerStyles(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := k.pods(Options{})
		var three, some, batches record
		i.Subscribe(Handler[*pod]{OnAdd: three.pod, OnUpdate: three.pod, OnDelete: three.pod})
		i.Subscribe(Handler[*pod]{OnDelete: some.pod})
		i.Subscribe(Handler[*pod]{OnBatch: func(events []Event[*pod]) {
			for _, e := range events {
				batches.pod(e)
			}
			batches.add(fmt.Sprint("batch of ", len(events)))
		}})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		settle()
		k.put("a", "n2")
		settle()
		k.remove("a")
		settle()
		three.want(k, "a function for each kind", "Added a >n1 initial", "Updated a n1>n2", "Deleted a n2>")
		some.want(k, "what has no function is not told", "Deleted a n2>")
		batches.want(k, "what waits together", "Added a >n1 initial", "batch of 1", "Updated a n1>n2", "batch of 1", "Deleted a n2>", "batch of 1")
	})
}

func TestMixedStylesAreRefused(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{})
		one := func(Event[*pod]) { k.Error("called") }
		many := func([]Event[*pod]) { k.Error("called") }
		for _, h := range []Handler[*pod]{
			{OnAdd: one, OnEvent: one}, {OnUpdate: one, OnBatch: many}, {OnEvent: one, OnBatch: many}, {OnDelete: one, OnEvent: one, OnBatch: many},
		} {
			sub := i.Subscribe(h)
			if !errors.Is(sub.Err(), errStyles) || !isClosed(sub.Done()) {
				k.Errorf("Err = %v", sub.Err())
			}
			sub.Close(true)
		}
		stop := run(k, i)
		defer stop()
		k.put("a", "n1")
		synced(k, i)
		settle()
	})
}

func TestMatchTurnsUpdatesAcrossItsBorderIntoAddsAndDeletes(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("in", "here")
		k.put("out", "there")
		i := k.pods(Options{})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod, Match: func(_ Key, p *pod) bool { return p.Spec.NodeName == "here" }})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		told.want(k, "the state, narrowed", "Added in >here initial")
		k.put("out", "elsewhere")
		k.put("out", "here")
		k.put("out", "here", "app=web")
		k.put("out", "there")
		k.remove("out")
		k.remove("in")
		settle()
		told.want(k, "the four transitions, and deletions of what was seen",
			"Added out >here", "Updated out here>here", "Deleted out here>", "Deleted in here>")
	})
}

func TestDeletionIsMatchedByTheStateThatWasSeen(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "here")
		k.RewriteEvents(func(_ *httpRequest, e fakeapi.Event) []fakeapi.Event {
			if e.Type == "DELETED" { // its last state has left the border behind
				e.Object = []byte(replace(string(e.Object), `"here"`, `"there"`))
			}
			return []fakeapi.Event{e}
		})
		i := k.pods(Options{})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod, Match: func(_ Key, p *pod) bool { return p.Spec.NodeName == "here" }})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		told.take()
		k.remove("a")
		settle()
		told.want(k, "who was told of it is told of its end, with its last state", "Deleted a there>")
	})
}

func TestResyncPeriodIsEachHandlersOwn(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := k.pods(Options{Resync: 5 * time.Minute})
		var two, three, byDefault, never record
		i.Subscribe(Handler[*pod]{OnUpdate: two.pod, Resync: 2 * time.Minute})
		i.Subscribe(Handler[*pod]{OnEvent: three.pod, Resync: 3 * time.Minute})
		i.Subscribe(Handler[*pod]{OnUpdate: byDefault.pod})
		i.Subscribe(Handler[*pod]{OnUpdate: never.pod, Resync: -1})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		settle()
		three.take()
		time.Sleep(2 * time.Minute)
		two.want(k, "after two minutes", "Resync a n1>n1")
		three.want(k, "three minutes are not over")
		time.Sleep(time.Minute)
		two.want(k, "four minutes are not over")
		three.want(k, "after three minutes", "Resync a n1>n1")
		time.Sleep(2 * time.Minute)
		byDefault.want(k, "the informer's period", "Resync a n1>n1")
		never.want(k, "negative is off")
	})
}

func TestNoResyncUnlessAskedFor(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := k.pods(Options{})
		var told record
		i.Subscribe(Handler[*pod]{OnUpdate: told.pod})
		stop := run(k, i)
		defer stop()
		time.Sleep(24 * time.Hour)
		told.want(k, "zero is off")
	})
}

func TestResyncWaitsForAHandlerThatIsBehind(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := k.pods(Options{})
		var told record
		i.Subscribe(Handler[*pod]{Resync: time.Minute, OnEvent: func(e Event[*pod]) {
			time.Sleep(90 * time.Second)
			told.pod(e)
		}})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		k.put("a", "n2")
		time.Sleep(5 * time.Minute)
		told.want(k, "what has happened comes before what is the case", "Added a >n1 initial", "Updated a n1>n2", "Resync a n2>n2")
	})
}

func TestSlowHandlerGetsOneChangePerKeyPastItsLimit(t *testing.T) {
	for _, policy := range []struct {
		name  string
		value Handler[*pod]
	}{{"Coalesce", Handler[*pod]{Policy: Coalesce, Limit: 5}}, {"DropAndResync", Handler[*pod]{Policy: DropAndResync, Limit: 5}}} {
		t.Run(policy.name, func(t *testing.T) {
			bubble(t, fakeapi.Options{}, func(k *kit) {
				k.put("a", "n0")
				k.put("b", "n0")
				i := k.pods(Options{})
				var told record
				release := make(chan struct{})
				h := policy.value
				h.OnEvent = func(e Event[*pod]) { <-release; told.pod(e) }
				sub := i.Subscribe(h)
				stop := run(k, i)
				defer stop()
				synced(k, i)
				settle() // the handler stands in its first call
				for n := range 100 {
					k.put("a", fmt.Sprint("n", n+1))
					k.put("passing", "n1")
					k.remove("passing")
				}
				k.remove("b")
				settle()
				if d := sub.Depth(); d > 5 {
					k.Errorf("%d events wait for a handler that is stuck", d)
				}
				if s := i.Status().Subscriptions[0]; s.Slow != 1 || s.Depth != sub.Depth() {
					k.Errorf("Status = %+v", s)
				}
				close(release)
				settle()
				got := told.take()
				slices.Sort(got[:2])
				if diff := cmp.Diff([]string{"Added a >n0 initial", "Added b >n0 initial", "Updated a n0>n100", "Deleted b n0>"}, got); diff != "" {
					k.Errorf("first old, last new, and no deletion is lost (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestBlockingHandlerStopsTheInformerAndStatusSaysSo(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{})
		var told record
		release := make(chan struct{})
		sub := i.Subscribe(Handler[*pod]{Policy: Block, Limit: 3, OnEvent: func(e Event[*pod]) { <-release; told.pod(e) }})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		for n := range 40 {
			k.put("a", fmt.Sprint("n", n))
			settle()
		}
		if d := sub.Depth(); d > 3+batchLimit || !i.Status().Blocked {
			k.Errorf("%d events wait, Blocked = %v", d, i.Status().Blocked)
		}
		if a, _ := i.Get(podKey("a")); a.Spec.NodeName == "n39" {
			k.Error("the store went on")
		}
		close(release)
		settle()
		if got := told.take(); len(got) != 40 || i.Status().Blocked {
			k.Errorf("%d events came, Blocked = %v; want every one", len(got), i.Status().Blocked)
		}
	})
}

func TestCancelEndsABlockedInformer(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{})
		sub := i.Subscribe(Handler[*pod]{Policy: Block, Limit: 1}) // nobody reads it
		stop := run(k, i)
		synced(k, i)
		for n := range 5 {
			k.put("a", fmt.Sprint("n", n))
			settle()
		}
		if !i.Status().Blocked {
			k.Error("not blocked")
		}
		asked := time.Now()
		stop()
		if took := time.Since(asked); took != 0 || !errors.Is(sub.Err(), ErrStopped) {
			k.Errorf("Run took %s to end, Err = %v", took, sub.Err())
		}
	})
}

func TestCloseDropsWhatWaitsAndDrainDeliversIt(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{})
		var dropped, drained record
		release := make(chan struct{})
		drop := i.Subscribe(Handler[*pod]{OnEvent: func(e Event[*pod]) { <-release; dropped.pod(e) }})
		drain := i.Subscribe(Handler[*pod]{OnEvent: func(e Event[*pod]) { <-release; drained.pod(e) }})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		for n := range 3 {
			k.put("a", fmt.Sprint("n", n))
			settle()
		}
		drop.Close(false)
		drain.Close(true)
		k.put("a", "later")
		settle()
		if isClosed(drop.Done()) || isClosed(drain.Done()) {
			k.Error("Done while a call was running")
		}
		close(release)
		k.await(drop.Done())
		k.await(drain.Done())
		dropped.want(k, "the call that was running, nothing more", "Added a >n0")
		drained.want(k, "what was waiting, nothing later", "Added a >n0", "Updated a n0>n1", "Updated a n1>n2")
		if drop.Err() != nil || drain.Err() != nil || len(i.Status().Subscriptions) != 0 {
			k.Errorf("Err = %v, %v, %d left", drop.Err(), drain.Err(), len(i.Status().Subscriptions))
		}
		drop.Close(false) // again is nothing
	})
}

func TestCloseWithoutDrainWinsOverCloseWithDrain(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{})
		var told record
		release := make(chan struct{})
		sub := i.Subscribe(Handler[*pod]{OnEvent: func(e Event[*pod]) { <-release; told.pod(e) }})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		k.put("a", "n0")
		settle()
		k.put("a", "n1")
		settle()
		sub.Close(false)
		sub.Close(true)
		close(release)
		k.await(sub.Done())
		told.want(k, "nothing comes back", "Added a >n0")
	})
}

func TestHandlerMayUseTheInformer(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := k.pods(Options{})
		var outer, inner record
		var sub, late *Subscription[*pod]
		sub = i.Subscribe(Handler[*pod]{OnEvent: func(e Event[*pod]) {
			outer.pod(e)
			if e.Kind == Added {
				late = i.Subscribe(Handler[*pod]{OnEvent: inner.pod})
			}
			if e.Kind == Updated {
				sub.Close(false)
				sub.Close(true)
				i.Status()
				i.Healthy(0)
				i.Lister().List(nil)
			}
		}})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		k.put("a", "n2")
		k.put("a", "n3")
		settle()
		outer.want(k, "it closed itself in the second call", "Added a >n1 initial", "Updated a n1>n2")
		inner.want(k, "it subscribed in the first", "Added a >n1 initial", "Updated a n1>n2", "Updated a n2>n3")
		k.await(sub.Done())
		if !isClosed(late.Synced()) {
			k.Error("the inner subscription is not synced")
		}
	})
}

func TestSubscriptionsComeAndGoUnderLoad(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		for n := range 20 {
			k.put(fmt.Sprint("p", n), "n0")
		}
		i := k.pods(Options{})
		stop := run(k, i)
		defer stop()
		done := make(chan struct{})
		for n := range 50 {
			go func() {
				defer func() { done <- struct{}{} }()
				for round := range 10 {
					sub := i.Subscribe(Handler[*pod]{OnEvent: legal(k)})
					time.Sleep(time.Duration(n*round) * time.Millisecond)
					sub.Close(round%2 == 0)
					k.await(sub.Done())
				}
			}()
		}
		for n := range 400 {
			if name := fmt.Sprint("p", n%23); n%5 == 0 {
				k.Delete("pods", "default", name)
			} else {
				k.put(name, fmt.Sprint("n", n))
			}
			time.Sleep(5 * time.Millisecond)
		}
		for range 50 {
			<-done
		}
		if n := len(i.Status().Subscriptions); n != 0 {
			k.Errorf("%d subscriptions are left", n)
		}
	})
}

// legal returns a handler that complains when the events of a key do not make sense one after the other.
func legal(k *kit) func(Event[*pod]) {
	state := map[Key]Event[*pod]{}
	return func(e Event[*pod]) {
		had, there := state[e.Key]
		switch {
		case (e.Kind == Added) == there:
			k.Errorf("%s, but it was there: %v", describe(e), there)
		case e.Kind == Updated && (e.Old != had.New || e.UID != had.UID):
			k.Errorf("%s, but the last state seen was %s", describe(e), describe(had))
		case e.Kind == Deleted && e.UID != had.UID:
			k.Errorf("%s is the end of another life", describe(e))
		}
		if e.Kind == Deleted {
			delete(state, e.Key)
		} else {
			state[e.Key] = e
		}
	}
}

func TestStoppedInformerTakesNoSubscription(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{})
		early := i.Subscribe(Handler[*pod]{OnEvent: func(Event[*pod]) {}})
		stop := run(k, i)
		synced(k, i)
		stop()
		late := i.Subscribe(Handler[*pod]{OnEvent: func(Event[*pod]) {}})
		for _, sub := range []*Subscription[*pod]{early, late} {
			if !errors.Is(sub.Err(), ErrStopped) || !isClosed(sub.Done()) {
				k.Errorf("Err = %v", sub.Err())
			}
			sub.Close(true)
		}
		if err := i.Healthy(0); !errors.Is(err, ErrStopped) {
			k.Errorf("Healthy = %v", err)
		}
	})
}

func TestSubscriptionsOfAnInformerThatNeverRunsEnd(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{})
		sub := i.Subscribe(Handler[*pod]{OnEvent: func(Event[*pod]) {}})
		sub.Close(true)
		k.await(sub.Done())
		if isClosed(sub.Synced()) {
			k.Error("synced with nothing")
		}
	})
}

func TestEventsMissesNothingBeforeItsFirstIteration(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := k.pods(Options{})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		ctx, cancel := context.WithCancelCause(k.Context())
		events := i.Events(ctx)
		k.put("a", "n2")
		k.remove("a")
		settle()
		why := errors.New("enough")
		time.AfterFunc(time.Minute, func() { cancel(why) })
		var told record
		var last error
		for e, err := range events {
			if err != nil {
				last = err
				told.add("error")
				continue
			}
			told.pod(e)
		}
		told.want(k, "all of it, and the reason last", "Added a >n1 initial", "Updated a n1>n2", "Deleted a n2>", "error")
		if last != why || len(i.Status().Subscriptions) != 0 {
			k.Errorf("error %v, %d subscriptions left", last, len(i.Status().Subscriptions))
		}
	})
}

func TestLeavingTheLoopUnsubscribes(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		k.put("b", "n1")
		i := k.pods(Options{Resync: time.Minute})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		for _, after := range []fifo.EventKind{Added, Resync} {
			for e := range i.Events(k.Context()) {
				if e.Kind == after {
					break
				}
			}
			if n := len(i.Status().Subscriptions); n != 0 {
				k.Errorf("%d subscriptions are left", n)
			}
		}
	})
}

func TestEventsNeverIteratedEndWithTheirContext(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{})
		ctx, cancel := context.WithCancel(k.Context())
		events := i.Events(ctx)
		cancel()
		settle()
		if n := len(i.Status().Subscriptions); n != 0 {
			k.Errorf("%d subscriptions are left", n)
		}
		for _, err := range events {
			if !errors.Is(err, context.Canceled) {
				k.Errorf("error = %v", err)
			}
		}
	})
}

func TestEventsSayThatTheInformerHasEnded(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{})
		stop := run(k, i)
		synced(k, i)
		time.AfterFunc(time.Minute, stop)
		for _, err := range i.Events(k.Context()) {
			if !errors.Is(err, ErrStopped) {
				k.Errorf("error = %v", err)
			}
		}
		for _, err := range i.Events(k.Context()) {
			if !errors.Is(err, ErrStopped) {
				k.Errorf("error of a later loop = %v", err)
			}
		}
	})
}

func TestSubscriptionReadWithALoopIsDrainedAfterClose(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := k.pods(Options{})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		sub := i.Subscribe(Handler[*pod]{})
		k.put("a", "n2")
		settle()
		sub.Close(true)
		var told record
		for e, err := range sub.Events(k.Context()) {
			if err != nil {
				k.Error(err)
			}
			told.pod(e)
		}
		told.want(k, "what was waiting", "Added a >n1 initial", "Updated a n1>n2")
		if !isClosed(sub.Done()) || sub.Err() != nil {
			k.Errorf("Err = %v", sub.Err())
		}
	})
}

func TestEventsOfASubscriptionWithCallbacksIsAnError(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{})
		sub := i.Subscribe(Handler[*pod]{OnEvent: func(Event[*pod]) {}})
		for _, err := range sub.Events(k.Context()) {
			if !errors.Is(err, errCallbacks) {
				k.Errorf("error = %v", err)
			}
		}
		if isClosed(sub.Done()) {
			k.Error("the subscription ended")
		}
	})
}

func TestSeveralSubscriptionsOfOneHandlerAreSeveral(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := k.pods(Options{})
		var told record
		h := Handler[*pod]{OnEvent: told.pod}
		first := i.Subscribe(h)
		i.Subscribe(h)
		stop := run(k, i)
		defer stop()
		synced(k, i)
		settle()
		told.want(k, "twice", "Added a >n1 initial", "Added a >n1 initial")
		first.Close(false)
		k.put("a", "n2")
		settle()
		told.want(k, "once", "Updated a n1>n2")
	})
}
