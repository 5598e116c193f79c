package rest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

const hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

// serveForever answers each request with the same text until the client goes.
func (c *peerConn) serveForever(response string) {
	for c.head() != "" {
		c.send(response)
	}
	if c != nil {
		c.Close()
	}
}

func (c *peerConn) serve(response string) func() { return func() { c.serveForever(response) } }

func get(t testing.TB, c *Client, method string) error {
	t.Helper()
	return fetch(t, c, Request{Method: method, Path: "/"}).Err
}

func TestRequestsShareAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{})
		defer c.Close()
		p.run(func() { p.accept().serveForever(hello) })
		for range 5 {
			if err := get(t, c, "GET"); err != nil {
				t.Fatal(err)
			}
		}
		if s := c.Stats(); s.Dials != 1 || s.Reused != 4 || s.Requests != 5 || s.Open != 1 || s.Idle != 1 {
			t.Errorf("%+v", s)
		}
	})
}

func TestAnUnusedConnectionIsClosedAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		var closed ConnClosed
		c := p.client(Config{IdleConnTimeout: time.Minute, Trace: &Trace{CloseConn: func(i ConnClosed) { closed = i }}})
		defer c.Close()
		p.run(func() { p.accept().serveForever(hello) })
		if err := get(t, c, "GET"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute - time.Millisecond)
		if s := c.Stats(); s.Idle != 1 {
			t.Errorf("before its time: %+v", s)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if s := c.Stats(); s.Open != 0 || s.Closed != 1 {
			t.Errorf("after its time: %+v", s)
		}
		if closed.Side != SideLocal || closed.Requests != 1 || closed.Age != time.Minute {
			t.Errorf("%+v", closed)
		}
	})
}

func TestNoMoreUnusedConnectionsThanAllowedAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, max := range []int{1, 3, -1} {
			p := newPeer(t)
			c := p.client(Config{MaxIdleConns: max})
			for range 5 {
				p.run(func() { p.accept().serveForever(hello) })
			}
			var open []*Response
			for range 5 {
				r, err := c.Do(t.Context(), Request{Path: "/"})
				if err != nil {
					t.Fatal(err)
				}
				open = append(open, r)
			}
			if s := c.Stats(); s.InUse != 5 || s.Dials != 5 {
				t.Errorf("one response, one connection: %+v", s)
			}
			for _, r := range open {
				io.Copy(io.Discard, r.Body)
			}
			if s := c.Stats(); s.Idle != max && (max != -1 || s.Idle != 0) || s.InUse != 0 {
				t.Errorf("%d allowed: %+v", max, s)
			}
			c.Close()
			p.close()
		}
	})
}

// A kept connection is looked at before it is used: what the peer did meanwhile must not become the answer to the next request (RFC 9112 9.2).
func TestAKeptConnectionOnWhichAnythingHappenedIsNotUsedAgain(t *testing.T) {
	for name, spoil := range map[string]func(*peerConn){
		"closed":            func(c *peerConn) { c.Close() },
		"reset":             func(c *peerConn) { c.Conn.(interface{ Reset() }).Reset() },
		"one byte":          func(c *peerConn) { c.send("X") },
		"a whole response":  func(c *peerConn) { c.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil") },
		"a 408 and a close": func(c *peerConn) { c.send("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"); c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPeer(t)
				defer p.close()
				c := p.client(Config{})
				defer c.Close()
				p.run(func() {
					first := p.accept()
					first.head()
					first.send(hello)
					time.Sleep(time.Second)
					spoil(first)
					p.accept().serveForever(hello)
					first.Close()
				})
				if err := get(t, c, "GET"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Second)
				if o := fetch(t, c, Request{Method: "POST", Path: "/", Body: []byte("{}")}); o.Body != "hello" {
					t.Errorf("%+v", o)
				}
				if s := c.Stats(); s.Dials != 2 || s.Stale != 1 || s.Retries != 0 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}

// vanish is a kept connection that dies between the look at it and the request, which no look can see.
func TestARequestOnADeadConnectionIsSentOnceMoreWhenThatIsSafe(t *testing.T) {
	for _, test := range []struct {
		method string
		end    error
		got    string // of a response, before the end
		again  bool
	}{
		{"GET", io.EOF, "", true},
		{"GET", syscall.ECONNRESET, "", true},
		{"HEAD", io.EOF, "", true},
		{"OPTIONS", io.EOF, "", true},
		{"POST", io.EOF, "", false},
		{"PUT", io.EOF, "", false},
		{"PATCH", io.EOF, "", false},
		{"DELETE", io.EOF, "", false},
		{"GET", io.EOF, "H", false},
		{"GET", syscall.ECONNRESET, "HTTP/1.1 200 OK\r\n", false},
		{"GET", errSilent, "", false},
	} {
		t.Run(test.method+" "+test.end.Error()+" "+test.got, func(t *testing.T) {
			dying := &dyingConn{script: newScript(errSilent, []byte(hello)), last: test.got, end: test.end}
			fresh := newScript(errSilent, []byte("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nagain"))
			c := scripted(t, Config{}, dying, fresh)
			if err := get(t, c, "GET"); err != nil {
				t.Fatal(err)
			}
			o := fetch(t, c, Request{Method: test.method, Path: "/"})
			s := c.Stats()
			if test.again != (o.Err == nil) || test.again != (s.Retries == 1) || s.Requests != 2 {
				t.Errorf("err %v, %+v", o.Err, s)
			}
			if sent := strings.Count(dying.written()+fresh.written(), test.method+" / HTTP/1.1\r\n"); !test.again && test.method != "GET" && sent != 1 {
				t.Errorf("sent %d times", sent)
			}
		})
	}
}

// dyingConn answers one request, looks alive, and ends after the next one was written.
type dyingConn struct {
	*script
	last   string
	end    error
	writes atomic.Int32
	refuse bool // the second write fails
}

func (d *dyingConn) Write(p []byte) (int, error) {
	if d.writes.Add(1) == 2 {
		if d.refuse {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.script.end = d.end
			return 0, syscall.EPIPE
		}
		d.mu.Lock()
		d.script.pieces = [][]byte{[]byte(d.last)}
		d.script.end = d.end
		d.mu.Unlock()
	}
	return d.script.Write(p)
}

func TestARequestOfWhichNothingWasWrittenIsSentOnceMoreWhateverItIs(t *testing.T) {
	dying := &dyingConn{script: newScript(errSilent, []byte(hello)), end: io.EOF, refuse: true}
	c := scripted(t, Config{}, dying, newScript(errSilent, []byte(hello)))
	if err := get(t, c, "GET"); err != nil {
		t.Fatal(err)
	}
	if o := fetch(t, c, Request{Method: "POST", Path: "/", Body: []byte("{}")}); o.Body != "hello" {
		t.Errorf("%+v", o)
	}
	if s := c.Stats(); s.Retries != 1 {
		t.Errorf("%+v", s)
	}
}

func TestAFreshConnectionIsNeverRetried(t *testing.T) {
	c := scripted(t, Config{}, newScript(io.EOF), newScript(errSilent, []byte(hello)))
	if err := get(t, c, "GET"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	if s := c.Stats(); s.Dials != 1 {
		t.Errorf("%+v", s)
	}
}

// A server may refuse a large body before it has read it, and close: the answer is there although the write failed (RFC 9112 9.5).
func TestAnEarlyAnswerIsReadThoughTheWriteFailed(t *testing.T) {
	c := scripted(t, Config{}, &halfDeaf{newScript(io.EOF, []byte("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"))})
	o := fetch(t, c, Request{Method: "POST", Path: "/", Body: make([]byte, 1<<20)})
	if said(o) != "error 413 close" {
		t.Errorf("%s", said(o))
	}
	c = scripted(t, Config{}, &halfDeaf{newScript(io.EOF)})
	o = fetch(t, c, Request{Method: "POST", Path: "/", Body: make([]byte, 1<<20)})
	if e := asError(t, o.Err); e.Phase != PhaseWrite || !errors.Is(e, syscall.EPIPE) || !errors.Is(e, io.ErrUnexpectedEOF) {
		t.Errorf("%v", e)
	}
}

type halfDeaf struct{ *script }

func (h *halfDeaf) Write(p []byte) (int, error) { return len(p) / 2, syscall.EPIPE }

func TestACloseOfTheClientEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{})
		p.run(func() {
			p.run(p.accept().serve(hello))
			silent := p.accept()
			silent.head()
			silent.head()
			silent.Close()
		})
		kept, err := c.Do(t.Context(), Request{Path: "/"})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() {
			_, err := c.Do(context.WithoutCancel(t.Context()), Request{Path: "/"})
			ended <- err
		}()
		synctest.Wait()
		c.Close()
		if err := <-ended; err == nil || errors.Is(err, context.Canceled) || errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("a request under way: %v", err)
		}
		if _, err := kept.Body.Read(make([]byte, 1)); err == nil {
			t.Error("a body of a closed client was read")
		}
		if _, err := c.Do(t.Context(), Request{Path: "/"}); err == nil {
			t.Error("a closed client made a request")
		}
		if s := c.Stats(); s.Open != 0 {
			t.Errorf("%+v", s)
		}
		c.Close()
	})
}

func TestACloseOfTheClientEndsADial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := NewClient(Config{Server: "http://127.0.0.1", Dial: blockedDial})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() { c.Close() })
		took := timed(func() { _, err = c.Do(t.Context(), Request{Path: "/"}) })
		if took != time.Second || !errors.Is(err, errClientClosed) || asError(t, err).Timeout() {
			t.Errorf("after %v: %v", took, err)
		}
	})
}

// On real sockets the receive queue is looked into without waiting.
func TestStaleSocketsAreSeenBeforeUse(t *testing.T) {
	for name, start := range map[string]func(*httptest.Server){"plain": (*httptest.Server).Start, "TLS": (*httptest.Server).StartTLS} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }))
			gone := make(chan struct{}, 16)
			s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateClosed {
					gone <- struct{}{}
				}
			}
			start(s)
			defer s.Close()
			c, err := NewClient(Config{Server: s.URL, TLS: clientTLS(s)})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			for range 3 {
				if err := get(t, c, "POST"); err != nil {
					t.Fatal(err)
				}
			}
			if stats := c.Stats(); stats.Dials != 1 {
				t.Errorf("a quiet socket is used again: %+v", stats)
			}
			s.CloseClientConnections()
			<-gone
			if err := get(t, c, "POST"); err != nil {
				t.Error(err)
			}
			if stats := c.Stats(); stats.Stale+stats.Retries != 1 || stats.Dials != 2 {
				t.Errorf("%+v", stats)
			}
		})
	}
}
