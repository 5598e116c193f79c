package rest

import (
	"net/url"
	"os"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// ProxyFromEnvironment returns the choice of HTTPS_PROXY, HTTP_PROXY and NO_PROXY
// (or their lower-case forms) for Config.Proxy, or nil when neither proxy is set.
// The variables are read once, through env; nil is os.Getenv.
//
// NO_PROXY takes hosts, domains, addresses and CIDR ranges, as httpproxy documents
// them; loopback addresses never use a proxy. The error of the returned func is a
// *ConfigError and repeats nothing of the proxy's address, which may hold a password.
func ProxyFromEnvironment(env func(string) string) func(*url.URL) (*url.URL, error) {
	if env == nil {
		env = os.Getenv
	}
	either := func(name string) string {
		if value := env(name); value != "" {
			return value
		}
		return env(strings.ToLower(name))
	}
	config := httpproxy.Config{
		HTTPProxy:  knownProxy(either("HTTP_PROXY")),
		HTTPSProxy: knownProxy(either("HTTPS_PROXY")),
		NoProxy:    either("NO_PROXY"),
		// httpoxy (CVE-2016-5385): in a CGI program HTTP_PROXY comes from the client.
		CGI: env("REQUEST_METHOD") != "",
	}
	if config.HTTPProxy == "" && config.HTTPSProxy == "" {
		return nil
	}
	choose := config.ProxyFunc()
	return func(target *url.URL) (*url.URL, error) {
		proxy, err := choose(target)
		switch {
		case err != nil || proxy != nil && proxy.Host == unusableProxy:
			return nil, &ConfigError{Field: proxyVariable(target), Rule: "names no proxy that can be used"}
		case proxy != nil && proxy.Scheme != "http" && proxy.Scheme != "https" && !isSOCKS(proxy):
			return nil, &ConfigError{Field: proxyVariable(target), Unsupported: true,
				Rule: "names a proxy that is neither http, https, socks5 nor socks5h"}
		}
		return proxy, nil
	}
}

// unusableProxy stands for an address that cannot be parsed. httpproxy would drop
// it and connect directly, past a proxy somebody meant to be used.
const unusableProxy = "unusable.invalid"

func knownProxy(address string) string {
	if address == "" {
		return ""
	}
	// As httpproxy reads it: a URL, or a host without a scheme.
	if u, err := url.Parse(address); err == nil && u.Scheme != "" && u.Host != "" {
		return address
	}
	if u, err := url.Parse("http://" + address); err == nil && u.Host != "" {
		return address
	}
	return "http://" + unusableProxy
}

func proxyVariable(target *url.URL) string {
	if target.Scheme == "https" {
		return "HTTPS_PROXY"
	}
	return "HTTP_PROXY"
}
