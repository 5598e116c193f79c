package listwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/rest"
)

// fault is what becomes of a connection after some bytes of the server's.
type fault struct {
	name string
	err  error // what a read says; nil: it waits
	step int64 // bytes from one cut to the next: every byte once is enough, the kinds of end differ in rest alone
}

// faultyConn lets left bytes through in all; the budget is shared by the connections of a client, and used up once.
type faultyConn struct {
	net.Conn
	fault fault
	left  *atomic.Int64
	over  atomic.Bool
}

const usedUp = int64(1) << 60

func (c *faultyConn) Read(p []byte) (int, error) {
	if c.over.Load() {
		if c.fault.err == nil {
			return c.stall(p)
		}
		return 0, c.fault.err
	}
	if left := c.left.Load(); left == 0 {
		c.over.Store(true)
		c.left.Store(usedUp)
		return c.Read(p)
	} else if int64(len(p)) > left {
		p = p[:left]
	}
	n, err := c.Conn.Read(p)
	c.left.Add(-int64(n))
	return n, err
}

// stall swallows what comes: a peer that is gone without a word.
func (c *faultyConn) stall(p []byte) (int, error) {
	for {
		if _, err := c.Conn.Read(p); err != nil {
			return 0, err
		}
	}
}

// The connection breaks, or falls silent, after each byte of what the server sends, head, chunk sizes and frames included. What is seen in the end is what is there;
// each change comes once and in order; there is no relist once the state was complete.
func TestEveryByteMayBeTheLast(t *testing.T) {
	faults := []fault{{"FIN", io.EOF, 1}, {"RST", syscall.ECONNRESET, 7}, {"silence", nil, 7}}
	modes := []WatchListMode{WatchListFirst, WatchListOff}
	for _, f := range faults {
		for _, mode := range modes {
			t.Run(fmt.Sprintf("%s/watch-list %d", f.name, mode), func(t *testing.T) {
				total := cutAfter(t, f, mode, usedUp/2)
				if total < 500 || total > 10_000 {
					t.Fatalf("the server sends %d bytes", total)
				}
				for n := int64(0); n < total; n += f.step {
					cutAfter(t, f, mode, n)
				}
			})
		}
	}
}

// cutAfter runs one scenario and returns how many bytes the server had sent.
func cutAfter(t *testing.T, f fault, mode WatchListMode, n int64) (sent int64) {
	t.Helper()
	inBubble(t, fakeapi.Options{BookmarkInterval: 20 * time.Second}, func(k *kit) {
		var left atomic.Int64
		left.Store(n)
		client, err := rest.NewClient(rest.Config{Server: k.api.URL(), Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := k.api.Dial(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &faultyConn{Conn: conn, fault: f, left: &left}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		k.client = client
		k.at(99)
		k.put("a", "1")
		k.put("b", "1")
		o := k.options()
		o.WatchList, o.BadFrameRelist = mode, -1
		k.reflect(o)
		pass(25 * time.Second) // the watch is a healthy one then
		k.put("a", "2")
		pass(10 * time.Second)
		k.delete("b")
		k.put("c", "1")
		pass(5 * time.Minute)
		sent = n - left.Load()
		checkSeen(t, fmt.Sprintf("%s after %d bytes", f.name, n), k)
	})
	return sent
}

// checkSeen plays what was seen and compares it with what is there.
func checkSeen(t *testing.T, why string, k *kit) {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	state, shadow := map[string]string{}, map[string]string(nil)
	var changes []string
	ends := 0
	for _, l := range k.seen {
		kind, object, _ := strings.Cut(l, " ")
		name, version, _ := strings.Cut(object, "@")
		switch kind {
		case "ReplaceBegin":
			if shadow != nil {
				t.Errorf("%s: a replace inside a replace", why)
			}
			shadow = map[string]string{}
		case "ReplaceItem":
			shadow[name] = version
		case "ReplaceRemove":
			delete(shadow, name)
		case "ReplaceAbort":
			shadow = nil
		case "ReplaceEnd":
			state, shadow = shadow, nil
			ends++
		case "Added", "Modified":
			state[name] = version
			changes = append(changes, l)
		case "Deleted":
			delete(state, name)
			changes = append(changes, l)
		case "Problem", "error:":
			t.Errorf("%s: %s", why, l)
		}
	}
	if diff := cmp.Diff(map[string]string{"a": "102", "c": "104"}, state); diff != "" {
		t.Errorf("%s: the state is another one: %s\n%s", why, diff, strings.Join(k.seen, "\n"))
	}
	want := []string{"Modified a@102", "Deleted b@103", "Added c@104"}
	if ends != 1 || !slices.Equal(changes, want[len(want)-min(len(changes), len(want)):]) {
		t.Errorf("%s: %d states, %v", why, ends, changes)
	}
	if s := k.r.Status(); len(s.Relists) > 0 {
		t.Errorf("%s: relists: %v", why, maps.Clone(s.Relists))
	}
}

// The same for the single requests: whatever is missing, the end says so.
func TestListAndWatchCutAtEveryByte(t *testing.T) {
	single := map[string]func(context.Context, *rest.Client, Options) eventSeq{"list": List, "watch": Watch}
	for name, iterate := range single {
		run := func(n int64) (got []string, sent int64, err error) {
			inBubble(t, fakeapi.Options{}, func(k *kit) {
				var left atomic.Int64
				left.Store(n)
				client, err2 := rest.NewClient(rest.Config{Server: k.api.URL(), Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
					conn, err := k.api.Dial(ctx, network, addr)
					return &faultyConn{Conn: conn, fault: fault{err: io.EOF}, left: &left}, err
				}})
				if err2 != nil {
					t.Fatal(err2)
				}
				defer client.Close()
				k.at(99)
				k.put("a", "1")
				k.put("b", "1")
				o := k.options()
				o.PageSize = 1
				if name == "watch" {
					o.List.ResourceVersion, o.List.TimeoutSeconds = "99", 5
				}
				got, err = lines(iterate(k.t.Context(), client, o))
				sent = n - left.Load()
			})
			return got, sent, err
		}
		whole, total, end := run(usedUp / 2)
		if len(whole) < 2 || total > 10_000 {
			t.Fatalf("%s: %v, %v, %d bytes", name, whole, end, total)
		}
		for n := range total {
			got, _, err := run(n)
			if err == nil && slices.Equal(got, whole) && name == "list" {
				continue // between two pages: the request was sent again on a new connection (RFC 9112 9.3.1)
			}
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s cut after %d of %d bytes: %v", name, n, total, err)
			}
			if len(got) > len(whole) || !slices.Equal(got, whole[:len(got)]) || name == "list" && len(got) == len(whole) {
				t.Errorf("%s cut after %d of %d bytes yields %v", name, n, total, got)
			}
		}
	}
}
