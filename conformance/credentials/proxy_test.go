package credentials

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/proxy"

	"github.com/rawwatch/rawwatch/rest"
)

// A watch through an HTTP proxy that wants a password goes on through a proxy that drops its tunnels, and the proxy never sees who asks what.
func TestWatchThroughConnectProxyWithAuthentication(t *testing.T) {
	t.Parallel()
	s := sharedScene(t, "connect-proxy")
	p := startConnectProxy(t, "me", "planted pass:word")
	config := s.config(s.through("http://me:planted%20pass%3Aword@"+p.addr()), map[string]any{"token": "planted-first"})
	s.watchThrough(config, p.tunnels)
	for _, seen := range p.requests() {
		if strings.Contains(seen, "planted-first") || !strings.HasPrefix(seen, "CONNECT "+s.cluster.Addr()+" ") {
			t.Errorf("the proxy was told %q", seen)
		}
	}

	for name, url := range map[string]string{"a wrong password": "http://me:planted-wrong@" + p.addr(), "no password": "http://" + p.addr()} {
		_, err := s.ask(s.config(s.through(url), map[string]any{"token": "planted-first"}), "GET", "/version", "")
		text := fmt.Sprint(err, rest.Explain(err))
		if err == nil || !strings.Contains(text, "407") || strings.Contains(text, "planted") {
			t.Errorf("%s: %s", name, text)
		}
		t.Logf("%s: %s", name, text)
	}
}

// The same through SOCKS5, with the name of the server resolved by the proxy.
func TestWatchThroughSOCKS5Proxy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ user, password, url string }{
		"anybody":    {"", "", "socks5://"},
		"a password": {"me", "planted pass", "socks5h://me:planted%20pass@"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sharedScene(t, "socks-"+strings.ReplaceAll(name, " ", "-"))
			p := startSOCKS(t, test.user, test.password)
			p.check(t, s.cluster.Addr())
			// localhost, not 127.0.0.1: SOCKS5 carries names.
			_, port, err := net.SplitHostPort(s.cluster.Addr())
			if err != nil {
				t.Fatal(err)
			}
			cluster := s.through(test.url + p.addr())
			cluster["server"] = "https://localhost:" + port
			s.watchThrough(s.config(cluster, map[string]any{"token": "planted-first"}), p.tunnels)
			if test.user == "" {
				return
			}
			cluster["proxy-url"] = "socks5://me:planted-wrong@" + p.addr()
			_, err = s.ask(s.config(cluster, map[string]any{"token": "planted-first"}), "GET", "/version", "")
			text := fmt.Sprint(err, rest.Explain(err))
			if _, ok := errors.AsType[*rest.SOCKSError](err); !ok || strings.Contains(text, "planted") {
				t.Errorf("a wrong password: %s", text)
			}
			t.Logf("a wrong password: %s", text)
		})
	}
}

func (s *scene) through(url string) map[string]any {
	return map[string]any{"server": s.cluster.URL(), "certificate-authority": "ca.crt", "proxy-url": url}
}

// watchThrough watches while all tunnels are cut three times.
func (s *scene) watchThrough(config rest.Config, open *tunnels) {
	s.t.Helper()
	f := s.followFor(config, 3600)
	for range 3 {
		before := open.total()
		open.cut()
		s.changeUntil("another tunnel", func() bool { return open.total() > before })
	}
	f.finish(s)
}

// tunnels are pairs of connections that are copied into each other.
type tunnels struct {
	mu    sync.Mutex
	open  map[net.Conn]bool
	count int
	work  sync.WaitGroup
}

func (n *tunnels) join(a, b net.Conn) {
	n.mu.Lock()
	if n.open == nil {
		n.open = map[net.Conn]bool{}
	}
	n.open[a], n.open[b] = true, true
	n.count++
	n.mu.Unlock()
	for from, to := range map[net.Conn]net.Conn{a: b, b: a} {
		n.work.Go(func() {
			_, _ = io.Copy(to, from) // ends when either is closed
			to.Close()
			from.Close()
		})
	}
}

// cut ends all of them at once.
func (n *tunnels) cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.open {
		c.Close()
		delete(n.open, c)
	}
}

func (n *tunnels) total() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.count
}

// connectProxy is net/http's server with CONNECT.
type connectProxy struct {
	listener net.Listener
	tunnels  *tunnels
	mu       sync.Mutex
	seen     []string
}

func startConnectProxy(t *testing.T, user, password string) *connectProxy {
	t.Helper()
	p := &connectProxy{listener: listen(t, "tcp", "127.0.0.1:0"), tunnels: &tunnels{}}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.seen = append(p.seen, fmt.Sprintf("%s %s %v", r.Method, r.RequestURI, r.Header))
		p.mu.Unlock()
		if r.Header.Get("Proxy-Authorization") != want {
			w.Header().Set("Proxy-Authenticate", `Basic realm="conformance"`)
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		upstream, err := net.Dial("tcp", r.RequestURI)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		client, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			upstream.Close()
			return
		}
		fmt.Fprint(client, "HTTP/1.1 200 Connection established\r\n\r\n")
		p.tunnels.join(client, upstream)
	})}
	serve(t, server, p.listener, p.tunnels)
	return p
}

func (p *connectProxy) addr() string { return p.listener.Addr().String() }

func (p *connectProxy) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

func listen(t *testing.T, network, addr string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// serve ends the server with the test. What was registered later, the follower, has ended before.
func serve(t *testing.T, server *http.Server, l net.Listener, open *tunnels) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // http.ErrServerClosed
	}()
	t.Cleanup(func() {
		server.Close()
		<-done
		open.cut()
		open.work.Wait()
	})
}

// socks is a SOCKS5 server (RFC 1928, RFC 1929) that knows CONNECT.
type socks struct {
	listener       net.Listener
	tunnels        *tunnels
	user, password string
	work           sync.WaitGroup
}

func startSOCKS(t *testing.T, user, password string) *socks {
	t.Helper()
	p := &socks{listener: listen(t, "tcp", "127.0.0.1:0"), tunnels: &tunnels{}, user: user, password: password}
	p.work.Go(func() {
		for {
			c, err := p.listener.Accept()
			if err != nil {
				return
			}
			p.work.Go(func() {
				_ = c.SetDeadline(time.Now().Add(10 * time.Second))
				upstream, err := p.negotiate(c)
				if err != nil {
					c.Close()
					return
				}
				_ = c.SetDeadline(time.Time{})
				p.tunnels.join(c, upstream)
			})
		}
	})
	t.Cleanup(func() {
		p.listener.Close()
		p.work.Wait()
		p.tunnels.cut()
		p.tunnels.work.Wait()
	})
	return p
}

func (p *socks) addr() string { return p.listener.Addr().String() }

var errSOCKS = errors.New("refused")

func (p *socks) negotiate(c net.Conn) (net.Conn, error) {
	methods, err := counted(c, 1) // version, then methods
	if err != nil {
		return nil, err
	}
	want := byte(0)
	if p.user != "" {
		want = 2
	}
	if !strings.Contains(string(methods), string(rune(want))) {
		c.Write([]byte{5, 0xff})
		return nil, errSOCKS
	}
	c.Write([]byte{5, want})
	if p.user != "" {
		user, err := counted(c, 1) // version of the login, then the name
		if err != nil {
			return nil, err
		}
		password, err := counted(c, 0)
		if err != nil {
			return nil, err
		}
		if string(user) != p.user || string(password) != p.password {
			c.Write([]byte{1, 1})
			return nil, errSOCKS
		}
		c.Write([]byte{1, 0})
	}
	head := make([]byte, 4)
	if _, err := io.ReadFull(c, head); err != nil {
		return nil, err
	}
	var host []byte
	switch head[3] {
	case 1:
		host = make([]byte, 4)
		_, err = io.ReadFull(c, host)
		host = []byte(net.IP(host).String())
	case 3:
		host, err = counted(c, 0)
	default:
		err = errSOCKS
	}
	port := make([]byte, 2)
	if _, err2 := io.ReadFull(c, port); err != nil || err2 != nil {
		return nil, errors.Join(err, err2)
	}
	upstream, err := net.Dial("tcp", net.JoinHostPort(string(host), strconv.Itoa(int(port[0])<<8|int(port[1]))))
	if err != nil {
		c.Write([]byte{5, 5, 0, 1, 0, 0, 0, 0, 0, 0})
		return nil, err
	}
	c.Write([]byte{5, 0, 0, 1, 127, 0, 0, 1, 0, 0})
	return upstream, nil
}

// counted skips bytes and reads as many as the next one says.
func counted(c net.Conn, skip int) ([]byte, error) {
	head := make([]byte, skip+1)
	if _, err := io.ReadFull(c, head); err != nil {
		return nil, err
	}
	b := make([]byte, head[skip])
	_, err := io.ReadFull(c, b)
	return b, err
}

// check holds the server to another client, x/net's: it is a SOCKS5 server, and not only what ours takes for one.
func (p *socks) check(t *testing.T, addr string) {
	t.Helper()
	var auth *proxy.Auth
	if p.user != "" {
		auth = &proxy.Auth{User: p.user, Password: p.password}
	}
	dialer, err := proxy.SOCKS5("tcp", p.addr(), auth, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := dialer.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}
