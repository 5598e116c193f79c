package fuzz

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

// A server answers each request with bytes. It has no goroutine: a request is answered when it has been written, the answer is made as it is read.
type server struct {
	answer func(r *http.Request) io.Reader
	after  error // what a read returns when the answers are over; nil is a peer that stays silent
	conns  int
	read   func(n int) // told of each read, if set
}

// client returns a client whose every connection leads to the server.
func (s *server) client(t testing.TB, c rest.Config) *rest.Client {
	t.Helper()
	c.Server = "http://127.0.0.1"
	c.Dial = func(context.Context, string, string) (net.Conn, error) {
		s.conns++
		return &conn{server: s}, nil
	}
	client, err := rest.NewClient(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// conn is one connection of a server.
type conn struct {
	server *server
	mu     sync.Mutex
	begun  []byte // of a request
	queue  []io.Reader
	closed bool
}

func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = append(c.begun, p...)
	for {
		br := bufio.NewReaderSize(bytes.NewReader(c.begun), 16<<10)
		r, err := http.ReadRequest(br)
		if err != nil {
			return len(p), nil // not all of it yet
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return len(p), nil
		}
		rest, _ := io.ReadAll(br)
		c.begun = rest
		c.queue = append(c.queue, c.server.answer(r))
	}
}

func (c *conn) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) > 0 && !c.closed {
		n, err := c.queue[0].Read(p)
		if err == io.EOF {
			c.queue = c.queue[1:]
			err = nil
		}
		if n > 0 || err != nil {
			if c.server.read != nil {
				c.server.read(n)
			}
			return n, err
		}
	}
	switch {
	case c.closed:
		return 0, net.ErrClosed
	case c.server.after != nil:
		return 0, c.server.after
	}
	return 0, os.ErrDeadlineExceeded
}

func (c *conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return nil
}

func (c *conn) LocalAddr() net.Addr              { return nil }
func (c *conn) RemoteAddr() net.Addr             { return nil }
func (c *conn) SetDeadline(time.Time) error      { return nil }
func (c *conn) SetReadDeadline(time.Time) error  { return nil }
func (c *conn) SetWriteDeadline(time.Time) error { return nil }
