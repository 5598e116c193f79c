package fakeapi

import (
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type namedConn struct {
	net.Conn
	name string
}

// Wrappers stand around new connections, later ones outside, and a request finds its own.
func TestConnectionsAreWrapped(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		wrap := func(name string) func(net.Conn) net.Conn {
			return func(c net.Conn) net.Conn { return &namedConn{c, name} }
		}
		k.WrapConns(wrap("inner"))
		remove := k.WrapConns(wrap("outer"))
		var got []string
		k.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
			got = nil
			for c := RequestConn(r); c != nil; {
				n, ok := c.(*namedConn)
				if !ok {
					break
				}
				got, c = append(got, n.name), n.Conn
			}
			return false
		})
		k.get("/version")
		if diff := cmp.Diff([]string{"outer", "inner"}, got); diff != "" {
			t.Error(diff)
		}
		remove()
		k.client.CloseIdleConnections()
		k.get("/version")
		if diff := cmp.Diff([]string{"inner"}, got); diff != "" {
			t.Error(diff)
		}
	})
	if RequestConn(&http.Request{}) != nil {
		t.Error("a request of no server has a connection")
	}
}

// What a rewriter lets go is on the wire while it waits with the next.
func TestRewritersMayWaitBetweenInitialEvents(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		for _, name := range []string{"a", "b", "c"} {
			k.Create("pods", `{"metadata":{"name":"`+name+`"}}`)
		}
		k.RewriteEvents(func(_ *http.Request, e Event) []Event {
			time.Sleep(time.Minute)
			return []Event{e}
		})
		r := k.open("GET", "/api/v1/pods?watch=1&timeoutSeconds=600", "")
		defer r.Body.Close()
		began, b := time.Now(), make([]byte, 1<<16)
		for n := range 3 {
			if _, err := r.Body.Read(b); err != nil || time.Since(began) != time.Duration(n+1)*time.Minute {
				t.Errorf("event %d after %v, %v", n, time.Since(began), err)
			}
		}
	})
}
