package rest

import (
	"crypto/x509"
	"time"
)

// Trace observes the wire. Every func may be nil. They are called synchronously by the goroutine that calls Do, Read or Close (CloseConn also by the
// timer that ends an unused connection), so they must not block, and must not call back into the client. What they are given holds no credential: fields
// that carry one are masked. Slices and strings may be kept unless said otherwise.
type Trace struct {
	DialStart func(DialStart)
	DialDone  func(DialDone)
	TLS       func(TLSDone)     // a handshake succeeded
	Connect   func(ConnectDone) // a proxy answered CONNECT
	Request   func(RequestSent) // the request is on the wire
	Head      func(HeadReceived)
	Chunk     func(ChunkReceived)
	BodyEnd   func(BodyEnd)
	CloseConn func(ConnClosed)
}

// DialStart is the begin of a connection.
type DialStart struct {
	Conn uint64 // the connection's number within the client, from 1
	Time time.Time
	Addr string // host:port dialled: the server, or the proxy
	// Proxy is the proxy's scheme and host when there is one; Target is the server behind it.
	Proxy  string
	Target string
}

// DialDone is a connection made, or not.
type DialDone struct {
	Conn       uint64
	Time       time.Time
	Duration   time.Duration
	LocalAddr  string
	RemoteAddr string
	Err        error
}

// TLSDone is a finished TLS handshake.
type TLSDone struct {
	Conn       uint64
	Time       time.Time
	Duration   time.Duration
	Proxy      bool   // with the proxy, not with the server
	Version    string // such as "TLS 1.3"
	Cipher     uint16 // tls.CipherSuiteName names it; linking the names costs 8 KB
	ALPN       string // negotiated protocol, "" when the server does not speak ALPN
	ServerName string
	Resumed    bool
	Peer       []*x509.Certificate // as sent, leaf first; shared, read-only
}

// ConnectDone is a proxy's answer to CONNECT.
type ConnectDone struct {
	Conn     uint64
	Time     time.Time
	Duration time.Duration
	Request  []string // head lines, masked
	Response []string
	Code     int
}

// RequestSent is a request written in full.
type RequestSent struct {
	Conn   uint64
	Time   time.Time
	Reused bool
	Lines  []string // request line and fields, credentials masked
	Body   int      // bytes
	Err    error    // writing failed; a response may follow all the same
}

// HeadReceived is a response head, an informational one included.
type HeadReceived struct {
	Conn          uint64
	Time          time.Time
	Duration      time.Duration // since the request's first byte
	Code          int
	Lines         []string // status line and fields, escaped, credentials masked
	Framing       Framing
	ContentLength int64 // -1: not known
}

// ChunkReceived is one chunk's head (RFC 9112 7.1).
type ChunkReceived struct {
	Conn       uint64
	Time       time.Time
	Offset     int64  // of its first data byte in the body after unchunking (before gunzip)
	WireOffset int64  // of its size line, from the body's first byte on the wire
	Size       int64  // 0: the last chunk
	Extension  []byte // raw; valid during the call
}

// BodyEnd is the end of a response body, complete or not.
type BodyEnd struct {
	Conn     uint64
	Time     time.Time
	Bytes    int64 // decoded, as given to the reader
	Wire     int64 // content bytes after unchunking, before gunzip
	Complete bool  // the framing's end was seen
	Err      error // why it ended, when not complete
	Reusable bool  // the connection is kept
}

// Side is who ended a connection.
type Side string

const (
	SideLocal    Side = "local"    // this client: closed, cancelled, not needed any more
	SidePeerFIN  Side = "peer FIN" // the peer closed
	SidePeerRST  Side = "peer RST" // the peer reset
	SideTimeout  Side = "timeout"  // a time limit of this client
	SideProtocol Side = "protocol" // this client, because the peer broke HTTP
)

// ConnClosed is the end of a connection.
type ConnClosed struct {
	Conn     uint64
	Time     time.Time
	Side     Side
	Reason   string
	Requests int   // served on it
	Read     int64 // bytes of HTTP, after TLS
	Written  int64
	Age      time.Duration
}
