package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// whyNot runs an informer for five minutes and returns what WaitSync says.
func whyNot(k *kit, o Options) error {
	i := k.pods(o)
	stop := run(k, i)
	defer stop()
	ctx, cancel := context.WithTimeout(k.Context(), 5*time.Minute)
	defer cancel()
	err := i.WaitSync(ctx)
	if healthy := i.Healthy(0); err != nil && (healthy == nil || !strings.Contains(healthy.Error(), "not synced")) {
		k.Errorf("Healthy = %v", healthy)
	}
	return err
}

func TestWaitSyncSaysWhyNot(t *testing.T) {
	html := func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<html>Log in</html>")
		return true
	}
	garbage := func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{]}`)
		return true
	}
	cases := map[string]struct {
		prepare func(k *kit)
		options Options
		is      func(error) bool
		text    string
	}{
		"403":          {prepare: func(k *kit) { k.failAll(403, "Forbidden") }, is: status.IsForbidden, text: "as the test wants it"},
		"404":          {prepare: func(k *kit) { k.failAll(404, "NotFound") }, is: status.IsNotFound},
		"401":          {prepare: func(k *kit) { k.failAll(401, "Unauthorized") }, is: status.IsUnauthorized},
		"500":          {prepare: func(k *kit) { k.failAll(500, "InternalError") }, is: status.IsInternal},
		"429":          {prepare: func(k *kit) { k.failAll(429, "TooManyRequests") }, is: func(err error) bool { _, ok := status.IsTooManyRequests(err); return ok }},
		"a login page": {prepare: func(k *kit) { k.Intercept(html) }, is: func(err error) bool { return err != nil }, text: "text/html"},
		"a malformed list": {
			prepare: func(k *kit) { k.Intercept(garbage) }, options: Options{Reflector: listOnly},
			is: func(err error) bool { fe := (*watchdecoder.FrameError)(nil); return errors.As(err, &fe) }, text: watchdecoder.RuleSyntax,
		},
		"a list that never ends": {
			prepare: func(k *kit) { k.Intercept(endless) }, options: Options{Reflector: listOnly},
			is: func(err error) bool { return errors.Is(err, context.DeadlineExceeded) },
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, fakeapi.Options{}, func(k *kit) {
				k.put("a", "n1")
				c.prepare(k)
				err := whyNot(k, c.options)
				var not *NotSyncedError
				if !errors.As(err, &not) || !errors.Is(err, context.DeadlineExceeded) || !c.is(err) {
					k.Fatalf("WaitSync = %v (%T)", err, err)
				}
				if not.Resource != rest.Pods || !strings.Contains(err.Error(), "pods") || !strings.Contains(err.Error(), c.text) {
					k.Errorf("the error does not say which and why: %v", err)
				}
			})
		})
	}
}

func TestWaitSyncSaysThatNobodyListens(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		refused := func(context.Context, string, string) (conn, error) { return nil, syscall.ECONNREFUSED }
		client, err := rest.NewClient(rest.Config{Server: k.URL(), Dial: refused})
		if err != nil {
			k.Fatal(err)
		}
		defer client.Close()
		k.client = client
		err = whyNot(k, Options{})
		var re *rest.Error
		if !errors.Is(err, syscall.ECONNREFUSED) || !errors.As(err, &re) || re.Phase != rest.PhaseDial {
			k.Errorf("WaitSync = %v", err)
		}
	})
}

func TestWaitSyncTellsOfAnInformerThatGaveUp(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.failAll(403, "Forbidden")
		i := k.pods(Options{Reflector: listwatch.Options{FailUntilSynced: true}})
		stop := run(k, i)
		defer stop()
		began := time.Now()
		if err := i.WaitSync(k.Context()); !status.IsForbidden(err) || time.Since(began) > time.Second {
			k.Errorf("WaitSync = %v after %s", err, time.Since(began))
		}
		if err := i.WaitVersion(k.Context(), "", "1"); !errors.Is(err, ErrStopped) {
			k.Errorf("WaitVersion = %v", err)
		}
		if _, err := i.WaitFor(k.Context(), podKey("a"), func(*pod, bool) bool { return true }); !status.IsForbidden(err) {
			k.Errorf("WaitFor = %v", err)
		}
	})
}

func TestWaitSyncEndsWithTheInformer(t *testing.T) {
	bubble(t, fakeapi.Options{WatchList: fakeapi.WatchListSilent}, func(k *kit) {
		i := k.pods(Options{})
		stop := run(k, i)
		time.AfterFunc(time.Second, stop)
		var not *NotSyncedError
		if err := i.WaitSync(k.Context()); !errors.As(err, &not) || !errors.Is(err, ErrStopped) {
			k.Errorf("WaitSync = %v", err)
		}
	})
}

func TestServersWithoutWatchListAreListed(t *testing.T) {
	cases := map[string]struct {
		mode   fakeapi.WatchListMode
		within time.Duration
		reason string
		put    bool
	}{
		"ignores it, silent":          {fakeapi.WatchListIgnored, 45 * time.Second, listwatch.ReasonSilent, false},
		"ignores it, sends objects":   {fakeapi.WatchListIgnored, 75 * time.Second, listwatch.ReasonNoWatchList, true},
		"never sends the marker":      {fakeapi.WatchListUnmarked, 75 * time.Second, listwatch.ReasonNoWatchList, true},
		"accepts it and says nothing": {fakeapi.WatchListSilent, 45 * time.Second, listwatch.ReasonSilent, true},
		"refuses it":                  {fakeapi.WatchListRefused, time.Second, listwatch.ReasonUnsupported, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, fakeapi.Options{WatchList: c.mode}, func(k *kit) {
				if c.put {
					k.put("a", "n1")
					stopWrites := make(chan struct{})
					defer close(stopWrites)
					go k.writeEvery(10*time.Second, stopWrites)
				}
				began := time.Now()
				i := k.pods(Options{})
				stop := run(k, i)
				defer stop()
				synced(k, i)
				if took := time.Since(began); took > c.within {
					k.Errorf("synced after %s", took)
				}
				lesson := i.Status().Sources[0].Reflector.NoWatchList
				if lesson == nil || lesson.Reason != c.reason {
					k.Fatalf("the lesson is %+v, want %s", lesson, c.reason)
				}
				tried := i.Status().Sources[0].Reflector.WatchLists
				k.ExpireWatches()
				time.Sleep(2 * time.Minute)
				if s := i.Status().Sources[0]; s.Replaces != 2 || s.Reflector.WatchLists != tried {
					k.Errorf("%d states, %d watch-lists before and %d after the relist", s.Replaces, tried, s.Reflector.WatchLists)
				}
			})
		})
	}
}

// writeEvery changes a pod now and then.
func (k *kit) writeEvery(period time.Duration, stop <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-time.After(period):
			k.put("busy", fmt.Sprint("n", n))
		case <-stop:
			return
		}
	}
}

func TestAnHonestWatchListIsNeverCut(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		for n := range 20 {
			k.put(fmt.Sprint("p", n), "n1")
		}
		k.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(honest{w}, r) })
		})
		began := time.Now()
		i := k.pods(Options{Reflector: listwatch.Options{List: rest.ListOptions{TimeoutSeconds: 3600}}})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		if s := i.Status().Sources[0].Reflector; s.WatchLists != 1 || s.Lists != 0 || i.Store().Len() != 20 || time.Since(began) < 5*time.Minute {
			k.Errorf("%d objects by %d watch-lists and %d lists: %+v", i.Store().Len(), s.WatchLists, s.Lists, s)
		}
	})
}

// honest sends what it has to send, slowly.
type honest struct{ http.ResponseWriter }

func (h honest) Write(p []byte) (int, error) {
	time.Sleep(20 * time.Second)
	n, err := h.ResponseWriter.Write(p)
	http.NewResponseController(h.ResponseWriter).Flush()
	return n, err
}

func (h honest) Unwrap() http.ResponseWriter { return h.ResponseWriter }

func TestWaitVersionWaitsForOnesOwnWrite(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		release := make(chan struct{})
		k.RewriteEvents(func(_ *httpRequest, e fakeapi.Event) []fakeapi.Event {
			if e.Type == "MODIFIED" {
				<-release
			}
			return []fakeapi.Event{e}
		})
		k.put("a", "n1")
		i := k.pods(Options{})
		version := fmt.Sprint(k.put("a", "n2").ResourceVersion) // before it runs: the list has it
		stop := run(k, i)
		defer stop()
		early, cancel := context.WithTimeout(k.Context(), time.Second)
		defer cancel()
		synced(k, i)
		k.put("a", "n3")
		later := fmt.Sprint(k.Version())
		if err := i.WaitVersion(k.Context(), "default", version); err != nil {
			k.Errorf("a version that is there: %v", err)
		}
		if err := i.WaitVersion(early, "default", later); !errors.Is(err, context.DeadlineExceeded) {
			k.Errorf("a version that is not there: %v", err)
		}
		close(release)
		if err := i.WaitVersion(k.Context(), "default", later); err != nil {
			k.Error(err)
		}
		if a, _ := i.Get(podKey("a")); a.Spec.NodeName != "n3" {
			k.Errorf("the store shows %v", a)
		}
		if err := i.WaitVersion(k.Context(), "default", "opaque"); !errors.Is(err, errIncomparable) {
			k.Errorf("a version that cannot be compared: %v", err)
		}
	})
}

func TestWaitVersionBeforeTheInformerRuns(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		version := fmt.Sprint(k.put("a", "n1").ResourceVersion)
		i := k.pods(Options{})
		result := make(chan error)
		go func() { result <- i.WaitVersion(k.Context(), "default", version) }()
		settle()
		stop := run(k, i)
		defer stop()
		if err := <-result; err != nil {
			k.Error(err)
		}
	})
}

func TestWaitVersionAcrossARestoreIsAnError(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		backup := k.Snapshot()
		for n := range 10 {
			k.put("a", fmt.Sprint("n", n))
		}
		i := k.pods(Options{})
		stop := run(k, i)
		defer stop()
		synced(k, i)
		result := make(chan error)
		go func() { result <- i.WaitVersion(k.Context(), "default", "1000") }()
		settle()
		k.restore(backup)
		var epoch *EpochError
		if err := <-result; !errors.As(err, &epoch) || epoch.Version != "1000" {
			k.Errorf("WaitVersion = %v", err)
		}
		if a, _ := i.Get(podKey("a")); a.Spec.NodeName != "n1" {
			k.Errorf("the store shows %s, want the restored state", a.Spec.NodeName)
		}
		if s := i.Status().Sources[0].Reflector; s.Epoch != 1 {
			k.Errorf("epoch %d", s.Epoch)
		}
	})
}

func TestWaitForAnObject(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		i := k.pods(Options{})
		stop := run(k, i)
		defer stop()
		onNode := func(p *pod, there bool) bool { return there && p.Spec.NodeName == "n2" }
		time.AfterFunc(time.Second, func() { k.put("a", "n1") })
		time.AfterFunc(2*time.Second, func() { k.put("a", "n2") })
		time.AfterFunc(3*time.Second, func() { k.remove("a") })
		if p, err := i.WaitFor(k.Context(), podKey("a"), onNode); err != nil || p.Spec.NodeName != "n2" {
			k.Errorf("WaitFor = %v, %v", p, err)
		}
		if p, err := i.WaitFor(k.Context(), podKey("a"), onNode); err != nil || p.Spec.NodeName != "n2" {
			k.Errorf("WaitFor what is the case = %v, %v", p, err)
		}
		if _, err := i.WaitFor(k.Context(), podKey("a"), func(_ *pod, there bool) bool { return !there }); err != nil || i.Store().Len() != 0 {
			k.Errorf("WaitFor the end = %v", err)
		}
		ctx, cancel := context.WithTimeout(k.Context(), time.Second)
		defer cancel()
		if _, err := i.WaitFor(ctx, podKey("a"), onNode); !errors.Is(err, context.DeadlineExceeded) {
			k.Errorf("WaitFor what never happens = %v", err)
		}
		if n := len(i.Status().Subscriptions); n != 0 {
			k.Errorf("%d subscriptions left", n)
		}
	})
}

func TestWaitForIsNotFooledByAnEmptyStore(t *testing.T) {
	bubble(t, fakeapi.Options{}, func(k *kit) {
		k.put("a", "n1")
		i := k.pods(Options{})
		time.AfterFunc(time.Minute, func() { k.remove("a") })
		time.AfterFunc(time.Hour, func() {})
		began := time.Now()
		stop := run(k, i)
		defer stop()
		if _, err := i.WaitFor(k.Context(), podKey("a"), func(_ *pod, there bool) bool { return !there }); err != nil || time.Since(began) < time.Minute {
			k.Errorf("gone after %s, %v", time.Since(began), err)
		}
	})
}

func TestHealthyNoticesSilence(t *testing.T) {
	bubble(t, fakeapi.Options{BookmarkInterval: -1}, func(k *kit) {
		i := k.pods(Options{Reflector: listwatch.Options{IdleTimeout: -1}})
		if err := i.Healthy(0); err == nil {
			k.Error("healthy before it has begun")
		}
		stop := run(k, i)
		defer stop()
		synced(k, i)
		time.Sleep(2 * time.Minute)
		if err := i.Healthy(0); err != nil {
			k.Errorf("Healthy = %v", err)
		}
		if err := i.Healthy(time.Minute); err == nil || !strings.Contains(err.Error(), "2m0s") {
			k.Errorf("Healthy(1m) = %v", err)
		}
	})
}
