package memnet

import (
	"context"
	"net"
	"net/http"
	"testing"

	"golang.org/x/net/nettest"
)

// The conformance tests for net.Conn that golang.org/x/net publishes, over a bounded buffer: some of them write until a deadline stops them.
func TestConnBehavesAsNetConn(t *testing.T) {
	nettest.TestConn(t, func() (net.Conn, net.Conn, func(), error) {
		a, b := Pipe()
		a.SetBuffer(64 << 10)
		b.SetBuffer(64 << 10)
		return a, b, func() { a.Close(); b.Close() }, nil
	})
}

func TestNetHTTPRunsOverIt(t *testing.T) {
	n := New()
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("hello")) })}
	go srv.Serve(n.Listen())
	c := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) { return n.Dial(ctx, network, addr) }}}
	r, err := c.Get("http://x/")
	if err != nil || r.StatusCode != 200 {
		t.Fatal(r, err)
	}
	r.Body.Close()
	srv.Close()
	c.CloseIdleConnections()
}
