package rest

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
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
	transport *tlsTransport              // below http; nil without TLS
	made      atomic.Pointer[tls.Config] // what the handshake with the server uses; nil before it, and without TLS
	looking   *time.Timer                // for files that have changed; nil without any
	retired   atomic.Bool                // made was found outdated while the connection was in use
	limits    *deadline
	secrets   secrets // of the request under way
	trace     traces  // the client's; a request's own comes with its exchange
	born      time.Time

	requests atomic.Int64
	dry      bool // reads do not ask the network
	read     atomic.Int64
	written  atomic.Int64

	watched func() bool // release of the context of the request under way
	expiry  *time.Timer // while in the pool

	ended  atomic.Bool
	onShut func(*conn)
}

// Read implements io.Reader for the buffered reader.
func (cn *conn) Read(p []byte) (int, error) {
	if cn.dry {
		return 0, errDry
	}
	cn.limits.arm()
	n, err := cn.http.Read(p)
	cn.read.Add(int64(n))
	if err == io.EOF && cn.transport != nil && cn.transport.cut.Load() {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Write writes all of p.
func (cn *conn) Write(p []byte) (int, error) {
	n, err := cn.http.Write(p)
	cn.written.Add(int64(n))
	return n, err
}

// begin gives the connection to a request.
func (cn *conn) begin(ctx context.Context) {
	if cn.watched == nil { // a new connection is watched since it was dialled
		cn.watched = cn.limits.watch(ctx)
	}
	cn.requests.Add(1)
}

// release takes it back. It reports whether the connection still lives.
func (cn *conn) release() bool {
	if cn.watched == nil {
		return !cn.limits.ended.Load()
	}
	ok := cn.watched()
	cn.watched = nil
	return ok && !cn.limits.ended.Load()
}

// shut closes the connection, once, and says who did it and why. No lock is held: sending close_notify may have to wait a moment.
func (cn *conn) shut(t traces, side Side, reason string) {
	if cn.ended.Swap(true) {
		return
	}
	if cn.looking != nil {
		cn.looking.Stop()
	}
	cn.http.Close() // sends close_notify over TLS (RFC 9112 9.8)
	cn.raw.Close()
	now := time.Now()
	t.closed(ConnClosed{
		Conn: cn.id, Time: now, Side: side, Reason: reason, Requests: int(cn.requests.Load()),
		Read: cn.read.Load(), Written: cn.written.Load(), Age: now.Sub(cn.born),
	})
	cn.onShut(cn)
}
