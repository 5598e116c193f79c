package rest

import (
	"io"
	"net"
	"sync/atomic"
	"time"
)

// closeWait bounds how long closing a TLS connection may wait to get its close_notify out.
const closeWait = 250 * time.Millisecond

// tlsTransport is what TLS reads and writes.
type tlsTransport struct {
	net.Conn
	// cut: the transport ended, and TLS wanted to read on. crypto/tls calls that a clean end if it falls between two records, where an attacker
	// can make it fall. After close_notify it does not read on (RFC 8446 6.1, RFC 9112 9.8).
	cut atomic.Bool
}

func (t *tlsTransport) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	if n == 0 && err == io.EOF {
		t.cut.Store(true)
	}
	return n, err
}

// SetWriteDeadline bounds what crypto/tls sets. It sets a write deadline of its own only to send close_notify, five seconds ahead; a peer that stopped
// reading must not hold a cancelled request that long.
func (t *tlsTransport) SetWriteDeadline(at time.Time) error {
	if limit := time.Now().Add(closeWait); at.After(limit) {
		at = limit
	}
	return t.Conn.SetWriteDeadline(at)
}
