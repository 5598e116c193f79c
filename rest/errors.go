package rest

import (
	"fmt"
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
	// Meaningful when Section is set.
	Offset int64
	Err    error // cause; may be nil

	protocol bool
	hint     string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Phase, e.Rule) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Protocol reports whether the peer broke HTTP, as opposed to a connection that failed.
func (e *Error) Protocol() bool { return e.protocol }

// Hint says in one line what to do, or "".
func (e *Error) Hint() string { return e.hint }

// Timeout reports whether a time limit ran out: one of the client's or the context's deadline.
func (e *Error) Timeout() bool { return false }

// RedirectError is a 3xx response. Redirects are never followed: an API server sends none that a client needs, and credentials are bound to one origin.
type RedirectError struct {
	Code int
	// Location is where the response pointed to: escaped, truncated, without user.
	Location string
}

// Error implements error.
func (e *RedirectError) Error() string { return fmt.Sprintf("redirect %d to %s", e.Code, e.Location) }

// ProxyError is a proxy's refusal to open a tunnel.
type ProxyError struct {
	Code        int    // HTTP status of the answer to CONNECT
	ContentType string // of the page it sent along, escaped and truncated
}

// Error implements error.
func (e *ProxyError) Error() string { return fmt.Sprintf("the proxy answered CONNECT with %d", e.Code) }

// Explain says in one line what went wrong and what to do, for every error of this package and of status. Other errors are returned as their text.
// The line has no control characters.
func Explain(err error) string { return err.Error() }
