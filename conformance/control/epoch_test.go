package control

import (
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/internal/memnet"
)

// Versions that went back are noticed at the next reconnect, and a connection
// that stays open and silent is given up after the idle deadline.
func TestVersionsThatGoBackAreNoticed(t *testing.T) {
	for _, c := range []struct {
		fault, promise string
		silent         bool
		bookmarks      time.Duration
		limit          time.Duration
	}{
		{"etcd restored, versions go back, connections are cut", "within 15 s of the first reconnect", false, 0, 15 * time.Second},
		{"etcd restored behind a proxy that keeps the watch open and silent", "within the idle deadline (75 s after bookmarks) and 15 s", true, 0, 90 * time.Second},
		{"etcd restored behind such a proxy, no bookmarks before it", "within the idle deadline (150 s) and 15 s", true, -1, 165 * time.Second},
	} {
		t.Run(c.fault, func(t *testing.T) {
			compare(t, c.fault, c.promise, fakeapi.Options{BookmarkInterval: c.bookmarks}, false, func(b *bed) string {
				var restored atomic.Bool
				b.wrap = func(conn net.Conn) net.Conn {
					if !c.silent || restored.Load() {
						return conn
					}
					return behindProxy(conn, &restored)
				}
				b.pod("kept")
				snapshot := b.server.Snapshot()
				for range 40 {
					b.pod("kept")
				}
				b.pod("lost")
				b.start(setup{})
				b.pass(5*time.Minute + 3*time.Second) // soon after a reconnect: the longest wait
				restored.Store(true)
				b.server.Restore(snapshot)
				b.pod("new")
				began := time.Now()
				ok := b.equalWithinADay()
				d := time.Since(began)
				b.must(ok && d <= c.limit, "the store is the server's %s", took(d, ok))
				if b.ours && b.informer().Status().Sources[0].Reflector.Epoch == 0 {
					b.Error("Status shows no new epoch")
				}
				if !ok {
					return "the store is not the server's within 24 h"
				}
				return "the store is the server's after " + round(max(d, time.Second))
			})
		})
	}
}

// behindProxy is the client's connection to a proxy that, once silent is set,
// does not tell the client that the server is gone.
func behindProxy(server net.Conn, silent *atomic.Bool) net.Conn {
	client, proxy := memnet.Pipe()
	go func() {
		_, _ = io.Copy(proxy, server)
		if !silent.Load() {
			proxy.Close()
		}
	}()
	go func() {
		_, _ = io.Copy(server, proxy)
		server.Close()
		proxy.Close()
	}()
	return client
}
