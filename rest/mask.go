package rest

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
)

// masked stands in for a secret.
const masked = "<masked>"

// secretField reports whether a field's value may carry a credential. Deny by resemblance: a field that is masked for nothing harms nobody.
func secretField(name string) bool {
	name = strings.ToLower(name)
	for _, part := range [...]string{"auth", "cookie", "token", "secret", "password", "api-key", "apikey", "credential", "impersonate-extra"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// shown is a field's value as it may be printed: masked, or escaped.
func (f Field) shown() string {
	if secretField(f.Name) {
		return masked
	}
	return printable(f.Value, 4<<10)
}

// String returns the field line, escaped; credentials are masked.
func (f Field) String() string { return printable(f.Name, 256) + ": " + f.shown() }

// Format implements fmt.Formatter: every verb prints String.
func (f Field) Format(s fmt.State, _ rune) { io.WriteString(s, f.String()) }

// MarshalJSON writes name and value; credentials are masked.
func (f Field) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"name": f.Name, "value": f.shown()})
}

// LogValue implements slog.LogValuer.
func (f Field) LogValue() slog.Value { return slog.StringValue(f.String()) }

// LogValue implements slog.LogValuer.
func (h Header) LogValue() slog.Value { return slog.StringValue(strings.Join(h.lines(), "; ")) }

// lines returns the field lines as they may be printed.
//
//go:noinline // it is called from everywhere
func (h Header) lines() []string {
	lines := make([]string, len(h))
	for i, f := range h {
		lines[i] = f.String()
	}
	return lines
}

// attrs is what may be known of a configuration: where it leads and which kinds of credentials it has, none of their contents.
func (c Config) attrs() []slog.Attr {
	fields := [...]struct {
		is         bool
		key, value string
	}{
		{true, "server", shownURL(c.Server)},
		{len(c.CAData) > 0, "ca", "data"},
		{c.CAFile != "", "caFile", c.CAFile},
		{len(c.CertData) > 0, "cert", "data"},
		{c.CertFile != "", "certFile", c.CertFile},
		{len(c.KeyData) > 0, "key", masked},
		{c.KeyFile != "", "keyFile", c.KeyFile},
		{c.Token != nil, "token", masked},
		{c.Username != "", "username", c.Username},
		{c.Password != "", "password", masked},
		{c.Credentials != nil, "credentials", masked},
		{c.Impersonate.User != "", "impersonate", c.Impersonate.User},
		{c.KeyLog != nil, "keyLog", "custom"},
		{c.TLS != nil, "tls", "custom"},
		{c.TLSServerName != "", "tlsServerName", c.TLSServerName},
		{c.InsecureSkipTLSVerify, "insecureSkipTLSVerify", "true"},
		{c.AllowTokenOverHTTP, "allowTokenOverHTTP", "true"},
		{c.Dial != nil, "dial", "custom"},
		{c.Proxy != nil, "proxy", "custom"},
		{c.Namespace != "", "namespace", c.Namespace},
	}
	var attrs []slog.Attr
	for _, f := range fields {
		if f.is {
			attrs = append(attrs, slog.String(f.key, f.value))
		}
	}
	return attrs
}

// String returns one line without secrets.
func (c Config) String() string { return attrLine("Config", c.attrs()) }

// Format implements fmt.Formatter: every verb prints String.
func (c Config) Format(s fmt.State, _ rune) { io.WriteString(s, c.String()) }

// MarshalJSON writes what String shows.
func (c Config) MarshalJSON() ([]byte, error) { return attrJSON(c.attrs()) }

// LogValue implements slog.LogValuer.
func (c Config) LogValue() slog.Value { return slog.GroupValue(c.attrs()...) }

func (r Request) attrs() []slog.Attr {
	method := r.Method
	if method == "" {
		method = "GET"
	}
	return []slog.Attr{
		slog.String("method", printable(method, 32)),
		slog.String("path", printable(r.Path, 1<<10)),
		slog.String("query", printable(shownQuery(r.Query), 4<<10)),
		slog.String("header", strings.Join(r.Header.lines(), "; ")),
		slog.Int("bodyBytes", len(r.Body)),
	}
}

// String returns one line without secrets and without the body.
func (r Request) String() string { return attrLine("Request", r.attrs()) }

// Format implements fmt.Formatter: every verb prints String.
func (r Request) Format(s fmt.State, _ rune) { io.WriteString(s, r.String()) }

// MarshalJSON writes what String shows.
func (r Request) MarshalJSON() ([]byte, error) { return attrJSON(r.attrs()) }

// LogValue implements slog.LogValuer.
func (r Request) LogValue() slog.Value { return slog.GroupValue(r.attrs()...) }

// Format implements fmt.Formatter: a client prints its origin only.
func (c *Client) Format(s fmt.State, _ rune) {
	if c == nil {
		io.WriteString(s, "Client(nil)")
		return
	}
	io.WriteString(s, "Client("+c.Origin()+")")
}

// MarshalJSON writes the origin.
func (c *Client) MarshalJSON() ([]byte, error) { return json.Marshal(c.Origin()) }

// LogValue implements slog.LogValuer.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.Origin()) }

func attrLine(name string, attrs []slog.Attr) string {
	var b strings.Builder
	b.WriteString(name + "{")
	for i, a := range attrs {
		if i > 0 {
			b.WriteString(" ")
		}
		fmt.Fprintf(&b, "%s: %q", a.Key, a.Value.String())
	}
	return b.String() + "}"
}

func attrJSON(attrs []slog.Attr) ([]byte, error) {
	m := make(map[string]any, len(attrs))
	for _, a := range attrs {
		m[a.Key] = a.Value.Any()
	}
	return json.Marshal(m)
}

// shownURL leaves out what an address may hold of a secret: its user, query and fragment. One that does not parse is not repeated at all.
func shownURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" {
		return "<not a URL>"
	}
	return printable((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String(), maxErrorText)
}

// shownQuery masks parameters that resemble credentials.
func shownQuery(q url.Values) string {
	clean := make(url.Values, len(q))
	for k, v := range q {
		if secretField(k) {
			v = []string{masked}
		}
		clean[k] = v
	}
	return encodeQuery(clean)
}
