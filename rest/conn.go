package rest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// readBuffer holds one TLS record.
const readBuffer = 16 << 10

// errDry is what a read returns that would have had to ask the network.
var errDry = errors.New("nothing buffered")

// conn is one connection to the server. It belongs to one request at a time; only shut may be called by anyone.
type conn struct {
	id        uint64
	server    string   // host:port of the server
	dialed    string   // host:port connected to: the server, or the proxy
	pool      string   // which requests it may serve: the proxy it goes through
	raw       net.Conn // as dialled
	http      net.Conn // what HTTP is spoken over: raw, or TLS above it
	br        *bufio.Reader
	transport *tlsTransport // below http; nil without TLS
	limits    *deadline
	trace     traces // the client's; a request's own comes with its exchange
	born      time.Time

	requests atomic.Int64
	dry      bool // reads do not ask the network
	read     atomic.Int64
	written  atomic.Int64

	watched func() bool // release of the context of the request under way
	expiry  *time.Timer // while in the pool

	shutOnce sync.Once
	onShut   func(*conn)
}

// Read implements io.Reader for the buffered reader.
func (c *conn) Read(p []byte) (int, error) {
	if c.dry {
		return 0, errDry
	}
	c.limits.arm()
	n, err := c.http.Read(p)
	c.read.Add(int64(n))
	if err == io.EOF && c.transport != nil && c.transport.cut.Load() {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Write writes all of p.
func (c *conn) Write(p []byte) (int, error) {
	n, err := c.http.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// begin gives the connection to a request.
func (c *conn) begin(ctx context.Context) {
	if c.watched == nil { // a new connection is watched since it was dialled
		c.watched = c.limits.watch(ctx)
	}
	c.requests.Add(1)
}

// release takes it back. It reports whether the connection still lives.
func (c *conn) release() bool {
	if c.watched == nil {
		return !c.limits.ended.Load()
	}
	ok := c.watched()
	c.watched = nil
	return ok && !c.limits.ended.Load()
}

// shut closes the connection, once, and says who did it and why.
func (c *conn) shut(t traces, side Side, reason string) {
	c.shutOnce.Do(func() {
		c.http.Close() // sends close_notify over TLS (RFC 9112 9.8)
		c.raw.Close()
		now := time.Now()
		t.closed(ConnClosed{
			Conn: c.id, Time: now, Side: side, Reason: reason, Requests: int(c.requests.Load()),
			Read: c.read.Load(), Written: c.written.Load(), Age: now.Sub(c.born),
		})
		c.onShut(c)
	})
}
