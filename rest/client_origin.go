package rest

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// origin is the one place a client talks to.
type origin struct {
	scheme string // http or https
	socket bool   // host is the path of a unix socket
	host   string // ASCII, no brackets, an IPv6 zone included
	port   string
	prefix string // escaped path before every request's, "" or "/..." without a final slash
	header string // value of Host
}

// addr is what is dialled.
func (o origin) addr() string {
	if o.socket {
		return o.host
	}
	return net.JoinHostPort(o.host, o.port)
}

// network is what is dialled on.
func (o origin) network(proxy *url.URL) string {
	if o.socket && proxy == nil {
		return "unix"
	}
	return "tcp"
}

func (o origin) String() string {
	if o.socket {
		return "unix://" + o.host
	}
	return o.scheme + "://" + o.header
}

// loopback reports whether plain http to this host stays on the machine.
func (o origin) loopback() bool {
	if o.socket || o.host == "localhost" || strings.HasSuffix(o.host, ".localhost") { // RFC 6761 6.3
		return true
	}
	ip, err := netip.ParseAddr(o.host)
	return err == nil && ip.Unmap().IsLoopback()
}

// parseOrigin reads Config.Server. Errors do not repeat an address that has a user in it.
func parseOrigin(server string) (origin, error) {
	bad := func(rule string) (origin, error) { return origin{}, configError("Server: "+rule, nil) }
	if server == "" {
		return bad("no API server given")
	}
	u, err := url.Parse(server)
	switch {
	case err != nil || u.Opaque != "":
		return bad("not a URL such as https://host:6443")
	case u.User != nil:
		return bad("a user in the address is refused; use Token or Username and Password")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return bad("an address with a query or a fragment")
	case u.Scheme == "unix" && (u.Host != "" || len(u.Path) < 2):
		return bad("the address of a unix socket must be unix:// and an absolute path")
	case u.Scheme == "unix":
		return origin{scheme: "http", socket: true, host: u.Path, header: "localhost"}, nil
	case u.Scheme != "http" && u.Scheme != "https":
		return bad("the address must begin with https://, http:// or unix://")
	case u.Hostname() == "":
		return bad("an address without a host")
	}
	host, port, err := hostPort(u)
	if err != nil {
		return origin{}, err
	}
	prefix := strings.TrimRight(u.EscapedPath(), "/")
	if prefix != "" {
		if prefix, err = escapePath(prefix); err != nil {
			return origin{}, err
		}
	}
	o := origin{scheme: u.Scheme, host: host, port: port, prefix: prefix}
	o.header = hostHeader(host, u.Port())
	return o, nil
}

// hostPort takes an address apart and makes its host ASCII (IDNA; RFC 3986 3.2.2).
func hostPort(u *url.URL) (host, port string, err error) {
	host, port = u.Hostname(), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", "", configError("a port that is none, "+quote(port), nil)
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return host, port, nil
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil && isHostname(host) {
		ascii, err = strings.ToLower(host), nil // names such as my_host resolve in clusters
	}
	if err != nil || !isHostname(ascii) {
		return "", "", configError("a host that is no name, "+quote(host), nil)
	}
	return ascii, port, nil
}

// isHostname accepts what resolvers do: letters, digits, hyphens, underscores and dots.
func isHostname(s string) bool {
	if s == "" || len(s) > 255 {
		return false
	}
	for i := range len(s) {
		b := lower(s[i])
		if (b < 'a' || b > 'z') && !isDigit(b) && b != '-' && b != '_' && b != '.' {
			return false
		}
	}
	return true
}

// hostHeader is the value of Host: the authority without an IPv6 zone (RFC 9110 7.2, RFC 6874 4).
func hostHeader(host, port string) string {
	host, _, _ = strings.Cut(host, "%")
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	return host
}

//go:noinline
func configError(rule string, err error) error {
	return &Error{Phase: PhaseConfig, Rule: rule, Err: err}
}
