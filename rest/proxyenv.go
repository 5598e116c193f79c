package rest

import "net/url"

// ProxyFromEnvironment returns the proxy choice of HTTP_PROXY, HTTPS_PROXY and
// NO_PROXY for Config.Proxy, or nil when neither proxy variable is set.
func ProxyFromEnvironment(env func(string) string) func(*url.URL) (*url.URL, error) { return nil }
