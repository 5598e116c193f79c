package rest

import (
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// wireRequest is a request as it goes out, but for its credentials.
type wireRequest struct {
	method string
	path   string // escaped, with the prefix
	line   string
	header Header
	body   []byte
	gzip   bool
	head   time.Duration
	idle   time.Duration
	traces traces
}

// prepare checks a request and builds its head.
func (c *Client) prepare(r *Request) (*wireRequest, error) {
	w := &wireRequest{
		method: r.Method, body: r.Body, gzip: r.Gzip && !c.cfg.DisableCompression,
		head: c.cfg.HeadTimeout, idle: c.cfg.IdleTimeout, traces: traces{c.cfg.Trace, r.Trace},
	}
	if r.HeadTimeout != 0 {
		w.head = r.HeadTimeout
	}
	if r.IdleTimeout != 0 {
		w.idle = r.IdleTimeout
	}
	if w.method == "" {
		w.method = "GET"
	}
	if err := checkMethod(w.method, len(r.Body)); err != nil {
		return nil, err
	}
	path, err := escapePath(r.Path)
	if err != nil {
		return nil, err
	}
	w.path = c.origin.prefix + path
	target := w.path
	if query := encodeQuery(r.Query); query != "" {
		target += "?" + query
	}
	w.line = w.method + " " + target + " HTTP/1.1"
	return w, w.fields(c, r)
}

// checkMethod holds a method to a token (RFC 9110 9.1). The two methods with framing of their own are not for this package.
func checkMethod(method string, body int) error {
	switch {
	case !httpguts.ValidHeaderFieldName(method):
		return &Error{Phase: PhaseConfig, Section: "RFC 9110 9.1", Rule: "a method that is no token, " + quote(method)}
	case method == "CONNECT" || method == "TRACE":
		return &Error{Phase: PhaseConfig, Rule: "method " + method + " is refused"}
	case body > 0 && (method == "GET" || method == "HEAD"):
		return &Error{Phase: PhaseConfig, Section: "RFC 9110 9.3.1", Rule: "a body on a " + method + " request"}
	}
	return nil
}

// fields builds the header. Never Expect, never TE, never Transfer-Encoding: nothing that makes the answer's framing depend on the request's.
func (w *wireRequest) fields(c *Client, r *Request) error {
	accept, coding := r.Accept, "identity"
	if accept == "" {
		accept = "application/json"
	}
	if w.gzip {
		coding = "gzip"
	}
	w.header = Header{{"Host", c.origin.header}, {"User-Agent", c.cfg.UserAgent}, {"Accept", accept}, {"Accept-Encoding", coding}}
	if r.ContentType != "" {
		w.header.Add("Content-Type", r.ContentType)
	}
	if len(r.Body) > 0 || w.method == "POST" || w.method == "PUT" || w.method == "PATCH" {
		w.header.Add("Content-Length", strconv.Itoa(len(r.Body)))
	}
	w.header = append(w.header, *c.acts...)
	own := len(w.header)
	w.header = append(w.header, r.Header...)
	for i, f := range w.header {
		switch {
		case !httpguts.ValidHeaderFieldName(f.Name):
			return &Error{Phase: PhaseConfig, Section: "RFC 9110 5.1", Rule: "a field name that is no token, " + quote(f.Name)}
		case !httpguts.ValidHeaderFieldValue(f.Value):
			return &Error{Phase: PhaseConfig, Section: "RFC 9110 5.5", Rule: "a control character in the value of " + quote(f.Name)}
		case i >= own && refusedField(f.Name):
			return &Error{Phase: PhaseConfig, Rule: "field " + quote(f.Name) + " is written by this package only"}
		}
	}
	return nil
}

// refusedField names what a caller must not set: fields this package writes, hop-by-hop fields, and who is asking.
func refusedField(name string) bool {
	switch strings.ToLower(name) {
	case "host", "user-agent", "accept", "accept-encoding", "content-type", "content-length", "authorization",
		"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "http2-settings", "expect":
		return true
	}
	return hasPrefixFold(name, "proxy-") || hasPrefixFold(name, "impersonate-")
}

// encode returns the head with the credentials and a short body, so that they leave in one write; rest is the body otherwise.
func (w *wireRequest) encode(authorization string) (head, rest []byte) {
	const together = 8 << 10
	b := append(make([]byte, 0, 1<<10), w.line...)
	b = append(b, "\r\n"...)
	for _, f := range w.header {
		b = appendField(b, f.Name, f.Value)
	}
	if authorization != "" {
		b = appendField(b, "Authorization", authorization)
	}
	b = append(b, "\r\n"...)
	if len(w.body) <= together {
		return append(b, w.body...), nil
	}
	return b, w.body
}

// lines is the head as a trace shows it.
func (w *wireRequest) lines(authorization string) []string {
	lines := append([]string{printable(w.line, 8<<10)}, w.header.lines()...)
	if authorization != "" {
		lines = append(lines, Field{"Authorization", authorization}.String())
	}
	return lines
}

func appendField(b []byte, name, value string) []byte {
	b = append(b, name...)
	b = append(b, ": "...)
	b = append(b, value...)
	return append(b, "\r\n"...)
}

func basicAuth(user, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// encodeQuery is url.Values.Encode, which links a way to sort strings that nothing else here needs: 8 KB.
func encodeQuery(q url.Values) string {
	var b strings.Builder
	for _, key := range slices.SortedFunc(maps.Keys(q), strings.Compare) {
		for _, value := range q[key] {
			if b.Len() > 0 {
				b.WriteByte('&')
			}
			b.WriteString(url.QueryEscape(key))
			b.WriteByte('=')
			b.WriteString(url.QueryEscape(value))
		}
	}
	return b.String()
}
