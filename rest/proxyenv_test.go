package rest

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestProxyFromEnvironment(t *testing.T) {
	for _, row := range []struct {
		name   string
		env    map[string]string
		target string
		want   string // the proxy, "" none, or a part of the error after "!"
	}{
		{"https", map[string]string{"HTTPS_PROXY": "http://p:3128"}, "https://s:6443", "http://p:3128"},
		{"lower case", map[string]string{"https_proxy": "http://p:3128"}, "https://s:6443", "http://p:3128"},
		{"upper case first", map[string]string{"HTTPS_PROXY": "http://p", "https_proxy": "http://q"}, "https://s", "http://p"},
		{"without a scheme", map[string]string{"HTTPS_PROXY": "p:3128"}, "https://s", "http://p:3128"},
		{"with a user", map[string]string{"HTTPS_PROXY": "https://u:w@p"}, "https://s", "https://u:w@p"},
		{"http has its own variable", map[string]string{"HTTPS_PROXY": "http://p"}, "http://s", ""},
		{"http", map[string]string{"HTTP_PROXY": "http://p"}, "http://s", "http://p"},
		{"NO_PROXY host", map[string]string{"HTTPS_PROXY": "http://p", "NO_PROXY": "s,t"}, "https://s:6443", ""},
		{"NO_PROXY domain", map[string]string{"HTTPS_PROXY": "http://p", "NO_PROXY": ".example.com"}, "https://a.example.com", ""},
		{"NO_PROXY port", map[string]string{"HTTPS_PROXY": "http://p", "NO_PROXY": "s:6443"}, "https://s:443", "http://p"},
		{"NO_PROXY CIDR", map[string]string{"HTTPS_PROXY": "http://p", "NO_PROXY": "10.0.0.0/8"}, "https://10.1.2.3:6443", ""},
		{"outside of the CIDR", map[string]string{"HTTPS_PROXY": "http://p", "NO_PROXY": "10.0.0.0/8"}, "https://11.1.2.3", "http://p"},
		{"NO_PROXY CIDR, IPv6", map[string]string{"HTTPS_PROXY": "http://p", "no_proxy": "fd00::/8"}, "https://[fd00::1]:6443", ""},
		{"NO_PROXY everything", map[string]string{"HTTPS_PROXY": "http://p", "NO_PROXY": "*"}, "https://s", ""},
		{"loopback never", map[string]string{"HTTPS_PROXY": "http://p", "HTTP_PROXY": "http://p"}, "http://127.0.0.1:8001", ""},
		{"SOCKS", map[string]string{"HTTPS_PROXY": "socks5h://p:1081"}, "https://s", "socks5h://p:1081"},
		{"another kind is refused by name", map[string]string{"HTTPS_PROXY": "socks4://planted:planted@p"}, "https://s", "!HTTPS_PROXY: names a proxy that is neither http, https, socks5 nor socks5h"},
		{"an address that cannot be read does not mean none", map[string]string{"HTTPS_PROXY": "http://planted:%zz@p"}, "https://s", "!HTTPS_PROXY: names no proxy that can be used"},
		{"nor does it matter where no proxy is used", map[string]string{"HTTPS_PROXY": "http://planted:%zz@p", "NO_PROXY": "s"}, "https://s", ""},
		{"CGI: the client could choose the proxy", map[string]string{"HTTP_PROXY": "http://planted", "REQUEST_METHOD": "GET"}, "http://s", "!HTTP_PROXY: names no proxy that can be used"},
	} {
		t.Run(row.name, func(t *testing.T) {
			choose := ProxyFromEnvironment(func(name string) string { return row.env[name] })
			target, err := url.Parse(row.target)
			if err != nil {
				t.Fatal(err)
			}
			proxy, err := choose(target)
			got := ""
			switch {
			case err != nil:
				var ce *ConfigError
				if !errors.As(err, &ce) {
					t.Errorf("got %T, want *ConfigError", err)
				}
				got = "!" + err.Error()
			case proxy != nil:
				got = proxy.String()
			}
			if got != row.want || strings.Contains(got, "planted") {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestNoProxyInTheEnvironmentIsNoProxy(t *testing.T) {
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"} {
		t.Setenv(name, "")
	}
	if ProxyFromEnvironment(nil) != nil {
		t.Error("got a proxy choice, want nil")
	}
}
