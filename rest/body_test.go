package rest

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/status"
)

// do sends one GET to a scripted connection.
func do(t testing.TB, end error, pieces ...string) (*Response, *Client) {
	t.Helper()
	raw := make([][]byte, len(pieces))
	for i := range pieces {
		raw[i] = []byte(pieces[i])
	}
	c := scripted(t, Config{}, newScript(end, raw...))
	r, err := c.Do(t.Context(), Request{Path: "/"})
	if err != nil {
		t.Fatal(err)
	}
	return r, c
}

func TestCloseKeepsAConnectionWhoseBodyWasReadButForItsFraming(t *testing.T) {
	for _, test := range []struct {
		name   string
		pieces []string
		read   int
		kept   bool
	}{
		{"the last chunk is here", []string{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"}, 5, true},
		{"the last chunk is on its way", []string{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "0\r\n\r\n"}, 5, false},
		{"all of a short body is here", []string{hello}, 0, true},
		{"part of a body is here", []string{hello[:len(hello)-1], "o"}, 2, false},
		{"a long body is here in part", []string{"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("x", 100000)}, 1, false},
		{"bytes after the body", []string{hello + "X"}, 0, false},
		{"a body that breaks the framing later", []string{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nX\r\n"}, 5, false},
		{"a body that ends with the connection", []string{"HTTP/1.1 200 OK\r\n\r\nhello"}, 5, false},
	} {
		r, c := do(t, errSilent, test.pieces...)
		if _, err := io.ReadFull(r.Body, make([]byte, test.read)); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if err := r.Body.Close(); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if s := c.Stats(); (s.Idle == 1) != test.kept || s.InUse != 0 {
			t.Errorf("%s: %+v", test.name, s)
		}
		if _, err := r.Body.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: a closed body gives %v", test.name, err)
		}
		r.Body.Close()
	}
}

func TestAReadOfNothingReadsNothing(t *testing.T) {
	r, _ := do(t, errSilent, hello)
	if n, err := r.Body.Read(nil); n != 0 || err != nil {
		t.Error(n, err)
	}
	if text, err := io.ReadAll(r.Body); string(text) != "hello" || err != nil {
		t.Error(text, err)
	}
	for range 2 {
		if n, err := r.Body.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("after the end: %d, %v", n, err)
		}
	}
	r.Body.SetIdleTimeout(time.Second) // of no consequence
}

func TestErrorsOfABodyAreFinal(t *testing.T) {
	r, _ := do(t, io.EOF, hello[:len(hello)-1])
	_, first := io.ReadAll(r.Body)
	_, second := r.Body.Read(make([]byte, 1))
	if first == nil || first != second || !errors.Is(first, io.ErrUnexpectedEOF) {
		t.Error(first, second)
	}
}

func TestCloseFromAnotherGoroutineEndsARead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{})
		defer c.Close()
		p.stream(time.Second, 0)
		r, err := c.Do(t.Context(), Request{Path: "/"})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() { r.Body.Close() })
		took := timed(func() { _, err = r.Body.Read(make([]byte, 1)) })
		if took != time.Second || !errors.Is(err, net.ErrClosed) {
			t.Errorf("after %v: %v", took, err)
		}
		synctest.Wait() // Close is still at it in its own goroutine: the read ends first, the socket after it
		if s := c.Stats(); s.Open != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// The context ends the body even if bytes wait in the buffer, but not what was read to its end.
func TestTheContextGovernsTheBodyUntilItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := scripted(t, Config{}, newScript(errSilent, []byte(hello)), newScript(errSilent, []byte(hello)))
		ctx, cancel := context.WithCancel(t.Context())
		r, err := c.Do(ctx, Request{Path: "/"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r.Body, make([]byte, 2)); err != nil {
			t.Fatal(err)
		}
		cancel()
		synctest.Wait()
		if _, err := r.Body.Read(make([]byte, 2)); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		r, err = c.Do(ctx, Request{Path: "/"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(r.Body); err != nil {
			t.Fatal(err)
		}
		cancel()
		synctest.Wait()
		if s := c.Stats(); s.Idle != 1 {
			t.Errorf("a complete response's connection was ended by a later cancel: %+v", s)
		}
		c.Close()
	})
}

func TestChunksAreHandedOutAsTheyCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{})
		defer c.Close()
		p.stream(time.Second, 3)
		r, err := c.Do(t.Context(), Request{Path: "/"})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		buf := make([]byte, 1<<20)
		for range 3 {
			var n int
			if took := timed(func() { n, err = r.Body.Read(buf) }); took != time.Second || n != 5 || err != nil {
				t.Errorf("%d bytes after %v, %v", n, took, err)
			}
		}
	})
}

func TestErrorBodiesAreReadWithinTheirLimit(t *testing.T) {
	statusBody := `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods \"x\" not found","reason":"NotFound","code":404}`
	for _, test := range []struct {
		name, raw, message string
		kept               bool
	}{
		{"a Status", "HTTP/1.1 404 X\r\nContent-Type: application/json\r\nContent-Length: " + "115" + "\r\n\r\n" + statusBody, `pods "x" not found`, true},
		{"text", "HTTP/1.1 502 X\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nwhy", "why", true},
		{"64 KiB", "HTTP/1.1 502 X\r\nContent-Type: text/plain\r\nContent-Length: 65536\r\n\r\nwhy" + strings.Repeat(" ", 65533), "why...", true},
		{"a byte more", "HTTP/1.1 502 X\r\nContent-Type: text/plain\r\nContent-Length: 65537\r\n\r\nwhy" + strings.Repeat(" ", 65534), "", true},
		{"far more", "HTTP/1.1 502 X\r\nContent-Type: text/plain\r\nContent-Length: 200000\r\n\r\nwhy" + strings.Repeat(" ", 199997), "", false},
		{"cut", "HTTP/1.1 502 X\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nwhy", "", false},
		{"bad framing later", "HTTP/1.1 502 X\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwhy\r\nX\r\n", "", false},
	} {
		if test.name == "a Status" {
			test.raw = strings.Replace(test.raw, "115", itoa(len(statusBody)), 1)
		}
		o := answer(t, Request{Path: "/"}, io.EOF, []byte(test.raw))
		refused, ok := errors.AsType[*status.Error](o.Err)
		if !ok || refused.Message != test.message || o.Kept != test.kept {
			t.Errorf("%s: kept %v, %#v", test.name, o.Kept, o.Err)
		}
	}
	c := scripted(t, Config{MaxErrorBytes: -1}, newScript(errSilent, []byte("HTTP/1.1 502 X\r\nContent-Type: text/plain\r\nContent-Length: 70000\r\n\r\nwhy"+strings.Repeat(" ", 69997))))
	if o := fetch(t, c, Request{Path: "/"}); said(o) != "error 502 keep" {
		t.Errorf("without limit: %s", said(o))
	}
}

func TestACancelWhileAnErrorIsReadIsTheContextsError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{})
		defer c.Close()
		p.run(func() {
			conn := p.accept()
			conn.head()
			conn.send("HTTP/1.1 503 X\r\nContent-Length: 5\r\n\r\n")
			conn.head()
			conn.Close()
		})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := c.Do(ctx, Request{Path: "/"}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestTheHeadOfAResponseIsInIt(t *testing.T) {
	r, _ := do(t, errSilent, "HTTP/1.1 201 Created\r\nAudit-Id: abc\r\nWarning: 299 - \"old\"\r\nWarning: 299 - \"older\"\r\nContent-Type: Application/JSON; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}")
	if r.Code != 201 || r.AuditID != "abc" || len(r.Warnings) != 2 || r.Warnings[1] != "older" || r.Framing != ContentLength || r.ContentLength != 2 || r.Conn != 1 || r.Reused {
		t.Errorf("%+v", r)
	}
	if r.MediaType() != "application/json" || r.ExpectMediaType("application/json") != nil {
		t.Error(r.MediaType())
	}
	r.Body.Close()
}

func TestALoginPageIsNoAnswer(t *testing.T) {
	for _, field := range []string{"Content-Type: text/html; charset=utf-8\r\n", ""} {
		r, c := do(t, errSilent, "HTTP/1.1 200 OK\r\n"+field+"Content-Length: 6\r\n\r\n<html>")
		err := r.ExpectMediaType("application/json", "application/cbor")
		if e := asError(t, err); !e.Protocol() || !strings.Contains(Explain(err), "login page") || strings.Contains(e.Error(), "byte") {
			t.Error(err)
		}
		if s := c.Stats(); s.InUse != 0 {
			t.Errorf("%+v", s)
		}
	}
}
