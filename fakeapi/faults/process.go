package faults

import (
	"net/http"
	"runtime"
	"time"
)

func processFaults() []*Fault { return in(Process, serversGone(), histories(), replicas(), handlers()) }

// down cuts every connection and resets each new one until up.
func (i *Injector) down(end func(*conn)) (up func()) {
	i.mu.Lock()
	i.dead++
	i.mu.Unlock()
	i.each(end)
	return func() {
		i.mu.Lock()
		i.dead--
		i.mu.Unlock()
	}
}

// serversGone are servers that stop, or do not answer.
func serversGone() []*Fault {
	restart := []Invariant{FinalState, StormBound, ResumeExact}
	gone := func(name, says string, own time.Duration, end func(*conn), also func(*Injection)) *Fault {
		return &Fault{Name: name, Summary: says, Invariants: restart, begin: func(n *Injection) func() {
			up := n.injector.down(end)
			if also != nil {
				also(n)
			}
			n.expire(n.lasting(own))
			return up
		}}
	}
	cut := func(c *conn) { _ = c.Close() }
	return []*Fault{
		gone("server-killed", "the server is killed and back after five seconds", 5*time.Second, cut, nil),
		gone("server-crashed", "every connection is reset, the server is back after thirty seconds", 30*time.Second, (*conn).reset, nil),
		gone("server-away", "the server is away for ten minutes", 10*time.Minute, (*conn).reset, nil),
		gone("server-restarted", "the server is restarted and knows no history", 10*time.Second, cut, func(n *Injection) { n.injector.server.ExpireWatches() }),
		{Name: "server-drained", Summary: "the server ends every watch whole, and then its connections", Invariants: restart, begin: func(n *Injection) func() {
			n.injector.server.CloseWatches()
			timer := time.AfterFunc(100*time.Millisecond, func() { n.injector.each(cut) })
			return func() { timer.Stop() }
		}},
		{Name: "server-frozen", Summary: "the server stops for ten minutes, as by SIGSTOP, and goes on", Invariants: []Invariant{StallEnds, FinalState}, begin: func(n *Injection) func() {
			n.expire(n.lasting(10 * time.Minute))
			return n.injector.freeze()
		}},
		{Name: "server-hiccup", Summary: "the server stops for twenty-nine seconds, and goes on", Invariants: []Invariant{ResumeExact, FinalState}, Legal: true, begin: func(n *Injection) func() {
			n.expire(n.lasting(29 * time.Second))
			return n.injector.freeze()
		}},
		{Name: "server-slow", Summary: "the server takes ten seconds before each answer", Invariants: []Invariant{FinalState}, On: Reads, Legal: true, alter: func(x *exchange, next http.Handler) {
			x.wait(10 * time.Second)
			next.ServeHTTP(x.w, x.r)
		}},
		{Name: "server-hangs", Summary: "the server takes a request and never answers", Invariants: []Invariant{StallEnds, FinalState}, On: Reads, answer: (*exchange).hang},
		{Name: "server-panics", Summary: "the server's handler panics: the connection ends in the place of an answer", Invariants: restart, On: Reads,
			answer: func(*exchange) { panic(http.ErrAbortHandler) }},
		{Name: "server-starting", Summary: "the server's cache is not ready: 429 with Retry-After: 1", Invariants: []Invariant{StormBound, FinalState}, On: Reads | Probe,
			answer: throttled("1")},
		{Name: "server-clock", Summary: "the server's clock is wrong by a year, as Date says", Invariants: []Invariant{FinalState}, On: Any, Legal: true, alter: func(x *exchange, next http.Handler) {
			x.w.Header().Set("Date", time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat))
			next.ServeHTTP(x.w, x.r)
		}},
	}
}

// histories are about etcd and the watch cache.
func histories() []*Fault {
	expired := []Invariant{ExpiredEnds, Deletes, Lives, FinalState}
	return []*Fault{
		{Name: "watches-ended", Summary: "the server ends every watch, whole", Invariants: []Invariant{ResumeExact}, Legal: true, begin: func(n *Injection) func() {
			n.injector.server.CloseWatches()
			return nil
		}},
		{Name: "watches-expired", Summary: "the server ends every watch and forgets its history", Invariants: expired, begin: func(n *Injection) func() {
			n.injector.server.ExpireWatches()
			return nil
		}},
		{Name: "compacted", Summary: "history is compacted up to now, watches go on", Invariants: expired, begin: func(n *Injection) func() {
			n.injector.server.Compact()
			return nil
		}},
		{Name: "compacted-and-cut", Summary: "every connection is cut and history is compacted beyond what any client knows", Invariants: expired, begin: func(n *Injection) func() {
			s := n.injector.server
			s.CutConnections()
			s.SetVersion(s.Version() + 1)
			s.Compact()
			return nil
		}},
		{Name: "compacted-while-paging", Summary: "history is compacted after a page was sent", Invariants: append(expired, PagesEnd), On: List, alter: func(x *exchange, next http.Handler) {
			next.ServeHTTP(x.w, x.r)
			x.server.SetVersion(x.server.Version() + 1)
			x.server.Compact()
		}},
		{Name: "version-leaps", Summary: "writes elsewhere take the version a million ahead", Invariants: []Invariant{FinalState}, Legal: true, begin: func(n *Injection) func() {
			s := n.injector.server
			s.SetVersion(s.Version() + 1_000_000)
			return nil
		}},
		{Name: "etcd-restored", Summary: "etcd is restored from what Injector.Remember kept; the server is away meanwhile, and versions are issued again with other content", Invariants: []Invariant{Epochs, FinalState, Deletes},
			begin: func(n *Injection) func() {
				up := n.injector.down(func(c *conn) { _ = c.Close() })
				n.injector.restore()
				n.expire(n.lasting(10 * time.Second))
				return up
			}},
		{Name: "etcd-restored-at-once", Summary: "the same, and the server is back at once", Invariants: []Invariant{Epochs, FinalState, Deletes}, begin: func(n *Injection) func() {
			n.injector.restore()
			return nil
		}},
		{Name: "etcd-restored-frozen", Summary: "the same, behind connections that are half open", Invariants: []Invariant{Epochs, StallEnds, FinalState}, begin: func(n *Injection) func() {
			n.injector.each((*conn).silence)
			n.injector.restore()
			return nil
		}},
	}
}

func (i *Injector) restore() {
	i.mu.Lock()
	backup := i.backup
	i.mu.Unlock()
	i.server.Restore(backup)
}

// handlers are done by Injector.Handle.
func handlers() []*Fault {
	wait := func(d time.Duration) func(*Injection) {
		return func(n *Injection) {
			timer := time.NewTimer(d)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-n.ended:
			}
		}
	}
	tries := []Invariant{HandlerOrder, Backpressure}
	return []*Fault{
		{Name: "handler-slow", Summary: "a call takes a second", Invariants: tries, handle: wait(time.Second)},
		{Name: "handler-blocked", Summary: "a call takes an hour", Invariants: tries, handle: wait(time.Hour)},
		{Name: "handler-panics", Summary: "a call panics", Invariants: tries, handle: func(*Injection) { panic("faults: a handler panics") }},
		{Name: "handler-panics-nil", Summary: "a call panics with nil", Invariants: tries, handle: func(*Injection) { panic(nil) }}, //nolint:govet
		{Name: "handler-exits", Summary: "a call ends its goroutine, as t.FailNow does", Invariants: tries, handle: func(*Injection) { runtime.Goexit() }},
	}
}
