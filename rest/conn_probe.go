package rest

import (
	"errors"
	"os"
	"time"
)

// probeWait is how long a kept connection that is no socket is listened to before it is used again.
const probeWait = time.Millisecond

// quiet reports whether a kept connection can serve another request: the peer neither closed it nor sent bytes that nobody asked for, which would be
// taken for the answer to the next request (RFC 9112 9.2: MUST NOT). It consumes what it finds, so a connection that was not quiet must be shut.
func (cn *conn) quiet() bool {
	if cn.br.Buffered() > 0 || cn.limits.ended.Load() {
		return false
	}
	socket, ok := socketOf(cn.raw)
	switch {
	case !ok:
		return cn.silentUntil(time.Now().Add(probeWait))
	case cn.http == cn.raw:
		return silentSocket(socket)
	default: // TLS may hold decrypted bytes; with a deadline in the past it hands out those and does not touch the socket
		return cn.silentUntil(longAgo) && silentSocket(socket)
	}
}

// silentUntil reads and hopes for nothing.
func (cn *conn) silentUntil(t time.Time) bool {
	if err := cn.raw.SetReadDeadline(t); err != nil {
		return false
	}
	var one [1]byte
	n, err := cn.http.Read(one[:])
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && cn.raw.SetReadDeadline(time.Time{}) == nil
}
