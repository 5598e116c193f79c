package rest

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// through returns a Config.Proxy that always names this proxy.
func through(raw string) func(*url.URL) (*url.URL, error) {
	return func(*url.URL) (*url.URL, error) { return url.Parse(raw) }
}

// A tunnel built by net/http, and what it saw of the requests inside.
func TestAnHTTPSServerIsReachedThroughATunnel(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "hello "+r.Header.Get("Authorization"))
	}))
	defer server.Close()
	seen := make(chan *http.Request, 4)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r
		if r.Method != http.MethodConnect {
			http.Error(w, "no", http.StatusMethodNotAllowed)
			return
		}
		up, err := net.Dial("tcp", r.Host)
		if err != nil {
			t.Error(err)
			return
		}
		down, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(down, "HTTP/1.1 200 Connection established\r\nContent-Length: 5\r\nTransfer-Encoding: x\r\n\r\n") // both without meaning here
		go func() { io.Copy(up, down); up.Close() }()
		io.Copy(down, up)
		down.Close()
	})
	for name, proxy := range map[string]*httptest.Server{"http": httptest.NewServer(handler), "https": httptest.NewTLSServer(handler)} {
		t.Run(name, func(t *testing.T) {
			defer proxy.Close()
			address := strings.Replace(proxy.URL, "://", "://user:pa%20ss@", 1)
			cfg := Config{Server: server.URL, TLS: clientTLS(server), Proxy: through(address), Token: fixedToken("secret-token")}
			if name == "https" {
				cfg.TLS.RootCAs.AddCert(proxy.Certificate())
			}
			var connect ConnectDone
			var dialled DialStart
			cfg.Trace = &Trace{Connect: func(i ConnectDone) { connect = i }, DialStart: func(i DialStart) { dialled = i }}
			c, err := NewClient(cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			for range 2 {
				if o := fetch(t, c, Request{Path: "/"}); o.Body != "hello Bearer secret-token" || !o.Kept {
					t.Fatalf("%+v", o)
				}
			}
			if s := c.Stats(); s.Dials != 1 {
				t.Errorf("%+v", s)
			}
			r := <-seen
			if got, want := r.Header.Get("Proxy-Authorization"), "Basic "+base64.StdEncoding.EncodeToString([]byte("user:pa ss")); got != want {
				t.Errorf("Proxy-Authorization %q, want %q", got, want)
			}
			if r.Header.Get("Authorization") != "" {
				t.Error("the proxy saw the token")
			}
			if r.Host != strings.TrimPrefix(server.URL, "https://") || connect.Code != 200 || dialled.Proxy != proxy.URL || "https://"+dialled.Target != server.URL {
				t.Errorf("%q %+v %+v", r.Host, connect, dialled)
			}
			if text := fmt.Sprint(connect, dialled); strings.Contains(text, "pa ss") || strings.Contains(text, "dXNlcjp") {
				t.Errorf("a trace shows the proxy's password: %s", text)
			}
		})
	}
}

func fixedToken(token string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return token, nil }
}

// Plain http goes through a tunnel, too: the proxy never sees a request of ours.
func TestPlainHTTPGoesThroughATunnelToo(t *testing.T) {
	p := newPeer(t)
	defer p.close()
	c := p.client(Config{Server: "http://api.example", Proxy: through("http://proxy.example:3128")})
	defer c.Close()
	var heads []string
	p.run(func() {
		conn := p.accept()
		heads = append(heads, conn.head())
		conn.send("HTTP/1.1 200 OK\r\n\r\n")
		heads = append(heads, conn.head())
		conn.send(hello)
		conn.head()
		conn.Close()
	})
	o := fetch(t, c, Request{Path: "/api"})
	c.Close()
	p.wg.Wait()
	if o.Body != "hello" || len(heads) != 2 || !strings.HasPrefix(heads[0], "CONNECT api.example:80 HTTP/1.1\r\nHost: api.example:80\r\n") || !strings.HasPrefix(heads[1], "GET /api HTTP/1.1\r\nHost: api.example\r\n") {
		t.Errorf("%+v\n%q", o, heads)
	}
}

func TestAProxyThatDoesNotOpenTheTunnel(t *testing.T) {
	for _, test := range []struct {
		name, answer string
		end          error
		protocol     bool
		hint         string
	}{
		{"wants a login", "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 4\r\n\r\nlong", io.EOF, false, "wants a login"},
		{"forbids", "HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\n\r\n<html>", io.EOF, false, "does not allow"},
		{"cannot reach it", "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\n\r\n<html>", io.EOF, false, "did not reach the server"},
		{"redirects", "HTTP/1.1 302 Found\r\nLocation: http://login.example\r\n\r\n", io.EOF, false, "did not reach the server"},
		{"breaks a line", "HTTP/1.1 200 OK\n\n", io.EOF, true, "no HTTP/1.1"},
		{"switches protocols", "HTTP/1.1 101 Switching Protocols\r\n\r\n", io.EOF, true, "no HTTP/1.1"},
		{"speaks early", "HTTP/1.1 200 OK\r\n\r\nX", io.EOF, true, "no HTTP/1.1"},
		{"is no proxy", "SSH-2.0-OpenSSH_9.6\r\n", io.EOF, true, hintNotHTTP},
		{"hangs up", "", io.EOF, false, "did not open a tunnel"},
		{"resets", "HTTP/1.1 200 OK\r\n", syscall.ECONNRESET, false, "did not open a tunnel"},
	} {
		s := newScript(test.end, []byte(test.answer))
		c := scripted(t, Config{Server: "https://api.example", Proxy: through("http://u:hunter2@proxy.example")}, s)
		o := fetch(t, c, Request{Path: "/"})
		e := asError(t, o.Err)
		if e.Phase != PhaseProxy || e.Protocol() != test.protocol || e.Addr != "proxy.example:80" || !strings.Contains(Explain(e), test.hint) {
			t.Errorf("%s: %#v: %s", test.name, e, Explain(e))
		}
		if strings.Contains(Explain(e), "hunter2") || !s.closed {
			t.Errorf("%s: %s", test.name, Explain(e))
		}
		if st := c.Stats(); st.Open != 0 || st.Failed != 1 {
			t.Errorf("%s: %+v", test.name, st)
		}
	}
}

func TestAProxysInformationalAnswersArePassedOver(t *testing.T) {
	s := newScript(errSilent, []byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"), []byte(hello))
	c := scripted(t, Config{Server: "http://api.example", Proxy: through("http://proxy.example")}, s)
	if o := fetch(t, c, Request{Path: "/"}); o.Body != "hello" {
		t.Errorf("%+v", o)
	}
}

func TestASilentProxyTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPeer(t)
		defer p.close()
		c := p.client(Config{Server: "https://api.example", Proxy: through("http://proxy.example"), DialTimeout: 4 * time.Second})
		defer c.Close()
		p.run(func() {
			conn := p.accept()
			io.Copy(io.Discard, conn)
			conn.Close()
		})
		var o outcome
		took := timed(func() { o = fetch(t, c, Request{Path: "/"}) })
		if e := asError(t, o.Err); e.Phase != PhaseProxy || !e.Timeout() || took != 4*time.Second {
			t.Errorf("after %v: %v", took, e)
		}
	})
}

func TestProxiesThatCannotBeUsedAreRefusedByName(t *testing.T) {
	for raw, word := range map[string]string{
		"socks5://proxy.example:1080": "set the SOCKS5 field", "socks5h://proxy.example": "rest.SOCKS5", "socks4://proxy.example": "socks4", "ftp://proxy.example": "ftp",
		"http://": "host", "http://proxy.example:99999": "port", "http://pro xy": "",
	} {
		c := scripted(t, Config{Server: "https://api.example", Proxy: through(raw)})
		_, err := c.Do(t.Context(), Request{Path: "/"})
		if e := asError(t, err); e.Phase != PhaseConfig || !strings.Contains(e.Error(), word) {
			t.Errorf("%s: %v", raw, err)
		}
		if s := c.Stats(); s.Dials != 0 {
			t.Errorf("%s: %+v", raw, s)
		}
	}
}

// Config.Proxy decides for each request, and connections through one proxy do not serve requests through another, or through none.
func TestConnectionsThroughDifferentProxiesAreNotMixed(t *testing.T) {
	p := newPeer(t)
	defer p.close()
	next := ""
	c := p.client(Config{Server: "http://api.example", Proxy: func(u *url.URL) (*url.URL, error) {
		if u.String() != "http://api.example/x" {
			t.Errorf("asked for %s", u)
		}
		if next == "" {
			return nil, nil
		}
		return url.Parse(next)
	}})
	defer c.Close()
	for range 3 {
		p.run(func() {
			conn := p.accept()
			head := conn.head()
			if strings.HasPrefix(head, "CONNECT") {
				conn.send("HTTP/1.1 200 OK\r\n\r\n")
				conn.head()
			}
			conn.send(hello)
			conn.serveForever(hello)
		})
	}
	for _, next = range []string{"", "http://one.example", "http://two.example", "", "http://one.example", "http://two.example"} {
		if o := fetch(t, c, Request{Path: "/x"}); o.Body != "hello" {
			t.Fatalf("%+v", o)
		}
	}
	if s := c.Stats(); s.Dials != 3 || s.Reused != 3 {
		t.Errorf("%+v", s)
	}
}

// Loopback is loopback of the proxy, then.
func TestATokenForLoopbackDoesNotGoToAProxyInTheClear(t *testing.T) {
	c := scripted(t, Config{Server: "http://127.0.0.1", Proxy: through("http://proxy.example"), Token: fixedToken("t")})
	_, err := c.Do(t.Context(), Request{Path: "/"})
	if e := asError(t, err); e.Phase != PhaseConfig || !strings.Contains(e.Error(), "plain http") {
		t.Error(err)
	}
}

// net/http reads what we write to a proxy.
func TestTheConnectRequestIsWellFormed(t *testing.T) {
	s := newScript(io.EOF)
	c := scripted(t, Config{Server: "https://[fe80::1%25eth0]:6443", Proxy: through("http://[::1]:3128")}, s)
	fetch(t, c, Request{Path: "/"})
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(s.written())))
	if err != nil || r.Method != "CONNECT" || r.Host != "[fe80::1]:6443" {
		t.Errorf("%v %+v", err, r)
	}
}

func TestAProxyFunctionThatFailsSendsNothing(t *testing.T) {
	broken := errors.New("no proxy today")
	c := scripted(t, Config{Server: "https://api.example", Proxy: func(*url.URL) (*url.URL, error) { return nil, broken }})
	if _, err := c.Do(t.Context(), Request{Path: "/"}); !errors.Is(err, broken) || c.Stats().Dials != 0 {
		t.Error(err)
	}
}

// The proxy's certificate may come from the cluster's CA, or from anybody the system trusts; the server's only from the cluster's CA.
func TestAnHTTPSProxyIsVerifiedByItself(t *testing.T) {
	ca, stranger := newAuthority(t), newAuthority(t)
	for _, test := range []struct {
		name   string
		proxy  *authority
		listen string
		cfg    Config
		ok     bool
	}{
		{"the cluster's CA", ca, "proxy.example", Config{CAData: ca.PEM}, true},
		{"a stranger", stranger, "proxy.example", Config{CAData: ca.PEM}, false},
		{"another name", ca, "other.example", Config{CAData: ca.PEM}, false},
		{"a stranger, the server unverified", stranger, "proxy.example", Config{InsecureSkipTLSVerify: true}, false},
	} {
		p := newPeer(t)
		test.cfg.Server, test.cfg.Proxy = "https://api.example", through("https://proxy.example:8443")
		var tunnels []TLSDone
		test.cfg.Trace = &Trace{TLS: func(i TLSDone) { tunnels = append(tunnels, i) }}
		c := p.client(test.cfg)
		p.run(func() {
			conn := p.accept().secure(test.proxy.server(test.listen))
			if conn.head() == "" {
				return
			}
			conn.send("HTTP/1.1 200 OK\r\n\r\n")
			conn.secure(ca.server("api.example")).serveForever(hello)
		})
		o := fetch(t, c, Request{Path: "/"})
		if (o.Err == nil) != test.ok || (test.ok && (len(tunnels) != 2 || !tunnels[0].Proxy || tunnels[1].Proxy)) {
			t.Errorf("%s: %v %+v", test.name, o.Err, tunnels)
		}
		if e, ok := o.Err.(*Error); o.Err != nil && (!ok || e.Phase != PhaseTLS || e.Addr != "proxy.example:8443") {
			t.Errorf("%s: %v", test.name, o.Err)
		}
		c.Close()
		p.close()
	}
}
