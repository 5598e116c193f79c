package rest

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/url"
	"time"
)

// Config says which API server to talk to, as whom and how patiently. The zero value of every field but Server is usable.
//
// Durations and limits: zero is the documented default, negative is off (no limit). A Config is copied by [NewClient] and what it points to is not
// modified; do not modify it afterwards either. Printing a Config in any way (fmt, slog, JSON) shows no secret.
type Config struct {
	// Server is the API server's address: http or https, a host, an optional port and an optional path prefix. No user, query or fragment.
	// unix:///path is a socket of this machine that speaks plain http; no proxy is asked for it.
	Server string

	// CAData (PEM) or CAFile holds the certificate authorities the server's certificate is verified against; only these are trusted.
	// Without either, the system's roots are. A file that cannot be read or holds no certificate is an error, never a fallback.
	CAData []byte
	CAFile string
	// CertData and KeyData (PEM), or CertFile and KeyFile, are the client certificate. Files are read again at each handshake, and as ReloadInterval says.
	CertData []byte
	KeyData  []byte
	CertFile string
	KeyFile  string

	// Token gives the bearer token of each request; it is called once per Do, concurrently. It must not return an empty token.
	Token func(context.Context) (string, error)
	// TokenRejected is told of a token that was answered with 401, so that Token can give a newer one next time. Do does not repeat the request.
	TokenRejected func(token string)
	// Username and Password are sent as basic authentication when Token is nil.
	Username string
	Password string
	// Credentials gives token and client certificate together; it is not asked when Token or Username is set, and CertData or CertFile are used rather
	// than its certificate. rest/execplugin is one.
	Credentials CredentialSource
	// Impersonate is whom to act as, with the credentials above.
	Impersonate Impersonation

	// Dial makes the connections; nil uses a net.Dialer. It must return when its context ends. addr is host:port of the server or of the proxy.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// TLS is the base of the TLS configuration; nil is an empty one. It is cloned. ALPN is always http/1.1 alone, the version at least 1.2.
	TLS *tls.Config
	// TLSServerName replaces the host of Server in SNI and in the verification of the certificate.
	TLSServerName string
	// InsecureSkipTLSVerify accepts any certificate. Together with a CA it is an error.
	InsecureSkipTLSVerify bool
	// AllowTokenOverHTTP lets credentials travel over plain http to a host that is not loopback. Everyone on the path can read them.
	AllowTokenOverHTTP bool
	// Proxy names the proxy for a request's URL (scheme and host of Server, path of the request): an http or https URL, whose user is sent as
	// Proxy-Authorization and never shown; nil, nil means none. Every target is reached through CONNECT, plain http too.
	// An https proxy is verified against the system's roots and the CA given here; client certificate and InsecureSkipTLSVerify are for the server alone.
	// A nil func means no proxy: the environment is not read.
	Proxy func(*url.URL) (*url.URL, error)
	// SOCKS5 lets Proxy name socks5 and socks5h URLs, too: set it to the function [SOCKS5]. Without it they are refused, and the code is not linked.
	SOCKS5 SOCKS5Func

	// KeyLog receives the secrets of each TLS session in the format of SSLKEYLOGFILE (RFC 9850): who has them reads everything, tokens included.
	// Writes come one at a time. No environment variable is read.
	KeyLog io.Writer

	// UserAgent is sent with each request; empty is "rawwatch".
	UserAgent string
	// Trace observes every connection and request of the client.
	Trace *Trace
	// DisableCompression ignores Request.Gzip, for clusters whose configuration asks for that.
	DisableCompression bool
	// Namespace is the default namespace of the configuration's context. Informational: no request is changed by it.
	Namespace string

	// DialTimeout bounds resolving and connecting, and the CONNECT exchange with a proxy. Default 30 s.
	DialTimeout time.Duration
	// TLSTimeout bounds a TLS handshake. Default 10 s.
	TLSTimeout time.Duration
	// HeadTimeout bounds the time from a request's first byte to the end of the response head. Default 75 s: longer than the 60 s after which an
	// API server gives up by itself, so that its answer is seen.
	HeadTimeout time.Duration
	// IdleTimeout bounds the silence inside a response body: the time one read may wait for the next byte. Default 150 s.
	IdleTimeout time.Duration
	// KeepAlive is the interval of TCP keep-alive probes on connections this package dials itself. Default 30 s.
	KeepAlive time.Duration
	// ReloadInterval is how often CAFile, CertFile and KeyFile are read again while connections are open, besides at each handshake. When they have
	// changed, connections of the old ones are closed: unused ones at once, those in use (a long watch) if they are still open at the next look.
	// So the old authorities are trusted for at most two intervals. A request that is cut that way ends with io.ErrUnexpectedEOF, as by a server that
	// restarts. Default 1 minute; negative never looks between handshakes.
	ReloadInterval time.Duration
	// IdleConnTimeout bounds how long an unused connection is kept for the next request. Default 90 s; negative keeps none.
	IdleConnTimeout time.Duration
	// MaxIdleConns bounds how many unused connections are kept. Default 16; negative keeps none.
	MaxIdleConns int

	// MaxHeadBytes bounds a response head. Default 64 KiB.
	MaxHeadBytes int
	// MaxHeadFields bounds the field lines of a response head. Default 256.
	MaxHeadFields int
	// MaxInformational bounds the 1xx responses before the final one. Default 8.
	MaxInformational int
	// MaxErrorBytes bounds how much of a non-2xx response's body is read. Default 64 KiB.
	MaxErrorBytes int
	// MaxGzipRatio bounds how many bytes a gzip body may yield per byte received, once it has yielded 32 MiB. Default 200.
	MaxGzipRatio int
	// MaxGzipMembers bounds the members of one gzip body. A watch-list sends one per flush, so the default is large: 4,194,304.
	MaxGzipMembers int
}
