package credentials

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"golang.org/x/net/proxy"

	"github.com/rawwatch/rawwatch/internal/proxytest"
	"github.com/rawwatch/rawwatch/rest"
)

// A watch through an HTTP proxy that wants a password goes on through a proxy that drops its tunnels, and the proxy never sees who asks what.
func TestWatchThroughConnectProxyWithAuthentication(t *testing.T) {
	t.Parallel()
	s := sharedScene(t, "connect-proxy")
	p := proxytest.StartConnect(t, "me", "planted pass:word")
	config := s.config(s.through("http://me:planted%20pass%3Aword@"+p.Addr()), map[string]any{"token": "planted-first"})
	s.watchThrough(config, p.Tunnels)
	for _, seen := range p.Requests() {
		if strings.Contains(seen, "planted-first") || !strings.HasPrefix(seen, "CONNECT "+s.cluster.Addr()+" ") {
			t.Errorf("the proxy was told %q", seen)
		}
	}

	for name, url := range map[string]string{"a wrong password": "http://me:planted-wrong@" + p.Addr(), "no password": "http://" + p.Addr()} {
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
			p := proxytest.StartSOCKS(t, test.user, test.password)
			checkSOCKS(t, p, test.user, test.password, s.cluster.Addr())
			// localhost, not 127.0.0.1: SOCKS5 carries names.
			_, port, err := net.SplitHostPort(s.cluster.Addr())
			if err != nil {
				t.Fatal(err)
			}
			cluster := s.through(test.url + p.Addr())
			cluster["server"] = "https://localhost:" + port
			s.watchThrough(s.config(cluster, map[string]any{"token": "planted-first"}), p.Tunnels)
			if test.user == "" {
				return
			}
			cluster["proxy-url"] = "socks5://me:planted-wrong@" + p.Addr()
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
func (s *scene) watchThrough(config rest.Config, open *proxytest.Tunnels) {
	s.t.Helper()
	f := s.followFor(config, 3600)
	for range 3 {
		before := open.Total()
		open.Cut()
		s.changeUntil("another tunnel", func() bool { return open.Total() > before })
	}
	f.finish(s)
}

// checkSOCKS holds the server to another client, x/net's: it is a SOCKS5 server, and not only what ours takes for one.
func checkSOCKS(t *testing.T, p *proxytest.SOCKS, user, password, addr string) {
	t.Helper()
	var auth *proxy.Auth
	if user != "" {
		auth = &proxy.Auth{User: user, Password: password}
	}
	dialer, err := proxy.SOCKS5("tcp", p.Addr(), auth, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := dialer.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}
