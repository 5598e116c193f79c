package rest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/internal/memnet"
)

// clientTLS trusts an httptest server; nil for a plain one.
func clientTLS(s *httptest.Server) *tls.Config {
	if s.Certificate() == nil {
		return nil
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{RootCAs: roots, ServerName: "example.com"}
}

// tlsAnswer does one GET against a server that shakes hands with cfg and says hello.
func tlsAnswer(t *testing.T, p *peer, cfg Config, server *tls.Config) (outcome, *Client) {
	t.Helper()
	c := p.client(cfg)
	p.run(func() {
		raw := p.accept()
		if raw == nil {
			return
		}
		if conn := raw.secure(server); conn != nil {
			conn.serveForever(hello)
		}
	})
	return fetch(t, c, Request{Path: "/"}), c
}

func TestTLSTrustsTheGivenAuthorityOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca, other := newAuthority(t), newAuthority(t)
		expired, expiredKey := ca.issue("api.example", -time.Hour)
		pair, err := tls.X509KeyPair(expired, expiredKey)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			name   string
			cfg    Config
			server *tls.Config
			hint   string // "" is success
		}{
			{"the right CA", Config{CAData: ca.PEM}, ca.server("api.example"), ""},
			{"another CA", Config{CAData: other.PEM}, ca.server("api.example"), "signed by nobody we trust"},
			{"no CA", Config{}, ca.server("api.example"), "signed by nobody we trust"},
			{"no verification", Config{InsecureSkipTLSVerify: true}, ca.server("api.example"), ""},
			{"another name", Config{CAData: ca.PEM}, ca.server("other.example"), `other names than "api.example"`},
			{"another name, which is given", Config{CAData: ca.PEM, TLSServerName: "other.example"}, ca.server("other.example"), ""},
			{"a name in the base configuration", Config{CAData: ca.PEM, TLS: &tls.Config{ServerName: "other.example"}}, ca.server("other.example"), ""},
			{"expired", Config{CAData: ca.PEM}, &tls.Config{Certificates: []tls.Certificate{pair}}, "has expired"},
			{"no HTTP/1.1", Config{CAData: ca.PEM}, &tls.Config{Certificates: ca.server("api.example").Certificates, NextProtos: []string{"h3"}}, hintOnlyHTTP2},
			{"only TLS 1.1", Config{CAData: ca.PEM}, &tls.Config{Certificates: ca.server("api.example").Certificates, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, "-"},
			{"TLS 1.2", Config{CAData: ca.PEM}, &tls.Config{Certificates: ca.server("api.example").Certificates, MaxVersion: tls.VersionTLS12}, ""},
			{"a client certificate is wanted", Config{CAData: ca.PEM}, &tls.Config{Certificates: ca.server("api.example").Certificates, ClientAuth: tls.RequireAnyClientCert}, hintClientCert},
		} {
			p := newPeer(t)
			test.cfg.Server = "https://api.example"
			o, c := tlsAnswer(t, p, test.cfg, test.server)
			switch {
			case test.hint == "" && o.Body != "hello":
				t.Errorf("%s: %v", test.name, o.Err)
			case test.hint != "":
				if e := asError(t, o.Err); test.hint != "-" && !strings.Contains(e.Hint(), test.hint) {
					t.Errorf("%s: hint %q of %v", test.name, e.Hint(), e)
				}
			}
			c.Close()
			p.close()
			if s := c.Stats(); s.Open != 0 {
				t.Errorf("%s: %+v", test.name, s)
			}
		}
	})
}

func TestTLSIsObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := newAuthority(t)
		server := ca.server("api.example")
		server.NextProtos = []string{"h2", "http/1.1"}
		p := newPeer(t)
		defer p.close()
		var seen TLSDone
		o, c := tlsAnswer(t, p, Config{Server: "https://api.example", CAData: ca.PEM, Trace: &Trace{TLS: func(i TLSDone) { seen = i }}}, server)
		defer c.Close()
		if o.Body != "hello" || seen.Version != "TLS 1.3" || seen.ALPN != "http/1.1" || seen.ServerName != "api.example" || seen.Cipher == 0 || len(seen.Peer) != 1 {
			t.Errorf("%v %+v", o.Err, seen)
		}
	})
}

// A second connection resumes the first one's session; another client does not.
func TestSessionsAreResumedWithinAClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := newAuthority(t)
		server := ca.server("api.example")
		p := newPeer(t)
		defer p.close()
		var resumed []bool
		cfg := Config{Server: "https://api.example", CAData: ca.PEM, MaxIdleConns: -1, Trace: &Trace{TLS: func(i TLSDone) { resumed = append(resumed, i.Resumed) }}}
		for range 3 {
			p.run(func() { p.accept().secure(server).serveForever(hello) })
		}
		c := p.client(cfg)
		for range 2 {
			if err := get(t, c, "GET"); err != nil {
				t.Fatal(err)
			}
		}
		c.Close()
		c = p.client(cfg)
		if err := get(t, c, "GET"); err != nil {
			t.Fatal(err)
		}
		c.Close()
		if len(resumed) != 3 || resumed[0] || !resumed[1] || resumed[2] {
			t.Errorf("resumed: %v", resumed)
		}
	})
}

// Over TLS, the end of a body that ends with the connection must be announced: without close_notify anybody could have cut it (RFC 9112 9.8).
func TestACloseWithoutNotifyIsACut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := newAuthority(t)
		server := ca.server("api.example")
		for _, polite := range []bool{true, false} {
			p := newPeer(t)
			c := p.client(Config{Server: "https://api.example", CAData: ca.PEM})
			p.run(func() {
				raw := p.accept()
				conn := raw.secure(server)
				conn.head()
				conn.send("HTTP/1.1 200 OK\r\n\r\nhello")
				if polite {
					conn.Close()
				}
				raw.Close()
			})
			o := fetch(t, c, Request{Path: "/"})
			if polite != (o.Err == nil) || o.Body != "hello" || (!polite && !errors.Is(o.Err, io.ErrUnexpectedEOF)) {
				t.Errorf("close_notify %v: %q, %v", polite, o.Body, o.Err)
			}
			c.Close()
			p.close()
		}
	})
}

// RFC 9112 9.8: we announce our own close, too.
func TestOurCloseIsAnnounced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := newAuthority(t)
		server := ca.server("api.example")
		for name, stop := range map[string]func(context.CancelFunc, *Response, *Client){
			"body closed":   func(_ context.CancelFunc, r *Response, _ *Client) { r.Body.Close() },
			"client closed": func(_ context.CancelFunc, _ *Response, c *Client) { c.Close() },
			"cancelled":     func(cancel context.CancelFunc, r *Response, _ *Client) { cancel(); io.Copy(io.Discard, r.Body) },
		} {
			p := newPeer(t)
			c := p.client(Config{Server: "https://api.example", CAData: ca.PEM})
			var end error
			p.run(func() {
				conn := p.accept().secure(server)
				conn.head()
				conn.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
				_, end = conn.br.ReadByte()
				conn.Close()
			})
			ctx, cancel := context.WithCancel(t.Context())
			r, err := c.Do(ctx, Request{Path: "/"})
			if err != nil {
				t.Fatal(err)
			}
			stop(cancel, r, c)
			p.close()
			c.Close()
			cancel()
			if end != io.EOF {
				t.Errorf("%s: the server saw %v, not a close_notify", name, end)
			}
		}
	})
}

// A peer that reads nothing must not hold up a cancel with the close_notify it will not take.
func TestAClosingAlertDoesNotWaitForAStuckPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := newAuthority(t)
		p := newPeer(t)
		p.net.BufferSize = 600
		server := ca.server("api.example")
		c := p.client(Config{Server: "https://api.example", CAData: ca.PEM})
		p.run(func() {
			conn := p.accept().secure(server)
			time.Sleep(time.Hour)
			conn.Close()
		})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		_, err := c.Do(ctx, Request{Method: "POST", Path: "/", Body: make([]byte, 1<<20)})
		if late := time.Since(start) - time.Second; !errors.Is(err, context.Canceled) || late > closeWait {
			t.Errorf("returned %v late: %v", late, err)
		}
		c.Close()
		p.close()
	})
}

func TestRotatedFilesAreUsedByTheNextConnection(t *testing.T) {
	ca, next := newAuthority(t), newAuthority(t)
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cert, key := ca.issue("first-user", time.Hour)
	cfg := Config{Server: "https://api.example", CAFile: write("ca", ca.PEM), CertFile: write("cert", cert), KeyFile: write("key", key), MaxIdleConns: -1}
	server := ca.server("api.example")
	server.ClientAuth = tls.RequireAnyClientCert
	p := newPeer(t)
	defer p.close()
	c := p.client(cfg)
	defer c.Close()
	who := func(server *tls.Config) (name string, err error) {
		done := make(chan struct{})
		p.run(func() {
			defer close(done)
			conn := p.accept().secure(server)
			if conn == nil {
				return
			}
			name = conn.Conn.(*tls.Conn).ConnectionState().PeerCertificates[0].Subject.CommonName
			conn.serveForever(hello)
		})
		err = get(t, c, "GET")
		<-done
		return name, err
	}
	if name, err := who(server); name != "first-user" || err != nil {
		t.Fatal(name, err)
	}
	cert, key = ca.issue("second-user", time.Hour)
	write("cert", cert) // half of a rotation: certificate and key do not belong together, so the last pair stays
	if name, err := who(server); name != "first-user" || err != nil {
		t.Fatal(name, err)
	}
	write("key", key)
	if name, err := who(server); name != "second-user" || err != nil {
		t.Fatalf("a session that was resumed keeps the old user: %v %v", name, err)
	}
	write("ca", nil) // unreadable for a moment
	if _, err := who(server); err != nil {
		t.Fatal(err)
	}
	write("ca", next.PEM)
	if _, err := who(server); err == nil {
		t.Fatal("the old authority was trusted after the CA was rotated")
	}
	renewed := next.server("api.example")
	renewed.ClientAuth = tls.RequireAnyClientCert
	if name, err := who(renewed); name != "second-user" || err != nil {
		t.Fatal(name, err)
	}
}

func TestTLSConfigurationsThatCannotBeMeantAreRefused(t *testing.T) {
	ca := newAuthority(t)
	cert, key := ca.issue("user", time.Hour)
	_, strange := ca.issue("other", time.Hour)
	for name, cfg := range map[string]Config{
		"two CAs":                 {CAData: ca.PEM, CAFile: "ca.crt"},
		"two certificates":        {CertData: cert, CertFile: "x", KeyData: key},
		"two keys":                {CertData: cert, KeyFile: "x", KeyData: key},
		"insecure and a CA":       {CAData: ca.PEM, InsecureSkipTLSVerify: true},
		"certificate without key": {CertData: cert},
		"key without certificate": {KeyData: key},
		"strange key":             {CertData: cert, KeyData: strange},
		"CA without certificate":  {CAData: []byte("nothing")},
		"no CA file":              {CAFile: "/does/not/exist"},
		"TLS 1.1":                 {TLS: &tls.Config{MaxVersion: tls.VersionTLS11}},
	} {
		cfg.Server = "https://api.example"
		_, err := NewClient(cfg)
		if e := asError(t, err); e.Phase != PhaseConfig {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The configuration given is a base and is not modified.
func TestTheBaseConfigurationIsNotModified(t *testing.T) {
	var keys bytes.Buffer
	base := &tls.Config{NextProtos: []string{"h2"}, KeyLogWriter: &keys}
	before := base.Clone()
	if _, err := NewClient(Config{Server: "https://api.example", TLS: base, InsecureSkipTLSVerify: true}); err != nil {
		t.Fatal(err)
	}
	if base.InsecureSkipVerify != before.InsecureSkipVerify || base.ServerName != "" || base.NextProtos[0] != "h2" || base.MinVersion != 0 {
		t.Errorf("%+v", base)
	}
}

func TestHTTPSAgainstNetHTTP(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 3 {
			io.WriteString(w, "hello ")
			w.(http.Flusher).Flush()
		}
		io.WriteString(w, r.Proto)
	}))
	defer s.Close()
	c, err := NewClient(Config{Server: s.URL, TLS: clientTLS(s)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if o := fetch(t, c, Request{Path: "/"}); o.Body != "hello hello hello HTTP/1.1" || !o.Kept {
		t.Errorf("%+v", o)
	}
}

func TestTLSToAPlainPort(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	c, err := NewClient(Config{Server: strings.Replace(s.URL, "http:", "https:", 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	o := fetch(t, c, Request{Path: "/"})
	if e := asError(t, o.Err); e.Phase != PhaseTLS || e.Hint() != hintUseHTTP {
		t.Errorf("%v: %s", e, e.Hint())
	}
}

func TestPlainHTTPToATLSPort(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = discardLog
	s.StartTLS()
	defer s.Close()
	c, err := NewClient(Config{Server: strings.Replace(s.URL, "https:", "http:", 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	o := fetch(t, c, Request{Path: "/"})
	if e := asError(t, o.Err); e.Hint() != hintUseHTTPS {
		t.Errorf("%v: %s", e, e.Hint())
	}
}

func TestASilentTLSServerTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{Server: "https://api.example", TLSTimeout: 7 * time.Second})
		defer c.Close()
		p.run(func() {
			conn := p.accept()
			io.Copy(io.Discard, conn)
			conn.Close()
		})
		start := time.Now()
		o := fetch(t, c, Request{Path: "/"})
		if e := asError(t, o.Err); e.Phase != PhaseTLS || !e.Timeout() || time.Since(start) != 7*time.Second {
			t.Errorf("after %v: %v", time.Since(start), e)
		}
	})
}

// A server that offers only HTTP/2 may shake hands all the same (Go's does) and speaks first.
func TestAServerThatSpeaksOnlyHTTP2(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := newAuthority(t)
		server := ca.server("api.example")
		server.NextProtos = []string{"h2"}
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{Server: "https://api.example", CAData: ca.PEM})
		defer c.Close()
		p.run(func() {
			conn := p.accept().secure(server)
			conn.send("\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64")
			conn.head()
			conn.Close()
		})
		o := fetch(t, c, Request{Path: "/"})
		if e := asError(t, o.Err); !e.Protocol() || e.Hint() != hintOnlyHTTP2 {
			t.Errorf("%v: %s", e, e.Hint())
		}
	})
}

// Whoever closes may wait a moment for a peer that takes no close_notify, but holds no lock meanwhile: the reader returns at once.
func TestAReaderDoesNotWaitForACloseThatIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ca := newAuthority(t)
		server := ca.server("api.example")
		p := newPeer(t)
		defer p.close()
		var end *memnet.Conn
		p.net.Wrap = func(c net.Conn) net.Conn { end = c.(*memnet.Conn); return c }
		c := p.client(Config{Server: "https://api.example", CAData: ca.PEM})
		defer c.Close()
		p.run(func() {
			conn := p.accept().secure(server)
			conn.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") // and does not read the request
			time.Sleep(time.Minute)
			conn.Close()
		})
		r, err := c.Do(t.Context(), Request{Path: "/"})
		if err != nil {
			t.Fatal(err)
		}
		end.SetBuffer(1)
		start := time.Now()
		var read time.Duration
		done := make(chan struct{})
		go func() {
			defer close(done)
			r.Body.Read(make([]byte, 1))
			read = time.Since(start)
		}()
		synctest.Wait()
		r.Body.Close()
		closed := time.Since(start)
		<-done
		if read != 0 || closed > closeWait {
			t.Errorf("the read returned after %v, the close after %v", read, closed)
		}
	})
}
