package control

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// script is what a server says in the runs that do something to its stream at
// every byte: an initial state of two objects, and a change, a deletion and an
// addition. warm lets four bookmarks pass before the changes.
type script struct{ warm bool }

func (s script) options() fakeapi.Options {
	o := fakeapi.Options{CompressOver: -1}
	if !s.warm {
		o.BookmarkInterval = -1 // none would come
	}
	return o
}

// play begins to follow and lets the script happen; mark is called when the
// part that the faults are about begins.
func (s script) play(b *bed, mark func()) {
	b.pod("a")
	b.pod("b")
	if !s.warm {
		mark()
	}
	b.start(setup{late: true})
	b.pass(5 * time.Second)
	if s.warm {
		b.pass(4*time.Minute + 10*time.Second)
		mark()
	}
	b.pod("a")
	b.pass(time.Second)
	if _, err := b.server.Delete("pods", "default", "b"); err != nil {
		b.Fatal(err)
	}
	b.pass(time.Second)
	b.pod("last")
	b.pass(time.Millisecond)
}

// equal reports whether the store is the server's state.
func (b *bed) equal() bool {
	all, _, err := b.server.List("pods", "")
	if err != nil || b.peer.size() != len(all) {
		return false
	}
	for _, o := range all {
		if b.peer.version(o.Namespace+"/"+o.Name) != fmt.Sprint(o.ResourceVersion) {
			return false
		}
	}
	return true
}

// counted is a connection that knows how many bytes have arrived.
type counted struct {
	net.Conn
	n *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// span is which bytes of the first connection the script's faults are about.
func (s script) span(t *testing.T, ours bool) (from, to int64) {
	t.Helper()
	b := &bed{T: t, server: fakeapi.New(s.options()), ours: ours, stop: func() {}}
	defer b.server.Close()
	var n atomic.Int64
	b.wrap = func(conn net.Conn) net.Conn { return counted{conn, &n} }
	s.play(b, func() { from = n.Load() })
	b.pass(time.Millisecond)
	b.stop()
	return from, n.Load()
}

// atEach plays the script once for every byte of the span; spoil makes the
// first connection bad after so many bytes. judge sees each run at its end.
func (s script) atEach(outer *bed, spoil func(conn net.Conn, after int64) net.Conn, judge func(b *bed, at int64)) {
	from, to := s.span(outer.T, outer.ours)
	for at := from; at < to; at++ {
		b := &bed{T: outer.T, server: fakeapi.New(s.options()), ours: outer.ours, stop: func() {}}
		var dialed atomic.Bool
		b.wrap = func(conn net.Conn) net.Conn {
			if dialed.Swap(true) {
				return conn // later ones are good
			}
			return spoil(conn, at)
		}
		s.play(b, func() {})
		judge(b, at)
		b.stop()
		b.server.Close()
	}
}

// Wherever the bytes stop coming, without an end, the informer finds out and
// gets on; sooner where bookmarks had told how often something must come.
func TestAStallAtEveryByteIsOvercome(t *testing.T) {
	for _, c := range []struct {
		name  string
		s     script
		limit time.Duration
	}{
		{"stall at byte n of the server's stream, no FIN, every n", script{}, 160 * time.Second},
		{"stall at byte n, no FIN, every n of the changes after four bookmarks", script{warm: true}, 90 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			compare(t, c.name, fmt.Sprintf("all within %.0f s", c.limit.Seconds()), c.s.options(), !c.s.warm, func(b *bed) string {
				var stalled time.Time
				var stalls, recovered int
				var longest time.Duration
				c.s.atEach(b, func(conn net.Conn, after int64) net.Conn {
					stalled = time.Time{}
					return &mute{Conn: conn, after: after, hit: func() {
						if stalled.IsZero() {
							stalled = time.Now()
						}
					}}
				}, func(b *bed, at int64) {
					if stalled.IsZero() {
						b.must(false, "no byte was held back at %d", at) // client-go may have dialled a second time before the first connection was free
						return
					}
					ok := b.equalWithinADay()
					d := time.Since(stalled)
					b.must(ok && d <= c.limit, "stalled at byte %d: converged %s", at, took(d, ok))
					if stalls++; ok {
						recovered++
						longest = max(longest, d)
					}
				})
				if recovered == 0 {
					return fmt.Sprintf("0 of %d recover within 24 h", stalls)
				}
				return fmt.Sprintf("%d of %d recover, the slowest after %s", recovered, stalls, round(longest))
			})
		})
	}
}

// equalWithinADay looks every second for ten minutes, and then every ten minutes.
func (b *bed) equalWithinADay() bool {
	for range 600 {
		if b.pass(0); b.equal() {
			return true
		}
		time.Sleep(time.Second)
	}
	for range 6*24 - 1 {
		if b.pass(10 * time.Minute); b.equal() {
			return true
		}
	}
	return false
}

// cut is a connection that ends after so many bytes, the way how says.
type cut struct {
	net.Conn
	left int64
	how  error
}

func (c *cut) Read(p []byte) (int, error) {
	if c.left == 0 {
		c.Conn.Close()
		return 0, c.how
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

// Wherever the connection breaks, every change is told once, in order.
func TestACutAtEveryByteLosesNothing(t *testing.T) {
	for _, how := range []struct {
		name string
		err  error
	}{{"FIN", io.EOF}, {"RST", syscall.ECONNRESET}} {
		t.Run(how.name, func(t *testing.T) {
			compare(t, "cut ("+how.name+") after byte n of the server's stream, every n", "all converge within 10 s, nothing twice or out of order", script{}.options(), true, func(b *bed) string {
				var cuts, converged, relists, wrong int
				script{}.atEach(b, func(conn net.Conn, after int64) net.Conn { return &cut{conn, after, how.err} }, func(b *bed, at int64) {
					d, ok := b.within(10*time.Minute, b.equal)
					b.must(ok && d <= 10*time.Second, "cut at byte %d: converged %s", at, took(d, ok))
					told := b.disorder()
					b.must(told == "", "cut at byte %d: %s", at, told)
					if cuts++; ok {
						converged++
					}
					if told != "" {
						wrong++
					}
					if b.requests("list", "watch-list") > 1 {
						relists++
					}
				})
				return fmt.Sprintf("%d of %d converge; %d tell something twice or out of order; %d list again", converged, cuts, wrong, relists)
			})
		})
	}
}

// disorder is what was told twice or out of order, per key.
func (b *bed) disorder() string {
	last := map[string]event{}
	for _, e := range b.seen("", 0) {
		before, told := last[e.key]
		there := told && before.kind != "Deleted"
		switch {
		case told && version(e.version) < version(before.version), told && e.version == before.version && e.kind != "Deleted":
			return fmt.Sprintf("%s of %s at %s after %s at %s", e.kind, e.key, e.version, before.kind, before.version)
		case there == (e.kind == "Added"):
			return fmt.Sprintf("%s of %s at %s, and it was there: %v", e.kind, e.key, e.version, there)
		}
		last[e.key] = e
	}
	return ""
}

func version(s string) (n uint64) {
	if _, err := fmt.Sscan(strings.TrimSpace(s), &n); err != nil {
		return 0
	}
	return n
}
