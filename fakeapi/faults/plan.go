package faults

import (
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// breakAt lets an answer pass up to a place, and then does something to the
// connection.
type breakAt struct {
	fault *Injection
	place place
	do    func(*conn) outcome
	track tracker
	state outcome
}

// outcome is what becomes of the bytes from the place on.
type outcome uint8

const (
	pass outcome = iota
	drop         // the connection is there and says nothing
	fail         // it is gone
)

func (b *breakAt) write(c *conn, p []byte) (int, error) {
	switch b.state {
	case drop:
		return len(p), nil
	case fail:
		return 0, errReset
	}
	if b.fault == nil {
		return c.Conn.Write(p)
	}
	for n := range p {
		if b.track.at(b.place, p[n]) && b.fault.take(b.fault.when.Skip) {
			return b.reached(c, p, n)
		}
		b.track.step(p[n])
	}
	return c.Conn.Write(p)
}

// reached is the place, before p[n].
func (b *breakAt) reached(c *conn, p []byte, n int) (int, error) {
	if n > 0 {
		if n, err := c.Conn.Write(p[:n]); err != nil {
			return n, err
		}
	}
	b.fault = nil
	b.state = b.do(c)
	rest, err := b.write(c, p[n:])
	return n + rest, err
}

func cutHere(c *conn) outcome { _ = c.Close(); return fail }

func resetHere(c *conn) outcome { c.reset(); return fail }

func halfCloseHere(c *conn) outcome { c.closeWrite(); return fail }

func stallHere(*conn) outcome { return drop }

func muteHere(c *conn) outcome { c.silence(); return drop }

// pauseHere stops for a while and goes on.
func pauseHere(d time.Duration) func(*conn) outcome {
	return func(c *conn) outcome {
		if c.sleep(d) {
			return pass
		}
		return fail
	}
}

// slow writes in pieces with a pause after each.
type slow struct {
	piece int
	pause time.Duration
}

func (s slow) write(c *conn, p []byte) (int, error) {
	written := 0
	for len(p) > written {
		n, err := c.Conn.Write(p[written:min(len(p), written+s.piece)])
		written += n
		if err != nil {
			return written, err
		}
		if !c.sleep(s.pause) {
			return written, net.ErrClosed
		}
	}
	return written, nil
}

// gather keeps what is written for a while and then writes all of it.
type gather struct {
	pause time.Duration

	mu   sync.Mutex
	held []byte
}

func (g *gather) write(c *conn, p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.held) == 0 {
		time.AfterFunc(g.pause, func() { g.release(c) })
	}
	g.held = append(g.held, p...)
	return len(p), nil
}

func (g *gather) release(c *conn) {
	g.mu.Lock()
	held := g.held
	g.held = nil
	g.mu.Unlock()
	_, _ = c.Conn.Write(held) // a client that has gone does not mind
}

// spoil replaces the byte at a place.
type spoil struct {
	breakAt
	with byte
}

func (s *spoil) write(c *conn, p []byte) (int, error) {
	if s.fault == nil {
		return c.Conn.Write(p)
	}
	for n := range p {
		if s.track.at(s.place, p[n]) && s.fault.take(s.fault.when.Skip) {
			bad := append([]byte{}, p...)
			bad[n] = s.with
			s.fault = nil
			return c.Conn.Write(bad)
		}
		s.track.step(p[n])
	}
	return c.Conn.Write(p)
}

// connOf finds the connection of a request, below TLS if there is TLS.
func connOf(x *exchange) *conn { return below(x.r) }

func below(r *http.Request) *conn {
	inner := fakeapi.RequestConn(r)
	for inner != nil {
		if c, ok := inner.(*conn); ok {
			return c
		}
		outer, ok := inner.(interface{ NetConn() net.Conn })
		if !ok {
			return nil
		}
		inner = outer.NetConn()
	}
	return nil
}
