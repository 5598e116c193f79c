package control

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/listwatch"
)

// A server or a proxy that has no working watch-list must not keep an informer
// from its state: a list takes its place, and the lesson is remembered.
func TestAWatchListThatDoesNotWorkIsReplacedByAList(t *testing.T) {
	for _, mode := range []struct {
		name      string
		mode      fakeapi.WatchListMode
		bookmarks time.Duration
		busy      time.Duration // an object changes as often; zero is never
		within    time.Duration
		reason    string
	}{
		{"sendInitialEvents is ignored, no bookmarks", fakeapi.WatchListIgnored, -1, 0, 45 * time.Second, listwatch.ReasonSilent},
		{"sendInitialEvents is ignored, bookmarks every minute", fakeapi.WatchListIgnored, 0, 0, 75 * time.Second, ""},
		{"the marker never comes, no bookmarks", fakeapi.WatchListUnmarked, -1, 0, 45 * time.Second, listwatch.ReasonSilent},
		{"the marker never comes, bookmarks every 25 s", fakeapi.WatchListUnmarked, 25 * time.Second, 0, 75 * time.Second, listwatch.ReasonNoWatchList},
		{"sendInitialEvents is ignored, an event every 10 s, bookmarks every minute", fakeapi.WatchListIgnored, 0, 10 * time.Second, 75 * time.Second, listwatch.ReasonNoWatchList},
		{"the marker never comes, an event every 10 s, bookmarks every minute", fakeapi.WatchListUnmarked, 0, 10 * time.Second, 75 * time.Second, listwatch.ReasonNoWatchList},
		{"the marker never comes, an event every 10 s, no bookmarks", fakeapi.WatchListUnmarked, -1, 10 * time.Second, 21 * time.Minute, listwatch.ReasonNoMarker},
		{"nothing comes at all", fakeapi.WatchListSilent, 0, 0, 45 * time.Second, listwatch.ReasonSilent},
		{"refused with 422", fakeapi.WatchListRefused, 0, 0, time.Second, listwatch.ReasonUnsupported},
	} {
		t.Run(mode.name, func(t *testing.T) {
			sideBySide(t, 1, "watch-list: "+mode.name, fakeapi.Options{WatchList: mode.mode, BookmarkInterval: mode.bookmarks}, func(b *bed) string {
				for i := range 100 {
					b.pod(fmt.Sprintf("pod-%d", i))
				}
				b.start(setup{late: true})
				if mode.busy > 0 {
					ctx, cancel := context.WithCancel(b.Context())
					defer cancel()
					go b.changeEvery(ctx, mode.busy)
				}
				d, ok := b.within(2*time.Hour, b.peer.synced)
				b.must(ok && d <= mode.within, "synced %s, want within %v", took(d, ok), mode.within)
				b.must(b.peer.size() == 100 || !ok, "%d objects of 100", b.peer.size())
				result := fmt.Sprintf("synced %s", took(d, ok))
				if !ok {
					return fmt.Sprintf("%s; %d watch-lists, %d lists", result, b.requests("watch-list"), b.requests("list"))
				}
				if b.ours {
					lesson := b.informer().Status().Sources[0].Reflector.NoWatchList
					if lesson == nil || mode.reason != "" && lesson.Reason != mode.reason {
						b.Errorf("Status says of watch-list %+v, want the reason %q", lesson, mode.reason)
					} else {
						result += ", Status says " + lesson.Reason
					}
				}
				// Relists soon after do not try again.
				for range 3 {
					b.pass(time.Minute)
					b.server.ExpireWatches()
					b.pod("pod-0")
					if _, ok := b.within(time.Minute, b.shows("pod-0")); !ok {
						b.must(false, "a relist did not bring the change")
					}
				}
				b.must(b.requests("watch-list") <= 2, "%d watch-lists after three relists", b.requests("watch-list"))
				return fmt.Sprintf("%s; %d watch-lists in the first state and three relists", result, b.requests("watch-list"))
			})
		})
	}
}

// changeEvery changes an object again and again until ctx ends.
func (b *bed) changeEvery(ctx context.Context, d time.Duration) {
	for {
		select {
		case <-time.After(d):
			b.server.Apply("pods", podJSON("pod-1"))
		case <-ctx.Done():
			return
		}
	}
}

// trickle is a connection over which, after the first bytes, some arrive every
// now and then.
type trickle struct {
	net.Conn
	every time.Duration
	bytes int
	until time.Time
	first int
}

func (c *trickle) Read(p []byte) (int, error) {
	if c.first > 0 {
		n, err := c.Conn.Read(p[:min(len(p), c.first)])
		c.first -= n
		return n, err
	}
	if time.Now().After(c.until) {
		return c.Conn.Read(p)
	}
	time.Sleep(c.every)
	return c.Conn.Read(p[:min(len(p), c.bytes)])
}

// A watch-list that takes minutes is not one that does not work: it is never
// cut while something comes.
func TestASlowWatchListIsNeverCut(t *testing.T) {
	sideBySide(t, 1, "watch-list: honest but slow, 150 bytes every 25 s for nearly 5 minutes", fakeapi.Options{CompressOver: -1}, func(b *bed) string {
		const objects = 4
		for i := range objects {
			b.pod(fmt.Sprintf("pod-%d", i))
		}
		b.wrap = func(conn net.Conn) net.Conn {
			return &trickle{conn, 25 * time.Second, 150, time.Now().Add(290 * time.Second), 300}
		}
		b.start(setup{late: true})
		d, ok := b.within(time.Hour, b.peer.synced)
		b.must(ok && d > 3*time.Minute && d < 6*time.Minute && b.peer.size() == objects, "synced %s with %d objects", took(d, ok), b.peer.size())
		b.must(b.requests("any") == 1, "%d requests, want the one watch-list", b.requests("any"))
		return fmt.Sprintf("synced %s with %d watch-list, %d lists", took(d, ok), b.requests("watch-list"), b.requests("list"))
	})
}
