package informer

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

func TestPanicInAHandlerIsContainedCountedAndLogged(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		var log bytes.Buffer
		i := k.pods(Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		var told, other record
		sub := i.Subscribe(Handler[*pod]{Name: "fragile", OnEvent: func(e Event[*pod]) {
			told.pod(e)
			if e.Kind != Updated {
				panic("secret-of-" + e.Key.Name)
			}
		}})
		i.Subscribe(Handler[*pod]{OnEvent: other.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced()) // a panic on an initial object counts as handled
		k.put("a", "n2")
		k.remove("a")
		settle()
		told.want(k, "each event once", "Added a >n1 initial", "Updated a n1>n2", "Deleted a n2>")
		other.want(k, "nobody else notices", "Added a >n1 initial", "Updated a n1>n2", "Deleted a n2>")
		status := i.Status()
		if status.Panics != 2 || status.Subscriptions[0].Panics != 2 || status.Subscriptions[1].Panics != 0 {
			k.Errorf("Status = %+v", status)
		}
		var panicked *PanicError
		if err := i.Healthy(0); !errors.As(err, &panicked) || panicked.Where != `handler "fragile"` || panicked.Type != "string" {
			k.Errorf("Healthy = %v", err)
		}
		i.Acknowledge()
		if err := i.Healthy(0); err != nil {
			k.Errorf("Healthy after Acknowledge = %v", err)
		}
		if s := log.String(); !strings.Contains(s, "panic_test.go") || strings.Contains(s, "secret-of") {
			k.Errorf("the log has no stack, or what it panicked with: %s", s)
		}
	})
}

func TestPanicNamesARuntimeError(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := k.pods(Options{})
		sub := i.Subscribe(Handler[*pod]{OnBatch: func(events []Event[*pod]) { _ = events[len(events)] }})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		if err := i.Healthy(0); err == nil || !strings.Contains(err.Error(), "index out of range [1] with length 1") {
			k.Errorf("Healthy = %v", err)
		}
	})
}

func TestPanicInMatchHidesTheObject(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		k.put("b", "n1")
		i := k.pods(Options{})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod, Match: func(key Key, _ *pod) bool {
			if key.Name == "a" {
				panic("no")
			}
			return true
		}})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		told.want(k, "the other one", "Added b >n1 initial")
		if i.Status().Panics != 1 {
			k.Errorf("%d panics", i.Status().Panics)
		}
	})
}

func TestRepanicRaisesThePanicAgain(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{Repanic: true})
		sub := i.Subscribe(Handler[*pod]{})
		defer sub.Close(false)
		defer func() {
			if cause := recover(); cause != "again" {
				k.Errorf("recovered %v", cause)
			}
			if i.Status().Panics != 1 {
				k.Error("it was not counted")
			}
		}()
		sub.contain("handler", func() { panic("again") }) // where a goroutine of Run would end the process
	})
}

func TestHandlerThatEndsItsGoroutineEndsItsSubscription(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := k.pods(Options{})
		sub := i.Subscribe(Handler[*pod]{OnEvent: func(Event[*pod]) { goexit() }})
		stop := run(k, i)
		defer stop()
		k.await(sub.Done())
		if n := len(i.Status().Subscriptions); n != 0 || !errors.Is(sub.Err(), ErrStopped) {
			k.Errorf("%d subscriptions, Err = %v", n, sub.Err())
		}
	})
}

func TestPanicInACodecIsAProblemOfThatObject(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("bad", "n1")
		k.put("good", "n1")
		codec := Transform(watchdecoder.JSON[pod](), func(p *pod) (*pod, error) {
			if p.Metadata.Name == "bad" {
				panic("no")
			}
			return p, nil
		})
		i := New(k.client, rest.Pods, codec, Options{})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		if s := i.Status(); i.Store().Len() != 1 || s.Problems["undecodable"] == 0 || len(s.Stale) != 1 || s.Stale[0] != "default/bad" {
			k.Errorf("Status = %+v", s)
		}
	})
}
