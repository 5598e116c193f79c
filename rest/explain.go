package rest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/rawwatch/rawwatch/status"
)

const (
	hintOnlyHTTP2 = "this server or balancer speaks only HTTP/2; enable HTTP/1.1 on it, or go to the API server itself"
	hintUseHTTPS  = "write https:// in the server's address"
	hintUseHTTP   = "the port speaks plain http; write http:// in the server's address, or use its TLS port"
	hintNotHTTP   = "something else than an API server listens there; check host and port"
)

// hintFor finds what to do in an error's cause.
func hintFor(e *Error) string {
	switch e.Phase {
	case PhaseResolve:
		return "check the spelling of the server's host, and the DNS or VPN it is known in"
	case PhaseAuth:
		return "the credentials could not be had; nothing was sent"
	case PhaseProxy:
		return hintProxy(e)
	case PhaseTLS:
		if hint := hintTLS(e); hint != "" {
			return hint
		}
	}
	if _, ok := errors.AsType[*status.Error](e.Err); ok {
		return ""
	}
	switch {
	case errors.Is(e.Err, context.Canceled):
		return ""
	case errors.Is(e.Err, syscall.ECONNREFUSED):
		return "nothing listens there; check host and port, and that the server runs"
	case errors.Is(e.Err, syscall.EHOSTUNREACH), errors.Is(e.Err, syscall.ENETUNREACH):
		return "there is no route to it; check the network or VPN"
	case isAlert(e.Err, alertCertificateRequired), isAlert(e.Err, alertBadCertificate), isAlert(e.Err, alertUnknownCA), isAlert(e.Err, alertCertificateExpired):
		return hintClientCert
	case e.Timeout():
		return hintTimeout(e)
	case errors.Is(e.Err, io.ErrUnexpectedEOF):
		return hintCut(e)
	case e.protocol:
		return "the server, or a proxy in front of it, does not keep to HTTP/1.1; try the API server itself"
	}
	return ""
}

const hintClientCert = "the server did not accept the client certificate, or wants one; check certificate and key of the configuration"

func hintTLS(e *Error) string {
	cause := e.Err
	if refused, ok := errors.AsType[*tls.CertificateVerificationError](cause); ok {
		cause = refused.Err
	}
	switch cause := cause.(type) {
	case x509.UnknownAuthorityError:
		return "the certificate is signed by nobody we trust; give the cluster's CA (certificate-authority), or check that it is the right server"
	case x509.HostnameError:
		return "the certificate is for other names than " + quote(cause.Host) + "; use one of those, or set the TLS server name"
	case x509.CertificateInvalidError:
		if cause.Reason == x509.Expired {
			return "the certificate has expired or is not yet valid; renew it, or check the clock of this machine"
		}
	}
	if e.protocol || strings.HasPrefix(e.Rule, ruleNoTLS) {
		return hintUseHTTP
	}
	return ""
}

func hintSOCKS(e *SOCKSError) string {
	if e.Login || e.Method {
		return "check user and password in the proxy's URL"
	}
	return "check the server's address, as the proxy sees it, and the proxy's rules"
}

func hintProxy(e *Error) string {
	if socks, ok := e.Err.(*SOCKSError); ok {
		return hintSOCKS(socks)
	}
	refused, ok := errors.AsType[*ProxyError](e.Err)
	switch {
	case !ok && e.protocol:
		return "the proxy's answer is no HTTP/1.1; check the proxy's address"
	case !ok:
		return "the proxy did not open a tunnel; check its address, or go around it with NO_PROXY"
	case refused.Code == 407:
		return "the proxy wants a login; put user and password into the proxy's URL"
	case refused.Code == 403:
		return "the proxy does not allow tunnels to this server; ask for a rule, or go around it with NO_PROXY"
	}
	return "the proxy did not reach the server; check it, or go around it with NO_PROXY"
}

func hintTimeout(e *Error) string {
	switch e.Phase {
	case PhaseDial:
		return "the host does not answer; check address, firewall and VPN"
	case PhaseBody:
		return "the connection may be dead without saying so, or nothing changed and no bookmark came; try again"
	}
	return "the server is overloaded, or something on the way swallows the bytes; try again"
}

func hintCut(e *Error) string {
	if e.Phase == PhaseBody {
		return "the connection ended in the middle of a response; try again"
	}
	return "the connection ended before a response; if it does again, check that an API server listens there"
}

// Explain says in one line what went wrong and what to do, for every error of this package and of status. Other errors are returned as their text.
// The line has no control characters.
func Explain(err error) string {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return withHint(e.Error(), e.Hint())
	}
	if e, ok := errors.AsType[*RedirectError](err); ok {
		return withHint(e.Error(), "redirects are never followed (credentials stay with one server); use the API server's own address")
	}
	if e, ok := errors.AsType[*status.Error](err); ok {
		return explainStatus(e)
	}
	if errors.Is(err, net.ErrClosed) || errors.Is(err, context.Canceled) {
		return printable(err.Error(), maxErrorText)
	}
	return printable(err.Error(), 2*maxErrorText)
}

//go:noinline // it is an error
func withHint(text, hint string) string {
	if hint == "" {
		return text
	}
	return text + ": " + hint
}

// explainStatus is for answers of the API server - or of whatever stands in front of it, which sends pages for people.
func explainStatus(e *status.Error) string {
	text := printable(e.Error(), 2*maxErrorText)
	switch {
	case e.ContentType == "text/html":
		return withHint(text, "the page is not from the API server but from a proxy or balancer in front of it; check the address, HTTPS_PROXY and NO_PROXY")
	case e.Code == 401:
		return withHint(text, "the token or certificate is wrong or has expired; log in again, or check the user of the configuration")
	case e.Code == 403:
		return withHint(text, "these credentials may not do that; ask for a role that allows it (kubectl auth can-i shows what is allowed)")
	case e.Code == 404:
		return withHint(text, "check resource, group, version and namespace, and that the address is the API server's")
	case e.Code == 410:
		return withHint(text, "the version is too old; list again and watch from there")
	case status.IsTooLargeResourceVersion(e):
		return withHint(text, "the version is ahead of this server: of another cluster, of before an etcd restore, or the server lags behind; list again without it")
	case e.Code == 429:
		return withHint(text, "the server asks for patience; try again later")
	case e.Code >= 500:
		return withHint(text, "the server or a proxy in front of it is in trouble; try again")
	}
	return text
}
