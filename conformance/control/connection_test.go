package control

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// mute is a connection of which nothing more arrives, and no end either: what
// a NAT that forgot it leaves behind.
type mute struct {
	net.Conn
	after int64       // bytes that still arrive
	muted func() bool // or from now on; nil is never
	hit   func()      // called when nothing more arrives; nil does nothing
}

func (c *mute) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		silent := c.muted != nil && c.muted()
		if !silent && c.after > 0 {
			if int64(n) > c.after && c.hit != nil {
				c.hit()
			}
			n = int(min(int64(n), c.after))
			c.after -= int64(n)
			return n, err
		}
		if c.hit != nil {
			c.hit()
		}
		if err != nil {
			return 0, err
		}
	}
}

// A watch from which nothing comes any more, and no end, is found by its
// silence and resumed.
func TestAHalfOpenWatchIsFoundByItsSilence(t *testing.T) {
	sideBySide(t, 3, "the watch's connection goes silent, no FIN", fakeapi.Options{}, func(b *bed) string {
		var silent atomic.Bool
		b.wrap = func(conn net.Conn) net.Conn {
			if silent.Load() {
				return conn // a new connection is a good one
			}
			return &mute{Conn: conn, after: 1 << 40, muted: silent.Load}
		}
		b.pod("a")
		b.start(setup{})
		b.pass(10 * time.Minute)
		silent.Store(true)
		lists := b.requests("list", "watch-list")
		b.pod("a")
		d, ok := b.within(24*time.Hour, b.shows("a"))
		b.must(ok && d < 3*time.Minute, "the change was seen %s", took(d, ok))
		b.must(b.requests("list", "watch-list") == lists, "a resume would have done, not a list")
		return "the next change seen " + took(d, ok)
	})
}

// While nothing works the server is left in peace: the delays grow to the cap
// and stay there. And whatever the wait, a stop is at once.
func TestAFailingServerIsLeftInPeace(t *testing.T) {
	status := func(code int32, reason, retryAfter string) fakeapi.Interceptor {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if retryAfter != "" {
				w.Header().Set("Retry-After", retryAfter)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(int(code))
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d,"message":"no"}`, reason, code)
			return true
		}
	}
	for _, storm := range []struct {
		name   string
		defect int
		fault  fakeapi.Interceptor // nil refuses the connection
		most   int
	}{
		{"ten minutes of 500", 4, status(500, "InternalError", ""), 30},
		{"ten minutes of 503", 4, status(503, "ServiceUnavailable", ""), 30},
		{"ten minutes of refused connections", 4, nil, 30},
		{"ten minutes of 429 with Retry-After: 1", 16, status(429, "TooManyRequests", "1"), 60},
	} {
		t.Run(storm.name, func(t *testing.T) {
			sideBySide(t, storm.defect, storm.name, fakeapi.Options{}, func(b *bed) string {
				var log attemptLog
				well := b.refuse(&log)
				if storm.fault != nil {
					well()
					well = b.server.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
						log.note()
						return storm.fault(w, r)
					})
				}
				b.pod("a")
				b.start(setup{late: true})
				b.pass(10 * time.Minute)
				attempts := log.all()
				n, begun := len(attempts), 0
				for i := 5; i < n; i++ { // the ladder is climbed by then
					if gap := attempts[i].Sub(attempts[i-1]); gap > 100*time.Millisecond && gap < 5*time.Second {
						begun++
					}
				}
				b.must(n <= storm.most, "%d attempts in ten minutes, want %d at most", n, storm.most)
				well()
				d, ok := b.within(5*time.Minute, b.peer.synced)
				b.must(ok && d <= 70*time.Second, "synced %s when the server was well again", took(d, ok))
				again := ""
				if begun > 0 && storm.defect == 4 {
					again = fmt.Sprintf(", %d of them less than 5 s after the one before though it had climbed", begun)
				}
				return fmt.Sprintf("%d attempts%s; synced %s when it is over", n, again, took(d, ok))
			})
		})
	}
}

// attemptLog is when somebody asked.
type attemptLog struct {
	mu    sync.Mutex
	times []time.Time
}

func (l *attemptLog) note() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.times = append(l.times, time.Now())
	return len(l.times)
}

func (l *attemptLog) all() []time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.times
}

// refuse lets no connection be made until stop is called.
func (b *bed) refuse(log *attemptLog) (stop func()) {
	var over atomic.Bool
	b.before = func() error {
		if over.Load() {
			return nil
		}
		log.note()
		return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	return func() { over.Store(true) }
}

// A stop ends a wait, however long it would have been.
func TestAStopEndsAnyWaitAtOnce(t *testing.T) {
	sideBySide(t, 4, "stopped while it waits after failures", fakeapi.Options{}, func(b *bed) string {
		longest := time.Duration(0)
		for _, code := range []int{500, 503, 429} {
			inner := &bed{T: b.T, server: fakeapi.New(fakeapi.Options{}), ours: b.ours, stop: func() {}}
			inner.server.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
				w.Header().Set("Retry-After", "30")
				http.Error(w, "no", code)
				return true
			})
			inner.start(setup{late: true})
			inner.pass(4*time.Minute + 100*time.Millisecond)
			began := time.Now()
			inner.stop()
			longest = max(longest, time.Since(began))
			inner.server.Close()
		}
		b.must(longest <= 100*time.Millisecond, "stopped after %v", longest)
		return "stopped " + took(longest, true)
	})
}

// A date in Retry-After is as good as seconds.
func TestRetryAfterAsADateIsObeyed(t *testing.T) {
	sideBySide(t, 16, "429 with Retry-After: a date 40 s ahead", fakeapi.Options{}, func(b *bed) string {
		var log attemptLog
		b.server.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			if log.note() > 1 {
				return false
			}
			w.Header().Set("Retry-After", time.Now().Add(40*time.Second).UTC().Format(http.TimeFormat))
			http.Error(w, "no", http.StatusTooManyRequests)
			return true
		})
		b.start(setup{late: true})
		_, ok := b.within(5*time.Minute, b.peer.synced)
		attempts := log.all()
		if !ok || len(attempts) < 2 {
			b.Fatal("it never asked again")
		}
		gap := attempts[1].Sub(attempts[0])
		b.must(gap >= 39*time.Second && gap < 60*time.Second, "asked again after %v", gap)
		return "asks again after " + round(gap)
	})
}

// After a healthy session a 410 costs a list, and a wait only as long as
// spreads the clients of one server over a second.
func TestA410AfterAHealthyTimeCostsNoWait(t *testing.T) {
	for _, how := range []struct {
		name   string
		expire func(*bed)
		within time.Duration
	}{
		{"410 as an event of the watch", func(b *bed) {
			b.server.CompactTo(b.server.Version())
			b.expired.Store(true)
			b.server.Apply("configmaps", `{"metadata":{"name":"x"}}`)
			b.server.Apply("pods", podJSON("a"))
		}, time.Second + 50*time.Millisecond},
		{"the watch ends and its resume is answered 410", func(b *bed) {
			b.server.ExpireWatches()
			b.pod("a")
		}, 2*time.Second + 50*time.Millisecond},
	} {
		t.Run(how.name, func(t *testing.T) {
			sideBySide(t, 5, how.name+", 20 times after five healthy minutes", fakeapi.Options{}, func(b *bed) string {
				b.server.RewriteEvents(func(_ *http.Request, e fakeapi.Event) []fakeapi.Event {
					if e.Type != "BOOKMARK" && b.expired.CompareAndSwap(true, false) {
						return []fakeapi.Event{{Type: "ERROR", Object: []byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"too old resource version"}`)}}
					}
					return []fakeapi.Event{e}
				})
				var longest, sum time.Duration
				b.pod("a")
				b.start(setup{})
				const times = 20
				for range times {
					b.pass(5 * time.Minute)
					how.expire(b)
					d, ok := b.within(2*time.Minute, b.shows("a"))
					b.must(ok && d < how.within, "the change was seen %s", took(d, ok))
					longest, sum = max(longest, d), sum+d
				}
				return fmt.Sprintf("the change is seen after %v on average, %v at most", (sum / times).Round(10*time.Millisecond), longest.Round(10*time.Millisecond))
			})
		})
	}
}

// A 410 to the very first question is a failure like any other: it is not
// asked again without a pause. This one is measured on the real clock, for
// without a pause a bubble's stands still.
func TestA410ToEveryRequestIsNotAskedAgainAtFullSpeed(t *testing.T) {
	row := outcome{defect: 4, fault: "two seconds of 410 to every request (loopback)", test: t.Name()}
	measure := func(ours bool) string {
		b := &bed{T: t, server: fakeapi.New(fakeapi.Options{}), ours: ours}
		defer b.server.Close()
		var attempts atomic.Int64
		b.server.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
			attempts.Add(1)
			http.Error(w, "gone", http.StatusGone)
			return true
		})
		b.start(setup{late: true})
		time.Sleep(2 * time.Second)
		n := attempts.Load()
		b.stop()
		b.must(n <= 6, "%d attempts in two seconds", n)
		return fmt.Sprintf("%d requests", n)
	}
	row.rawwatch, row.reference = measure(true), measure(false)
	outcomes.record(t, row)
}

// An etcd that was restored issues versions that the informer has passed: it
// notices, and begins anew.
func TestARestoredEtcdIsNoticed(t *testing.T) {
	sideBySide(t, 14, "etcd restored to an older state, versions go back", fakeapi.Options{}, func(b *bed) string {
		b.pod("kept")
		snapshot := b.server.Snapshot()
		for range 40 {
			b.pod("kept")
		}
		b.pod("lost")
		b.start(setup{})
		b.pass(5 * time.Minute)
		b.server.Restore(snapshot)
		b.pod("new")
		converged := func() bool {
			return b.peer.size() == 2 && b.shows("kept")() && b.shows("new")()
		}
		d, ok := b.within(24*time.Hour, converged)
		b.must(ok && d < 10*time.Second, "the store is the server's %s", took(d, ok))
		if b.ours {
			if epoch := b.informer().Status().Sources[0].Reflector.Epoch; epoch == 0 {
				b.Error("Status shows no new epoch")
			}
		}
		return "the store equals the server " + took(d, ok)
	})
}
