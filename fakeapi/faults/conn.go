package faults

import (
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// conn is the server's side of a connection, with whatever is done to it.
type conn struct {
	net.Conn
	injector *Injector
	closed   chan struct{}
	once     sync.Once

	mu   sync.Mutex
	plan wirePlan // of the answer under way; nil: none
	// mute drops what is written and hides that the client goes, as a
	// connection does whose other end is no longer there.
	mute   bool
	readBy time.Time
	moved  chan struct{} // closed when readBy changes; nil while nobody waits
}

// wirePlan is what is done to the bytes of one answer.
type wirePlan interface {
	write(c *conn, p []byte) (int, error)
}

func (i *Injector) wrap(inner net.Conn) net.Conn {
	c := &conn{Conn: inner, injector: i, closed: make(chan struct{})}
	i.mu.Lock()
	i.conns[c] = struct{}{}
	dead := i.dead > 0
	i.mu.Unlock()
	if dead {
		c.reset()
		return c
	}
	if n := i.find(func(n *Injection) bool { return n.accept != nil && n.take(n.count()) }); n != nil {
		n.accept(c)
	}
	return c
}

// each does something to every open connection.
func (i *Injector) each(do func(*conn)) {
	i.mu.Lock()
	open := make([]*conn, 0, len(i.conns))
	for c := range i.conns {
		open = append(open, c)
	}
	i.mu.Unlock()
	for _, c := range open {
		do(c)
	}
}

// arm sets what is done to the answer of a request.
func (x *exchange) arm(p wirePlan) {
	if c := connOf(x); c != nil {
		c.mu.Lock()
		c.plan = p
		c.mu.Unlock()
	}
}

func (c *conn) Write(p []byte) (int, error) {
	if !c.injector.awaitThaw(c.closed) {
		return 0, net.ErrClosed
	}
	c.mu.Lock()
	plan, mute := c.plan, c.mute
	c.mu.Unlock()
	switch {
	case mute:
		return len(p), nil
	case plan != nil:
		return plan.write(c, p)
	}
	return c.Conn.Write(p)
}

func (c *conn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if !c.injector.awaitThaw(c.closed) {
			return 0, net.ErrClosed
		}
		c.mu.Lock()
		mute := c.mute
		wait, by := c.waiter(), c.readBy
		c.mu.Unlock()
		if !mute || isDeadline(err) {
			return n, err
		}
		if err != nil && !c.await(wait, by) {
			return 0, net.ErrClosed
		}
	}
}

func isDeadline(err error) bool {
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}

// waiter returns what is closed when the deadline of reading moves. Called with
// mu.
func (c *conn) waiter() <-chan struct{} {
	if c.moved == nil {
		c.moved = make(chan struct{})
	}
	return c.moved
}

// await returns at the deadline, when it moves, or, false, at the end.
func (c *conn) await(moved <-chan struct{}, by time.Time) bool {
	var due <-chan time.Time
	if !by.IsZero() {
		timer := time.NewTimer(time.Until(by))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-moved:
	case <-due:
	case <-c.closed:
		return false
	}
	return true
}

func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	c.readBy = t
	if c.moved != nil {
		close(c.moved)
		c.moved = nil
	}
	c.mu.Unlock()
	return c.Conn.SetReadDeadline(t)
}

func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// Close ends the connection as FIN does, unless it is mute: then the client is
// not told.
func (c *conn) Close() error {
	c.forget()
	c.mu.Lock()
	mute := c.mute
	c.mu.Unlock()
	if mute {
		return c.Conn.SetReadDeadline(time.Unix(1, 0)) // for a Read that waits
	}
	return c.Conn.Close()
}

func (c *conn) forget() {
	c.once.Do(func() { close(c.closed) })
	c.injector.mu.Lock()
	delete(c.injector.conns, c)
	c.injector.mu.Unlock()
}

// reset ends the connection as RST does.
func (c *conn) reset() {
	switch inner := c.Conn.(type) {
	case interface{ Reset() }:
		inner.Reset()
	case *net.TCPConn:
		_ = inner.SetLinger(0) // what Close then sends
	}
	_ = c.Close()
}

// closeWrite ends what the server writes, and nothing else.
func (c *conn) closeWrite() {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
}

// silence drops everything from here on, both ways.
func (c *conn) silence() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mute = true
}

// sleep lets time pass on a connection; false: it has ended.
func (c *conn) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.closed:
		return false
	}
}

// freeze stops every connection, as SIGSTOP stops a server, until thaw.
func (i *Injector) freeze() (thaw func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.frozen != nil {
		return func() {}
	}
	frozen := make(chan struct{})
	i.frozen = frozen
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.frozen = nil
		close(frozen)
	}
}

// awaitThaw reports whether the connection is still there afterwards.
func (i *Injector) awaitThaw(closed <-chan struct{}) bool {
	i.mu.Lock()
	frozen := i.frozen
	i.mu.Unlock()
	if frozen == nil {
		return true
	}
	select {
	case <-frozen:
		return true
	case <-closed:
		return false
	}
}

var errReset = &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.ECONNRESET)}
