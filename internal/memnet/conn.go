package memnet

import (
	"errors"
	"io"
	"net"
	"time"
)

// Conn is one end of a connection. All methods may be used from several goroutines.
type Conn struct {
	in, out       *stream // in is the peer's out
	local, remote Addr
}

// Pipe returns the two ends of a connection that no Network knows, with unbounded buffers.
func Pipe() (client, server *Conn) { return newPair("client", "server", 0) }

func newPair(client, server Addr, size int) (*Conn, *Conn) {
	up, down := &stream{size: size}, &stream{size: size}
	return &Conn{in: down, out: up, local: client, remote: server}, &Conn{in: up, out: down, local: server, remote: client}
}

// Read returns what is there as soon as anything is. The end that the peer made by Close or CloseWrite is io.EOF, a reset syscall.ECONNRESET,
// both after everything that was written before; an end made here is net.ErrClosed. A deadline that has passed is os.ErrDeadlineExceeded even when
// bytes wait.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.in.read(p)
	return n, c.failure("read", err)
}

// Write takes all of p unless the buffer is bounded and full; then it waits for the reader. Calls do not mix their bytes. It fails
// with syscall.ECONNRESET after the peer's Reset, syscall.EPIPE after the peer's Close or CloseWrite here, net.ErrClosed after Close or Reset here,
// and os.ErrDeadlineExceeded; n is what the peer can read.
func (c *Conn) Write(p []byte) (int, error) {
	n, err := c.out.write(p)
	return n, c.failure("write", err)
}

// Close ends both directions. The peer reads what was written before it, and then io.EOF. A second Close is net.ErrClosed.
func (c *Conn) Close() error {
	first := c.in.endReading(closedHere)
	c.out.endWriting(closedHere, false)
	if !first {
		return c.failure("close", net.ErrClosed)
	}
	return nil
}

// CloseWrite ends what this end writes, as a TCP FIN does: the peer reads io.EOF after it, and can go on writing.
func (c *Conn) CloseWrite() error {
	if !c.out.endWriting(finished, false) {
		return c.failure("close", net.ErrClosed)
	}
	return nil
}

// Reset ends the connection as a TCP RST does: the peer reads what was written before it and then syscall.ECONNRESET. It does nothing after Close.
func (c *Conn) Reset() {
	if c.in.endReading(reset) {
		c.out.endWriting(closedHere, true)
	}
}

// SetBuffer bounds the bytes written here that the peer has not read yet; zero or less is no bound. What is already there stays.
func (c *Conn) SetBuffer(size int) { c.out.setSize(size) }

// Buffered returns how many bytes wait here to be read.
func (c *Conn) Buffered() int { return c.in.buffered() }

// LocalAddr returns this end's address.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the peer's address.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline moves the deadline of Read, also of one that waits; the zero time is none.
func (c *Conn) SetReadDeadline(t time.Time) error {
	return c.failure("set", c.in.setReadDeadline(t))
}

// SetWriteDeadline moves the deadline of Write, also of one that waits; the zero time is none.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	return c.failure("set", c.out.setWriteDeadline(t))
}

// failure is how package net reports a connection's errors: io.EOF bare, the rest with the addresses.
func (c *Conn) failure(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: op, Net: networkName, Source: c.local, Addr: c.remote, Err: err}
}
