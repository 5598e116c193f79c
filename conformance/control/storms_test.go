package control

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// Ten minutes of refusals cost the server few requests, and the first after
// them is not far.
func TestTenMinutesOfRefusalsCostFewRequests(t *testing.T) {
	for _, storm := range []struct {
		code          int
		reason, again string
		most          int64
	}{
		{code: 429, reason: "TooManyRequests", again: "1", most: 60},
		{code: 500, reason: "InternalError", most: 30},
		{code: 503, reason: "ServiceUnavailable", most: 30},
	} {
		t.Run(fmt.Sprint(storm.code), func(t *testing.T) {
			fault := fmt.Sprintf("ten minutes of %d", storm.code)
			if storm.again != "" {
				fault += " with Retry-After: " + storm.again
			}
			compare(t, fault, fmt.Sprintf("at most %d requests, synced within 70 s after it", storm.most), fakeapi.Options{}, true, func(b *bed) string {
				var n atomic.Int64
				well := b.server.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
					n.Add(1)
					if storm.again != "" {
						w.Header().Set("Retry-After", storm.again)
					}
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(storm.code)
					fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d,"message":"no"}`, storm.reason, storm.code)
					return true
				})
				b.pod("a")
				b.start(setup{late: true})
				b.pass(10 * time.Minute)
				requests := n.Load()
				b.must(requests <= storm.most, "%d requests in ten minutes, want %d at most", requests, storm.most)
				well()
				d, ok := b.within(5*time.Minute, b.peer.synced)
				b.must(ok && d <= 70*time.Second, "synced %s it was over", took(d, ok))
				return fmt.Sprintf("%d requests, synced %.0f s after it", requests, d.Seconds())
			})
		})
	}
}

// A server that never heard of watch-lists, and answers with an ordinary
// watch, does not keep an informer from its state.
func TestAnIgnoredWatchListIsReplacedByAList(t *testing.T) {
	for _, c := range []struct {
		name string
		busy time.Duration // something changes as often; zero is never
	}{{"nothing changes", 0}, {"a change every 10 s", 10 * time.Second}} {
		t.Run(c.name, func(t *testing.T) {
			compare(t, "watch-list ignored by the server, "+c.name, "synced within 75 s", fakeapi.Options{WatchList: fakeapi.WatchListIgnored}, false, func(b *bed) string {
				b.pod("pod-0")
				b.pod("pod-1")
				b.start(setup{late: true})
				if c.busy > 0 {
					ctx, cancel := context.WithCancel(b.Context())
					defer cancel()
					go b.changeEvery(ctx, c.busy)
				}
				d, ok := b.within(24*time.Hour, b.peer.synced)
				b.must(ok && d <= 75*time.Second, "synced %s", took(d, ok))
				b.must(b.peer.size() == 2, "%d objects of 2", b.peer.size())
				asked := fmt.Sprintf("%d watch-lists, %d lists", b.requests("watch-list"), b.requests("list"))
				if !ok {
					return "not synced within 24 h; " + asked
				}
				return fmt.Sprintf("synced %s; %s", took(d, ok), asked)
			})
		})
	}
}
