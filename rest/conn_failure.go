package rest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

var errClientClosed = errors.New("the client was closed")

// failure completes an error of this connection: what it means, and who ended the connection. A wait that a cancel ended is the context's error,
// whatever the socket called it.
func (cn *conn) failure(ctx context.Context, err error) (*Error, Side) {
	e, ok := err.(*Error)
	if !ok {
		e = &Error{Phase: PhaseBody, Err: err}
	}
	if e.Addr == "" {
		e.Addr = cn.server
	}
	e.Rule = cn.secrets.hide(e.Rule)
	timeout := errors.Is(e.Err, os.ErrDeadlineExceeded)
	switch {
	case e.protocol:
		return e, SideProtocol
	case cn.retired.Load() && ctx.Err() == nil && (timeout || errors.Is(e.Err, net.ErrClosed)):
		e.Err = errRotated
		return e, SideLocal
	case cn.limits.ended.Load() && (timeout || errors.Is(e.Err, net.ErrClosed)):
		if e.Err = errClientClosed; ctx.Err() != nil {
			e.Err = contextError(ctx)
		}
		return e, SideLocal
	case timeout:
		e.timeout = true
		if e.Rule == "" {
			e.Rule = timeoutRule(e)
		}
		return e, SideTimeout
	case errors.Is(e.Err, syscall.ECONNRESET), errors.Is(e.Err, syscall.EPIPE):
		e.Err = cutError{e.Err}
		return e, SidePeerRST
	case errors.Is(e.Err, io.EOF):
		e.Err = io.ErrUnexpectedEOF
		return e, SidePeerFIN
	case errors.Is(e.Err, io.ErrUnexpectedEOF):
		return e, SidePeerFIN
	}
	if record, ok := e.Err.(tls.RecordHeaderError); ok && e.Phase == PhaseTLS {
		e.Rule = ruleNoTLS
		e.Err = nil
		if string(record.RecordHeader[:4]) == "HTTP" {
			e.Rule += ", it looks like HTTP"
		}
		return e, SideProtocol
	}
	if isAlert(e.Err, alertNoApplicationProtocol) {
		e.Rule, e.hint = "the server does not offer HTTP/1.1 (ALPN, RFC 7301 3.2)", hintOnlyHTTP2
	}
	return e, SideLocal
}

const ruleNoTLS = "the first record does not look like a TLS handshake"

// Alerts that have an explanation of their own.
const (
	alertBadCertificate        = tls.AlertError(42)
	alertCertificateExpired    = tls.AlertError(45)
	alertUnknownCA             = tls.AlertError(48)
	alertCertificateRequired   = tls.AlertError(116)
	alertNoApplicationProtocol = tls.AlertError(120) // the server shares no ALPN protocol with us
)

// isAlert recognises a TLS alert of the peer. crypto/tls hides its type but not its text.
func isAlert(err error, alert tls.AlertError) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "remote error" && op.Err != nil && op.Err.Error() == alert.Error()
}

func isAnyAlert(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "remote error"
}

func timeoutRule(e *Error) string {
	switch e.Phase {
	case PhaseTLS:
		return fmt.Sprintf("no TLS handshake within %v", e.limit)
	case PhaseProxy:
		return fmt.Sprintf("no tunnel within %v", e.limit)
	case PhaseWrite, PhaseHead:
		return fmt.Sprintf("no response head within %v", e.limit)
	}
	return fmt.Sprintf("no byte of the body for %v", e.limit)
}
