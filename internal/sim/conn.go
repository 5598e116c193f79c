package sim

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/rawwatch/rawwatch/internal/memnet"
)

// conn is the client's end of a connection. Its fields are guarded by the network's lock, but for ahead, which belongs to the reader.
type conn struct {
	*memnet.Conn
	network *Network
	id      int
	trace   *connTrace

	delivered int64
	readBy    time.Time
	end       error // what every read returns from now on
	stalled   bool
	deaf      bool // what is written is lost
	closed    bool
	resume    time.Time // nothing is delivered before
	trickle   int64     // bytes that come alone
	every     time.Duration
	corrupt   bool          // the next byte is another one
	wake      chan struct{} // closed at a change; nil while nobody waits

	ahead []byte // read from the wire and not delivered
}

// suffer lets a fault happen. Called with the network's lock.
func (c *conn) suffer(f Fault) {
	now := time.Now()
	c.network.fired = append(c.network.fired, Fired{Fault: f, Conn: c.id, Offset: c.delivered, Time: now})
	switch f.Kind {
	case FIN:
		c.end = io.EOF
		c.Conn.Close()
	case CloseNotify:
		c.network.accepted[c.id-1].Conn.Close()
	case RST:
		c.end = &net.OpError{Op: "read", Net: "sim", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: syscall.ECONNRESET}
		c.Conn.Reset()
	case Stall:
		c.stalled = true
	case HalfOpen:
		c.stalled, c.deaf = true, true
	case Trickle:
		c.trickle, c.every = f.Bytes, f.For
	case Split:
		c.resume = now.Add(time.Millisecond + c.own())
	case Coalesce:
		c.resume = now.Add(f.For + c.own())
	case Corrupt:
		c.corrupt = true
	}
	c.changed()
}

// own is the connection's nanosecond offset: its timers fall together with nobody's.
func (c *conn) own() time.Duration { return time.Duration(101 + 1000*c.id) }

// interrupt ends a read of the wire that is under way, so that it looks around. Called with the network's lock.
func (c *conn) interrupt() { _ = c.Conn.SetReadDeadline(time.Unix(1, 0)) }

func (c *conn) changed() {
	if c.wake != nil {
		close(c.wake)
		c.wake = nil
	}
}

// Read returns what has arrived, up to the next fault.
func (c *conn) Read(p []byte) (int, error) {
	for {
		limit, wait, err := c.look(len(p))
		switch {
		case err != nil:
			return 0, err
		case wait != nil:
			wait()
			continue
		}
		if c.network.latency > 0 && len(c.ahead) == 0 {
			if err := c.fetch(limit); err != nil && !c.changedUnder(err) {
				return 0, err
			}
			continue
		}
		n, err := c.receive(p[:limit])
		if n == 0 && err != nil && c.changedUnder(err) {
			continue
		}
		return n, err
	}
}

// look decides what a read is to do: to deliver up to limit bytes, to wait, or to fail.
func (c *conn) look(want int) (limit int, wait func(), err error) {
	n := c.network
	n.mu.Lock()
	defer n.mu.Unlock()
	n.strike(c)
	now := time.Now()
	switch {
	case c.closed:
		return 0, nil, c.failed("read", net.ErrClosed)
	case c.end != nil:
		return 0, nil, c.end
	case !c.readBy.IsZero() && !now.Before(c.readBy):
		return 0, nil, c.failed("read", os.ErrDeadlineExceeded)
	case c.stalled:
		return 0, c.waiter(c.readBy), nil
	case now.Before(c.resume):
		return 0, c.waiter(sooner(c.readBy, c.resume)), nil
	}
	limit = int(min(int64(want), n.room(c)))
	if n.pace > 0 {
		limit = min(limit, n.pace)
	}
	if c.trickle > 0 || c.corrupt {
		limit = min(limit, 1)
	}
	return limit, nil, nil
}

// fetch waits for something to arrive, and lets it be under way for the latency of the network.
func (c *conn) fetch(limit int) error {
	buffer := make([]byte, max(limit, 1))
	k, err := c.Conn.Read(buffer)
	if k == 0 {
		return err
	}
	n := c.network
	n.mu.Lock()
	defer n.mu.Unlock()
	c.ahead = buffer[:k]
	c.resume = time.Now().Add(n.latency + c.own())
	return nil
}

// receive delivers.
func (c *conn) receive(p []byte) (k int, err error) {
	for c.network.latency > 0 && len(c.ahead) < len(p) && c.Buffered() > 0 { // it arrived while the first of it was under way
		buffer := make([]byte, len(p)-len(c.ahead))
		if k, err = c.Conn.Read(buffer); err != nil {
			break
		}
		c.ahead = append(c.ahead, buffer[:k]...)
	}
	if len(c.ahead) > 0 {
		k = copy(p, c.ahead)
		c.ahead, err = c.ahead[k:], nil
	} else {
		k, err = c.Conn.Read(p)
	}
	if k > 0 {
		c.deliver(p[:k])
	}
	return k, err
}

// deliver accounts for bytes that the client gets.
func (c *conn) deliver(p []byte) {
	n := c.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.corrupt {
		p[0] ^= 0x15
		c.corrupt = false
	}
	c.delivered += int64(len(p))
	n.total += int64(len(p))
	c.trace.down(p)
	if c.trickle > 0 {
		c.trickle--
		c.resume = time.Now().Add(c.every + c.own())
	}
	if c.network.latency > 0 && len(c.ahead) > 0 {
		c.resume = time.Now().Add(n.latency + c.own())
	}
	n.strike(c)
}

// changedUnder reports whether a read of the wire failed because something else happened to the connection.
func (c *conn) changedUnder(err error) bool {
	n := c.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.end != nil || c.stalled || c.closed {
		return true
	}
	now := time.Now()
	if ne, ok := err.(net.Error); ok && ne.Timeout() && (c.readBy.IsZero() || now.Before(c.readBy)) {
		_ = c.Conn.SetReadDeadline(c.readBy) // interrupt set another
		return true
	}
	return false
}

// Write gives the server what the client says.
func (c *conn) Write(p []byte) (int, error) {
	n := c.network
	n.mu.Lock()
	end, deaf := c.end, c.deaf && !c.closed
	c.trace.up(p)
	n.mu.Unlock()
	switch {
	case deaf:
		return len(p), nil
	case end != nil:
		return 0, c.failed("write", syscall.EPIPE)
	}
	return c.Conn.Write(p)
}

// Close ends the connection; the server of a half-open one never hears of it.
func (c *conn) Close() error {
	n := c.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.closed {
		return c.failed("close", net.ErrClosed)
	}
	c.closed = true
	n.open--
	c.changed()
	if !c.deaf {
		c.Conn.Close()
	}
	return nil
}

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline moves the deadline of reads, also of one that waits.
func (c *conn) SetReadDeadline(t time.Time) error {
	n := c.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.closed {
		return c.failed("set", net.ErrClosed)
	}
	c.readBy = t
	c.changed()
	if c.end == nil && !c.stalled {
		return c.Conn.SetReadDeadline(t)
	}
	return nil
}

// SetWriteDeadline moves the deadline of writes.
func (c *conn) SetWriteDeadline(t time.Time) error {
	n := c.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.end != nil {
		return nil
	}
	return c.Conn.SetWriteDeadline(t)
}

func (c *conn) failed(op string, err error) error {
	return &net.OpError{Op: op, Net: "sim", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: err}
}

// waiter returns a wait for a change, or for a time. Called with the network's lock; the wait is not.
func (c *conn) waiter(until time.Time) func() {
	if c.wake == nil {
		c.wake = make(chan struct{})
	}
	wake := c.wake
	if until.IsZero() {
		return func() { <-wake }
	}
	return func() {
		timer := time.NewTimer(time.Until(until))
		defer timer.Stop()
		select {
		case <-wake:
		case <-timer.C:
		}
	}
}

// sooner is the earlier of two times, of which zero is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
