package rest

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// hooked calls step before and after each operation of a connection. holds says that a lock of the connection's user is held around the operation.
type hooked struct {
	net.Conn
	step func(holds bool)
}

func (h *hooked) Read(p []byte) (int, error) {
	h.step(false)
	defer h.step(false)
	return h.Conn.Read(p)
}

func (h *hooked) Write(p []byte) (int, error) {
	h.step(false)
	defer h.step(false)
	return h.Conn.Write(p)
}

func (h *hooked) SetDeadline(t time.Time) error {
	h.step(true)
	defer h.step(true)
	return h.Conn.SetDeadline(t)
}

// A cancel between any two steps of a watch ends it at that moment. A version of this that set a deadline after it had looked for a cancel returned
// two and a half minutes late.
func TestCancelBetweenEveryTwoOperationsEndsTheReadAtOnce(t *testing.T) {
	for _, secure := range []bool{false, true} {
		for _, settled := range []bool{false, true} {
			done := false
			for at := 0; !done; at++ {
				if at > 500 {
					t.Fatal("the read loop has too many operations to be one")
				}
				synctest.Test(t, func(t *testing.T) { done = cancelAt(t, at, settled, secure) })
			}
		}
	}
}

// cancelAt watches a slow stream and cancels at one operation, with the cancel's own goroutine run to its end there or left to come when it comes.
// It reports whether there was no such operation. The peer pauses before everything it sends, so that a wait that should have ended shows.
func cancelAt(t *testing.T, at int, settled, secure bool) (done bool) {
	p := newPeer(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	var steps int
	var cancelled time.Time
	first := func(here func() bool) bool {
		mu.Lock()
		defer mu.Unlock()
		if !here() || !cancelled.IsZero() {
			return false
		}
		cancelled = time.Now()
		return true
	}
	p.net.Wrap = func(c net.Conn) net.Conn {
		return &hooked{c, func(holds bool) {
			if !first(func() bool { steps++; return steps == at+1 }) {
				return
			}
			cancel()
			if settled && !holds {
				synctest.Wait()
			}
		}}
	}
	cfg := Config{}
	var serve func(*peerConn) *peerConn
	if serve = func(c *peerConn) *peerConn { return c }; secure {
		ca := newAuthority(t)
		server := ca.server("127.0.0.1")
		cfg.Server, cfg.CAData = "https://127.0.0.1", ca.PEM
		serve = func(c *peerConn) *peerConn { return c.secure(server) }
	}
	c := p.client(cfg)
	defer c.Close()
	p.run(func() {
		conn := p.accept()
		if conn == nil {
			return
		}
		defer conn.Close()
		time.Sleep(time.Second)
		if conn = serve(conn); conn == nil || conn.head() == "" {
			return
		}
		for _, piece := range []string{"HTTP/1.1 200", " OK\r\nTransfer-Encoding: chu", "nked\r\n\r\n", "5\r", "\nhel", "lo\r\n5\r\nhello", "\r\n"} {
			time.Sleep(time.Second)
			conn.send(piece)
		}
		conn.br.ReadByte() // silent until the client goes
	})
	time.AfterFunc(time.Minute, func() { // after the last operation: the read waits
		if done = first(func() bool { return true }); done {
			cancel()
		}
	})
	response, err := c.Do(ctx, Request{Path: "/"})
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
	}
	late := time.Since(cancelled)
	if !errors.Is(err, context.Canceled) || late != 0 {
		t.Errorf("cancelled at operation %d (settled %v, TLS %v): returned %v later with %v", at, settled, secure, late, err)
	}
	if err == nil {
		response.Body.Close()
	}
	if s := c.Stats(); s.Open != 0 {
		t.Errorf("cancelled at operation %d: %d connections are open", at, s.Open)
	}
	p.close()
	return done
}

func TestTheCauseOfACancelIsInTheError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		c := p.client(Config{})
		defer c.Close()
		reason := errors.New("the operator went home")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(reason) })
		_, err := c.Do(ctx, Request{Path: "/"})
		if !errors.Is(err, context.Canceled) || !errors.Is(err, reason) || asError(t, err).Timeout() {
			t.Errorf("%v", err)
		}
	})
}

func TestADeadlineOfTheContextIsATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		c := p.client(Config{})
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		_, err := c.Do(ctx, Request{Path: "/"})
		if !errors.Is(err, context.DeadlineExceeded) || !asError(t, err).Timeout() || time.Since(start) != 3*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

func TestACancelledContextSendsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := scripted(t, Config{}, newScript(io.EOF))
	if _, err := c.Do(ctx, Request{Path: "/"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if s := c.Stats(); s.Dials != 0 {
		t.Errorf("%+v", s)
	}
}

// A connection that keeps no deadline could not be cancelled, so it is not waited on.
func TestAConnectionThatRefusesDeadlinesIsEnded(t *testing.T) {
	c := scripted(t, Config{}, &stubborn{newScript(errSilent)})
	if _, err := c.Do(t.Context(), Request{Path: "/"}); err == nil {
		t.Error("used all the same")
	}
	if s := c.Stats(); s.Open != 0 {
		t.Errorf("%+v", s)
	}
}

type stubborn struct{ *script }

func (*stubborn) SetDeadline(time.Time) error { return errors.New("no deadlines here") }
