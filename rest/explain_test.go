package rest

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/rawwatch/rawwatch/status"
)

// netHTTP starts a net/http server and a client of it.
func netHTTP(t testing.TB, h http.HandlerFunc, cfg Config) (*httptest.Server, *Client) {
	t.Helper()
	s := httptest.NewServer(h)
	cfg.Server = s.URL
	c, err := NewClient(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); s.Close() })
	return s, c
}

// Every failure that people meet, as it comes out of the client, and the words that tell them what to do.
func TestEveryFailureIsExplained(t *testing.T) {
	dialError := func(err error) *Client {
		c, nerr := NewClient(Config{Server: "https://api.example", Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
		}})
		if nerr != nil {
			t.Fatal(nerr)
		}
		return c
	}
	response := func(raw string) *Client { return scripted(t, Config{}, newScript(io.EOF, []byte(raw))) }
	page := "Content-Type: text/html\r\nContent-Length: 47\r\n\r\n<html><title>Squid says no</title>...</html>    "
	for _, test := range []struct {
		name  string
		c     *Client
		words []string
	}{
		{"unknown host", dialError(&net.DNSError{Err: "no such host", Name: "api.example", IsNotFound: true}), []string{"resolve api.example:443", "no such host", "spelling"}},
		{"refused", dialError(syscall.ECONNREFUSED), []string{"dial api.example:443", "connection refused", "nothing listens there"}},
		{"no route", dialError(syscall.EHOSTUNREACH), []string{"no route", "VPN"}},
		{"another dial error", dialError(errors.New("strange")), []string{"strange"}},
		{"wrong token", response("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"), []string{"401", "token or certificate is wrong or has expired"}},
		{"forbidden", response("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"), []string{"403", "role that allows it"}},
		{"not found", response("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), []string{"404", "check resource"}},
		{"gone", response("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"), []string{"410", "list again"}},
		{"throttled", response("HTTP/1.1 429 Too Many\r\nContent-Length: 0\r\n\r\n"), []string{"429", "later"}},
		{"a version ahead of the server", response("HTTP/1.1 504 Gateway Timeout\r\nContent-Type: application/json\r\nContent-Length: 268\r\n\r\n" + `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"Timeout: Too large resource version: 9, current: 5","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}`), []string{"504", "ahead of this server", "another cluster", "etcd restore"}},
		{"in trouble", response("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n"), []string{"503", "trouble"}},
		{"teapot", response("HTTP/1.1 418 X\r\nContent-Length: 0\r\n\r\n"), []string{"418"}},
		{"a proxy's page", response("HTTP/1.1 503 X\r\n" + page), []string{"503", "Squid says no", "not from the API server"}},
		{"a proxy's page for 403", response("HTTP/1.1 403 X\r\n" + page), []string{"403", "not from the API server"}},
		{"redirect", response("HTTP/1.1 302 Found\r\nLocation: https://login.example/?x\r\nContent-Length: 0\r\n\r\n"), []string{"redirect 302 to https://login.example/", "never followed"}},
		{"HTTP/2 only", response("\x00\x00\x00\x04\x00\x00\x00\x00\x00"), []string{"SETTINGS", "only HTTP/2"}},
		{"a TLS alert", response("\x15\x03\x01\x00\x02\x02\x46"), []string{"https://"}},
		{"no HTTP", response("220 mail.example ESMTP\r\n"), []string{"ESMTP", "something else than an API server"}},
		{"a breach", response("HTTP/1.1 200 OK\n\n"), []string{"bare LF", "RFC 9112 2.2", "does not keep to HTTP/1.1"}},
		{"an empty answer", response(""), []string{"unexpected EOF", "ended before a response"}},
	} {
		_, err := test.c.Do(t.Context(), Request{Path: "/"})
		text := Explain(err)
		for _, want := range test.words {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q does not say %q", test.name, text, want)
			}
		}
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%s: not one printable line: %q", test.name, text)
		}
		test.c.Close()
	}
}

func TestExplainOfOtherErrors(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{errors.New("other\nline"), `other\nline`},
		{context.Canceled, "context canceled"},
		{errBodyClosed, "rest: the body: use of closed network connection"},
		{&Error{Phase: PhaseAuth, Err: errors.New("x")}, "auth: x: the credentials could not be had; nothing was sent"},
		{&Error{Phase: PhaseHead, Addr: "h", timeout: true, Rule: "late"}, "head h: late: the server is overloaded, or something on the way swallows the bytes; try again"},
		{&Error{Phase: PhaseBody, timeout: true, Rule: "late"}, "body: late: the connection may be dead without saying so, or nothing changed and no bookmark came; try again"},
		{&Error{Phase: PhaseDial, timeout: true, Rule: "late"}, "dial: late: the host does not answer; check address, firewall and VPN"},
		{&Error{Phase: PhaseBody, Err: io.ErrUnexpectedEOF}, "body: unexpected EOF: the connection ended in the middle of a response; try again"},
		{&Error{Phase: PhaseBody, Err: context.Canceled}, "body: context canceled"},
	} {
		if got := Explain(test.err); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// A wrapped error is explained as well.
func TestExplainLooksThroughWrapping(t *testing.T) {
	inner := status.FromResponse(401, "", nil, status.Headers{})
	if got := Explain(errors.Join(errors.New("x"), inner)); !strings.Contains(got, "log in again") {
		t.Error(got)
	}
}

// A SOCKS proxy's refusal is of our login or of the target: a look at the proxy's own address would be in vain.
func TestSOCKSRefusalsAreExplained(t *testing.T) {
	for want, err := range map[string]*SOCKSError{
		"check user and password":    {Login: true, Code: 1},
		"user and password in the":   {Method: true},
		"check the server's address": {Code: 4},
	} {
		if text := Explain(&Error{Phase: PhaseProxy, Addr: "p:1080", Err: err}); !strings.Contains(text, want) || strings.Contains(text, "NO_PROXY") {
			t.Errorf("%+v: %s", err, text)
		}
	}
}

// Names in a certificate may hold any ASCII, and crypto/tls repeats them.
func TestACertificateCannotWriteToTheTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := newAuthority(t)
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{Server: "https://api.example", CAData: ca.PEM})
		defer c.Close()
		p.run(func() { p.accept().secure(ca.server("evil\x1b[2J\a\r\nlogin")) })
		_, err := c.Do(t.Context(), Request{Path: "/"})
		if text := asError(t, err).Error() + Explain(err); strings.ContainsAny(text, "\x1b\a\r\n") || !strings.Contains(text, `evil\x1b[2J`) {
			t.Errorf("%q", text)
		}
	})
}
