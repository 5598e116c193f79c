package memnet

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestDialWithoutListenerIsRefused(t *testing.T) {
	n := New()
	_, err := n.Dial(t.Context(), "tcp", "10.0.0.1:443")
	var op *net.OpError
	if !errors.Is(err, syscall.ECONNREFUSED) || !errors.As(err, &op) || op.Op != "dial" || op.Addr.String() != "10.0.0.1:443" {
		t.Errorf("%v", err)
	}
}

func TestDialWithAnEndedContext(t *testing.T) {
	n := New()
	n.Listen()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.Dial(ctx, "tcp", "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// As with a kernel's backlog, a connection is there before anybody accepts it.
func TestConnectionsWaitToBeAccepted(t *testing.T) {
	n := New()
	l := n.Listen()
	for _, text := range []string{"first", "second"} {
		c, err := n.Dial(t.Context(), "tcp", "server:80")
		if err != nil {
			t.Fatal(err)
		}
		if c.RemoteAddr().String() != "server:80" {
			t.Errorf("dialled %v", c.RemoteAddr())
		}
		write(t, c, text, len(text), nil)
	}
	for _, text := range []string{"first", "second"} {
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		read(t, c, text, nil)
	}
}

func TestAcceptWaitsForADial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := New()
		l := n.Listen()
		var group sync.WaitGroup
		group.Go(func() {
			if c, err := l.Accept(); err != nil || c.LocalAddr().String() != "x" {
				t.Errorf("%v, %v", c, err)
			}
		})
		time.Sleep(time.Hour)
		if _, err := n.Dial(t.Context(), "tcp", "x"); err != nil {
			t.Error(err)
		}
		group.Wait()
	})
}

// A server that goes away resets whom it never spoke to, refuses the next, and may come back.
func TestListenerClosedAndOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := New()
		l := n.Listen()
		waiting, err := n.Dial(t.Context(), "tcp", "x")
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		read(t, waiting, "", syscall.ECONNRESET)
		if _, err := n.Dial(t.Context(), "tcp", "x"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%v", err)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%v", err)
		}
		if err := l.Close(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%v", err)
		}

		l = n.Listen()
		if _, err := n.Dial(t.Context(), "tcp", "x"); err != nil {
			t.Error(err)
		}
		if _, err := l.Accept(); err != nil {
			t.Error(err)
		}
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("%v", err)
			}
		})
		synctest.Wait()
		l.Close()
		group.Wait()
	})
}

func TestListenersShareConnections(t *testing.T) {
	n := New()
	first, second := n.Listen(), n.Listen()
	n.Dial(t.Context(), "tcp", "x")
	first.Close()
	if _, err := second.Accept(); err != nil {
		t.Error(err)
	}
	if a := second.Addr(); a.Network() != "memnet" || a.String() != "listener" {
		t.Errorf("%v", a)
	}
}

func TestWrapStandsAroundTheClient(t *testing.T) {
	n := New()
	l := n.Listen()
	type wrapped struct{ net.Conn }
	n.Wrap = func(c net.Conn) net.Conn { return wrapped{c} }
	c, err := n.Dial(t.Context(), "tcp", "x")
	if _, ok := c.(wrapped); !ok || err != nil {
		t.Errorf("%T, %v", c, err)
	}
	if s, err := l.Accept(); err != nil {
		t.Errorf("%v", err)
	} else if _, ok := s.(*Conn); !ok {
		t.Errorf("the server has a %T", s)
	}
}

func TestBufferSizeBoundsBothDirections(t *testing.T) {
	n := New()
	n.BufferSize = 3
	l := n.Listen()
	c, err := n.Dial(t.Context(), "tcp", "x")
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		for _, end := range []net.Conn{c, s} {
			end.SetWriteDeadline(time.Now().Add(time.Second))
			if n, err := end.Write([]byte("hello")); n != 3 || err == nil {
				t.Errorf("wrote %d, %v", n, err)
			}
		}
	})
}

// The real thing at both ends, in a bubble: HTTP over TLS, with a stream whose time is not ours.
func TestNetHTTPOverTLSRunsInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := New()
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for range 24 {
				io.WriteString(w, "tick\n")
				w.(http.Flusher).Flush()
				time.Sleep(time.Hour)
			}
		}))
		server.Listener.Close()
		server.Listener = n.Listen()
		server.StartTLS()
		defer server.Close()

		transport := &http.Transport{DialContext: n.Dial, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
		defer transport.CloseIdleConnections()
		start := time.Now()
		response, err := (&http.Client{Transport: transport}).Get("https://example.com/")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil || len(text) != 24*len("tick\n") || time.Since(start) != 24*time.Hour {
			t.Errorf("%d bytes in %v, %v", len(text), time.Since(start), err)
		}
	})
}
