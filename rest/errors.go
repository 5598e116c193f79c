package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Phase is the part of a request in which it failed.
type Phase string

const (
	PhaseConfig  Phase = "config"  // the configuration or the request is not valid; nothing was sent
	PhaseAuth    Phase = "auth"    // Config.Token failed; nothing was sent
	PhaseResolve Phase = "resolve" // the host's name was not found
	PhaseDial    Phase = "dial"    // no connection to the server or the proxy
	PhaseProxy   Phase = "proxy"   // the proxy did not open the tunnel
	PhaseTLS     Phase = "tls"     // handshake or certificate
	PhaseWrite   Phase = "write"   // sending the request
	PhaseHead    Phase = "head"    // reading the response head
	PhaseBody    Phase = "body"    // reading the response body
)

// Error is a request that failed below the API: in configuration, connection, TLS or HTTP framing. It holds no credential and no body content;
// peer bytes in it are quoted and truncated.
type Error struct {
	Phase Phase
	Addr  string // host:port of the server or the proxy, as far as known
	// Rule is what was broken, in words; Section is where it stands, such as "RFC 9112 5.1". Both may be empty.
	Rule    string
	Section string
	// Offset is the place of the offending byte, from the start of the response head (PhaseHead, PhaseProxy) or of the body on the wire (PhaseBody).
	// Meaningful when Protocol is true; -1 when no single byte is to blame.
	Offset int64
	// Err is the cause and may be nil. A response that ended early wraps io.ErrUnexpectedEOF, a cancelled request its context's error.
	Err error

	protocol bool
	timeout  bool
	hint     string
	limit    time.Duration // that ran out, if it was time
}

// Error implements error. It is one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Phase))
	if e.Addr != "" {
		b.WriteString(" " + e.Addr)
	}
	if e.Rule != "" {
		b.WriteString(": " + e.Rule)
	}
	switch {
	case e.protocol && e.Section != "" && e.Offset >= 0:
		b.WriteString(" (" + e.Section + ", byte " + strconv.FormatInt(e.Offset, 10) + ")")
	case e.Section != "":
		b.WriteString(" (" + e.Section + ")")
	}
	if e.Err != nil {
		b.WriteString(": " + printable(plainText(e.Err), maxErrorText))
	}
	return b.String()
}

// Format implements fmt.Formatter: every verb prints Error.
func (e *Error) Format(s fmt.State, _ rune) {
	if e == nil {
		io.WriteString(s, "<nil>")
		return
	}
	io.WriteString(s, e.Error())
}

// MarshalJSON writes what Error shows, in fields. The cause is a text: causes print more than they should.
func (e *Error) MarshalJSON() ([]byte, error) {
	fields := map[string]any{"phase": e.Phase, "message": e.Error()}
	for key, value := range map[string]string{"addr": e.Addr, "rule": e.Rule, "section": e.Section} {
		if value != "" {
			fields[key] = value
		}
	}
	if e.protocol {
		fields["offset"] = e.Offset
	}
	return json.Marshal(fields)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Protocol reports whether the peer broke HTTP or answered what was not asked for, as opposed to a connection that failed or ended.
func (e *Error) Protocol() bool { return e.protocol }

// Timeout reports whether a time limit ran out: one of the client's or the context's deadline.
func (e *Error) Timeout() bool {
	return e.timeout || errors.Is(e.Err, context.DeadlineExceeded)
}

// Hint says in one line what to do, or "".
func (e *Error) Hint() string {
	if e.hint != "" {
		return e.hint
	}
	return hintFor(e)
}

// plainText is a cause's text. The net package repeats the address that stands in front of it already; net/url repeats the whole URL, and there
// may be a password in it.
func plainText(err error) string {
	if bad, ok := errors.AsType[*url.Error](err); ok {
		return bad.Op + ": " + bad.Err.Error()
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Err != nil {
		return op.Err.Error()
	}
	return err.Error()
}

// RedirectError is a 3xx response. Redirects are never followed: an API server sends none that a client needs, and credentials are bound to one origin.
type RedirectError struct {
	Code int
	// Location is where the response pointed to: escaped, truncated, without user and query.
	Location string
}

// Error implements error.
func (e *RedirectError) Error() string {
	if e.Location == "" {
		return fmt.Sprintf("redirect %d", e.Code)
	}
	return fmt.Sprintf("redirect %d to %s", e.Code, e.Location)
}

// ProxyError is a proxy's refusal to open a tunnel. It is no status.Error: the API server has not answered.
type ProxyError struct {
	Code        int    // HTTP status of the answer to CONNECT
	ContentType string // of the page it sent along, escaped and truncated
}

// Error implements error.
func (e *ProxyError) Error() string {
	return fmt.Sprintf("the proxy answered CONNECT with %d", e.Code)
}

// contextError is the end of ctx: its Err, and its cause when somebody gave one.
func contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || cause == err {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// cutError is a connection that broke in the middle of something: always an io.ErrUnexpectedEOF, whatever the operating system calls it.
type cutError struct{ err error }

func (e cutError) Error() string   { return plainText(e.err) }
func (e cutError) Unwrap() []error { return []error{io.ErrUnexpectedEOF, e.err} }
