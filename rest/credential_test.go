package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fixedSource gives what a test put into it.
type fixedSource struct {
	mu       sync.Mutex
	token    string
	cert     *tls.Certificate
	err      error
	asked    int
	rejected []string
}

func (s *fixedSource) Credential(context.Context) (string, *tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return s.token, s.cert, s.err
}

func (s *fixedSource) Rejected(token string, _ *tls.Certificate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rejected = append(s.rejected, token)
}

func (s *fixedSource) give(token string, cert *tls.Certificate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token, s.cert = token, cert
}

func TestASourceIsAskedForEachRequestAndToldOfA401(t *testing.T) {
	source := &fixedSource{token: "one"}
	refusal := []byte("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
	scripts := []*script{newScript(io.EOF, []byte(hello)), newScript(io.EOF, refusal), newScript(io.EOF, []byte(hello))}
	c := scripted(t, Config{Credentials: source, MaxIdleConns: -1}, scripts[0], scripts[1], scripts[2])
	for i, token := range []string{"one", "two", "three"} {
		source.give(token, nil)
		fetch(t, c, Request{Path: "/"})
		if !strings.HasSuffix(scripts[i].written(), "Authorization: Bearer "+token+"\r\n\r\n") {
			t.Errorf("%s: %q", token, scripts[i].written())
		}
	}
	if source.asked != 3 || len(source.rejected) != 1 || source.rejected[0] != "two" {
		t.Errorf("asked %d, rejected %q", source.asked, source.rejected)
	}
}

func TestASourceThatFailsSendsNothing(t *testing.T) {
	broken := errors.New("no plugin today")
	for name, source := range map[string]*fixedSource{
		"an error": {err: broken, token: "x"}, "neither token nor certificate": {}, "two lines": {token: "a\r\nX: y"},
	} {
		c := scripted(t, Config{Credentials: source})
		_, err := c.Do(t.Context(), Request{Path: "/"})
		if e := asError(t, err); e.Phase != PhaseAuth || c.Stats().Dials != 0 || source.err != nil && !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestASourcesCredentialsDoNotGoOverPlainHTTP(t *testing.T) {
	if _, err := NewClient(Config{Server: "http://api.example", Credentials: &fixedSource{token: "x"}}); err == nil {
		t.Error("accepted")
	}
}

// As in kubectl: a token or a password that is given beats the plugin, which is not even asked.
func TestATokenBeatsASource(t *testing.T) {
	for name, cfg := range map[string]Config{"Bearer given": {Token: fixedToken("given")}, "Basic dTpw": {Username: "u", Password: "p"}} {
		source := &fixedSource{token: "x"}
		cfg.Credentials = source
		s := newScript(errSilent, []byte("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"))
		c := scripted(t, cfg, s)
		fetch(t, c, Request{Path: "/"})
		if source.asked != 0 || len(source.rejected) != 0 || !strings.Contains(s.written(), "Authorization: "+name+"\r\n") {
			t.Errorf("%s: asked %d, rejected %q, %q", name, source.asked, source.rejected, s.written())
		}
	}
}

// pairOf is a client certificate as a plugin gives it.
func pairOf(t *testing.T, ca *authority, name string) *tls.Certificate {
	t.Helper()
	cert, key := ca.issue(name, 24*time.Hour)
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return &pair
}

// whoAmI answers every request of a connection with the name in its client certificate.
func whoAmI(p *peer, server *tls.Config) {
	p.run(func() {
		conn := p.accept().secure(server)
		if conn == nil {
			return
		}
		name := conn.Conn.(*tls.Conn).ConnectionState().PeerCertificates[0].Subject.CommonName
		conn.serveForever("HTTP/1.1 200 OK\r\nContent-Length: " + itoa(len(name)) + "\r\n\r\n" + name)
	})
}

// Another certificate means another identity: no connection of the last one serves a request any more.
func TestACertificateOfASourceIsUsedByItsOwnConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := newAuthority(t)
		server := ca.server("api.example")
		server.ClientAuth = tls.RequireAnyClientCert
		p := newPeer(t)
		defer p.close()
		source := &fixedSource{cert: pairOf(t, ca, "first")}
		c := p.client(Config{Server: "https://api.example", CAData: ca.PEM, Credentials: source})
		defer c.Close()
		whoAmI(p, server)
		whoAmI(p, server)
		for _, want := range []string{"first", "first", "second"} {
			if want == "second" {
				source.give("", pairOf(t, ca, "second"))
			}
			if o := fetch(t, c, Request{Path: "/"}); o.Body != want {
				t.Errorf("got %q, want %q: %v", o.Body, want, o.Err)
			}
		}
		if s := c.Stats(); s.Dials != 2 || s.Open != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// A long watch that began with a certificate ends within two intervals after another one was given.
func TestAWatchEndsAfterItsSourcesCertificateChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := newAuthority(t)
		server := ca.server("api.example")
		server.ClientAuth = tls.RequireAnyClientCert
		p := newPeer(t)
		defer p.close()
		source := &fixedSource{cert: pairOf(t, ca, "first")}
		c := p.client(Config{Server: "https://api.example", CAData: ca.PEM, Credentials: source, IdleTimeout: -1})
		defer c.Close()
		p.run(func() { p.accept().secure(server).stream() })
		r, err := c.Do(t.Context(), Request{Path: "/"})
		if err != nil {
			t.Fatal(err)
		}
		source.give("", pairOf(t, ca, "second"))
		whoAmI(p, server)
		fetchBeside(t, c)
		start := time.Now()
		_, err = io.Copy(io.Discard, r.Body)
		if took := time.Since(start); !errors.Is(err, errRotated) || took > 2*defaultReloadInterval {
			t.Errorf("after %v: %v", took, err)
		}
	})
}

// fetchBeside does a request while another one is under way.
func fetchBeside(t *testing.T, c *Client) {
	t.Helper()
	r, err := c.Do(t.Context(), Request{Path: "/"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		t.Error(err)
	}
	r.Body.Close()
}

// stream answers one request with a body that goes on until the client leaves.
func (c *peerConn) stream() {
	c.head()
	c.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
	io.Copy(io.Discard, c.br)
	c.Close()
}

// A source that had a certificate and now has a token alone is somebody else: API servers look at the certificate first.
func TestACertificateThatASourceGaveUpIsNotShownAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := newAuthority(t)
		server := ca.server("api.example")
		server.ClientAuth = tls.RequestClientCert
		p := newPeer(t)
		defer p.close()
		source := &fixedSource{cert: pairOf(t, ca, "first")}
		c := p.client(Config{Server: "https://api.example", CAData: ca.PEM, Credentials: source})
		defer c.Close()
		for range 2 {
			p.run(func() {
				conn := p.accept().secure(server)
				if conn == nil {
					return
				}
				n := len(conn.Conn.(*tls.Conn).ConnectionState().PeerCertificates)
				conn.serveForever("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + itoa(n))
			})
		}
		for _, want := range []string{"1", "0"} {
			if want == "0" {
				source.give("token", nil)
			}
			if o := fetch(t, c, Request{Path: "/"}); o.Body != want {
				t.Errorf("got %q certificates, want %q: %v", o.Body, want, o.Err)
			}
		}
	})
}
