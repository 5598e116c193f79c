package sim

import (
	"crypto/tls"
	"net"
	"slices"
	"time"
)

// listener gives the server its ends of the network's connections, decrypted.
type listener struct {
	net.Listener
	network *Network
	tls     *tls.Config // nil is none
}

// Accept waits for the next connection. The handshake comes with its first read.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if l.tls != nil {
		c = tls.Server(c, l.tls)
	}
	n := l.network
	n.mu.Lock()
	defer n.mu.Unlock()
	s := &serverConn{Conn: c, network: n, id: len(n.accepted) + 1}
	n.accepted = append(n.accepted, s)
	if l.tls != nil {
		s.trace = n.trace.conn(s.id)
	}
	return s, nil
}

// serverConn is the server's end of a connection, above TLS. Its fields are guarded by the network's lock.
type serverConn struct {
	net.Conn
	network *Network
	id      int
	written int64
	trace   *connTrace
}

// Write sends what the server says, up to a CloseNotify.
func (s *serverConn) Write(p []byte) (int, error) {
	fault, room := s.limit(len(p))
	n, err := s.send(p[:room])
	s.account(p[:n], fault, err)
	if fault == nil || err != nil {
		return n, err
	}
	s.Conn.Close()
	return n, net.ErrClosed
}

// send writes in pieces that a paced network can deliver one by one: TLS gives its reader a whole record at a time.
func (s *serverConn) send(p []byte) (n int, err error) {
	piece := s.network.pace
	if piece <= 0 {
		return s.Conn.Write(p)
	}
	for n < len(p) && err == nil {
		k := 0
		k, err = s.Conn.Write(p[n:min(n+piece, len(p))])
		n += k
	}
	return n, err
}

// limit returns the fault that a write meets, and how much of it comes before.
func (s *serverConn) limit(size int) (*Fault, int) {
	n := s.network
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range n.armed {
		f := n.armed[i]
		if f.Kind != CloseNotify || f.Conn != 0 && f.Conn != s.id {
			continue
		}
		at := f.At - n.plain
		if f.Conn != 0 {
			at = f.At - s.written
		}
		if at <= int64(size) {
			return &f, int(max(at, 0))
		}
	}
	return nil, size
}

// account counts what has been written. What a connection that is gone did not take counts for nothing: when the server finds out is up to the scheduler.
func (s *serverConn) account(p []byte, fault *Fault, err error) {
	n := s.network
	n.mu.Lock()
	defer n.mu.Unlock()
	s.written += int64(len(p))
	n.plain += int64(len(p))
	s.trace.down(p)
	if fault == nil || err != nil {
		return
	}
	if i := slices.Index(n.armed, *fault); i >= 0 {
		n.armed = slices.Delete(n.armed, i, i+1)
	}
	n.fired = append(n.fired, Fired{Fault: *fault, Conn: s.id, Offset: s.written, Time: time.Now()})
}

// Read gives the server what the client says.
func (s *serverConn) Read(p []byte) (int, error) {
	k, err := s.Conn.Read(p)
	if k > 0 && s.trace != nil {
		s.network.mu.Lock()
		defer s.network.mu.Unlock()
		s.trace.up(p[:k])
	}
	return k, err
}
