package informer

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/status"
)

func sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}

func TestSeveralNamespacesAreOneInformer(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("red/a", "n1")
		k.put("blue/a", "n2")
		k.put("green/a", "n3")
		i := k.pods(Options{Namespaces: []string{"red", "blue", "red"}})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		if diff := cmp.Diff([]string{"Added blue/a >n2 initial", "Added red/a >n1 initial"}, sorted(told.take())); diff != "" {
			k.Errorf("(-want +got):\n%s", diff)
		}
		k.put("red/a", "n4")
		settle()
		k.remove("blue/a")
		settle()
		k.put("green/a", "n5")
		settle()
		told.want(k, "of both, and of no other", "Updated red/a n1>n4", "Deleted blue/a n2>")
		if s := i.Status(); len(s.Sources) != 2 || s.Sources[0].Reflector.Applied == "" || i.Store().SourceVersion("blue") == "" {
			k.Errorf("Status = %+v", s)
		}
		if err := i.WaitVersion(k.Context(), "green", "1"); err == nil || !strings.Contains(err.Error(), "green") {
			k.Errorf("WaitVersion of a namespace that is not followed: %v", err)
		}
	})
}

func TestForbiddenNamespaceIsNamed(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(r.URL.Path, "/blue/") {
				return false
			}
			fakeapi.WriteStatus(w, &fakeapi.StatusError{Code: 403, Reason: "Forbidden", Message: "no"})
			return true
		})
		k.put("red/a", "n1")
		i := k.pods(Options{Namespaces: []string{"red", "blue"}})
		stop := run(k, i)
		defer stop()
		ctx, cancel := context.WithTimeout(k.Context(), time.Minute)
		defer cancel()
		err := i.WaitSync(ctx)
		var not *NotSyncedError
		if !errors.As(err, &not) || not.Namespace != "blue" || !status.IsForbidden(err) || !strings.Contains(err.Error(), "pods.v1 in blue") {
			k.Errorf("WaitSync = %v", err)
		}
		if i.Store().Len() != 1 {
			k.Error("the other namespace is not there")
		}
	})
}

func TestNamespacesComeAndGoWhileItRuns(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("red/a", "n1")
		k.put("blue/a", "n2")
		i := k.pods(Options{Namespaces: []string{"red"}})
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		told.take()
		for range 3 {
			if err := i.AddNamespace("blue"); err != nil {
				k.Error(err)
			}
			synced(k, i)
			settle()
			told.want(k, "its state", "Added blue/a >n2 initial")
			late := i.Subscribe(Handler[*pod]{OnEvent: func(Event[*pod]) {}})
			k.await(late.Synced())
			late.Close(false)
			if err := i.RemoveNamespace("blue"); err != nil {
				k.Error(err)
			}
			settle()
			told.want(k, "its end", "Deleted blue/a n2> stale")
		}
		k.put("blue/a", "n3")
		k.put("red/a", "n3")
		settle()
		told.want(k, "it is not followed any more", "Updated red/a n1>n3")
		if err := i.RemoveNamespace("blue"); err == nil {
			k.Error("removed twice")
		}
		if err := i.AddNamespace("red"); err == nil {
			k.Error("added twice")
		}
		if err := i.AddNamespace(""); err == nil {
			k.Error("all namespaces beside a single one")
		}
	})
}

func TestNamespacesMayChangeFromAHandler(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("red/a", "n1")
		k.put("blue/a", "n2")
		i := k.pods(Options{Namespaces: []string{"red"}})
		var told record
		sub := i.Subscribe(Handler[*pod]{Policy: Block, Limit: 1, OnEvent: func(e Event[*pod]) {
			told.pod(e)
			if e.Key.Namespace == "red" && e.Kind == Added {
				if err := errors.Join(i.AddNamespace("blue"), i.RemoveNamespace("red")); err != nil {
					k.Error(err)
				}
			}
		}})
		stop := run(k, i)
		defer stop()
		k.await(sub.Synced())
		settle()
		want := []string{"Added blue/a >n2 initial", "Added red/a >n1 initial", "Deleted red/a n1> stale"}
		if diff := cmp.Diff(want, sorted(told.take())); diff != "" { // of two namespaces, either may come first
			k.Errorf("one leads to the other (-want +got):\n%s", diff)
		}
	})
}

func TestNamespaceThatComesBackStandsBehindItsRemoval(t *testing.T) {
	for limit, want := range map[int][]string{
		0: {"Deleted red/a n1> stale", "Added red/a >n1 initial", "Updated red/a n1>n2", "Deleted red/a n2> stale", "Added red/a >n2 initial", "Updated red/a n2>n3"},
		1: {"Deleted red/a n1> stale", "Added red/a >n2", "Deleted red/a n2> stale", "Added red/a >n3"},
	} {
		bubble(t, fakeapi.Options{}, func(k *kit) {
			k.put("red/a", "n1")
			i := k.pods(Options{Namespaces: []string{"red", "blue"}})
			var told record
			busy, free := make(chan struct{}), make(chan struct{})
			sub := i.Subscribe(Handler[*pod]{Limit: limit, OnEvent: func(e Event[*pod]) {
				if e.Key.Name != "wait" {
					told.pod(e)
					return
				}
				close(busy)
				<-free
			}})
			stop := run(k, i)
			defer stop()
			k.await(sub.Synced())
			k.put("blue/wait", "n")
			k.await(busy)
			told.want(k, "its first life", "Added red/a >n1 initial")
			for _, node := range []string{"n2", "n3"} {
				if err := errors.Join(i.RemoveNamespace("red"), i.AddNamespace("red")); err != nil {
					k.Error(err)
				}
				settle()
				k.put("red/a", node)
				settle()
			}
			close(free)
			settle()
			told.want(k, "each life of the namespace after the one before", want...)
		})
	}
}

func TestNamespaceRemovedBeforeItsFirstState(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		stuck := k.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			return strings.Contains(r.URL.Path, "/blue/") && hang(w, r)
		})
		defer stuck()
		k.put("red/a", "n1")
		i := k.pods(Options{Namespaces: []string{"red", "blue"}})
		sub := i.Subscribe(Handler[*pod]{OnEvent: func(Event[*pod]) {}})
		stop := run(k, i)
		defer stop()
		result := make(chan error)
		go func() { result <- i.WaitSync(k.Context()) }()
		settle()
		if isClosed(sub.Synced()) || isClosed(i.Synced()) {
			k.Error("synced without blue")
		}
		if err := i.RemoveNamespace("blue"); err != nil {
			k.Error(err)
		}
		if err := <-result; err != nil {
			k.Errorf("WaitSync = %v", err)
		}
		k.await(sub.Synced())
	})
}

func TestNamespacesBeforeRunAndAfter(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("blue/a", "n2")
		i := k.pods(Options{Namespaces: []string{"red"}})
		if err := errors.Join(i.AddNamespace("blue"), i.RemoveNamespace("red")); err != nil {
			k.Error(err)
		}
		var told record
		sub := i.Subscribe(Handler[*pod]{OnEvent: told.pod})
		stop := run(k, i)
		k.await(sub.Synced())
		told.want(k, "as if it had begun so", "Added blue/a >n2 initial")
		stop()
		if err := i.AddNamespace("green"); !errors.Is(err, ErrStopped) {
			k.Errorf("AddNamespace after the end = %v", err)
		}
	})
}

func TestAllNamespacesIncludeEachOne(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("red/a", "n1")
		i := k.pods(Options{Namespaces: []string{"red", ""}})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		if len(i.Status().Sources) != 1 || i.Store().Len() != 1 {
			k.Errorf("Status = %+v", i.Status())
		}
		if err := i.AddNamespace("red"); err == nil {
			k.Error("a namespace beside all of them")
		}
	})
}
