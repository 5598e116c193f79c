package rest

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// errSilent ends a script whose peer stays connected and says no more: a read then waits for its deadline, which is over at once.
var errSilent = os.ErrDeadlineExceeded

// script is a connection whose peer answers with fixed pieces, one per read, and then an end.
type script struct {
	mu     sync.Mutex
	pieces [][]byte
	end    error
	wrote  []byte
	closed bool
}

func newScript(end error, pieces ...[]byte) *script {
	return &script{pieces: pieces, end: end}
}

func (s *script) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, net.ErrClosed
	}
	for len(s.pieces) > 0 && len(s.pieces[0]) == 0 {
		s.pieces = s.pieces[1:]
	}
	if len(s.pieces) == 0 {
		return 0, s.end
	}
	n := copy(p, s.pieces[0])
	s.pieces[0] = s.pieces[0][n:]
	return n, nil
}

func (s *script) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrote = append(s.wrote, p...)
	return len(p), nil
}

func (s *script) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

func (s *script) written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.wrote)
}

func (s *script) LocalAddr() net.Addr              { return nil }
func (s *script) RemoteAddr() net.Addr             { return nil }
func (s *script) SetDeadline(time.Time) error      { return nil }
func (s *script) SetReadDeadline(time.Time) error  { return nil }
func (s *script) SetWriteDeadline(time.Time) error { return nil }

// client returns a client whose dials give these connections in turn, and an error after them.
func scripted(t testing.TB, cfg Config, conns ...net.Conn) *Client {
	t.Helper()
	if cfg.Server == "" {
		cfg.Server = "http://127.0.0.1"
	}
	cfg.Dial = func(context.Context, string, string) (net.Conn, error) {
		if len(conns) == 0 {
			return nil, syscall.ECONNREFUSED
		}
		next := conns[0]
		conns = conns[1:]
		return next, nil
	}
	c, err := NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// outcome is everything a caller can see of one request.
type outcome struct {
	Code    int
	Header  Header
	Body    string
	Framing Framing
	Err     error
	Text    string // of the error
	Kept    bool   // the connection waits for another request
}

// fetch does one request and reads its body to the end.
func fetch(t testing.TB, c *Client, r Request) (o outcome) {
	t.Helper()
	response, err := c.Do(t.Context(), r)
	if err == nil {
		var body []byte
		o.Code, o.Header, o.Framing = response.Code, response.Header, response.Framing
		body, err = io.ReadAll(response.Body)
		o.Body = string(body)
		response.Body.Close()
	}
	if o.Err = err; err != nil {
		o.Text = err.Error()
	}
	stats := c.Stats()
	if stats.InUse != 0 {
		t.Errorf("%d connections are in use after the response was read", stats.InUse)
	}
	o.Kept = stats.Idle > 0
	return o
}

// answer is what a client makes of one connection's bytes.
func answer(t testing.TB, r Request, end error, pieces ...[]byte) outcome {
	t.Helper()
	s := newScript(end, pieces...)
	c := scripted(t, Config{}, s)
	o := fetch(t, c, r)
	c.Close()
	if !s.closed {
		t.Error("a connection was left open after Close")
	}
	return o
}

// asError returns the *Error in err.
func asError(t testing.TB, err error) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Errorf("want an *Error, got %T: %v", err, err)
		return new(Error)
	}
	return e
}

func itoa(n int) string { return strconv.Itoa(n) }

// dialSlices dials pairing servers whose answers come in slices of a size; 0 is whole.
func dialSlices(conns *[]*pairing, next func() (byte, []byte), slice byte) dialFunc {
	return func(context.Context, string, string) (net.Conn, error) {
		p := &pairing{script: newScript(errSilent), next: next}
		*conns = append(*conns, p)
		if slice == 0 {
			return p, nil
		}
		return &sliced{p, int(slice)}, nil
	}
}

// sliced reads at most n bytes at a time.
type sliced struct {
	net.Conn
	n int
}

func (s *sliced) Read(p []byte) (int, error) { return s.Conn.Read(p[:min(len(p), s.n)]) }
