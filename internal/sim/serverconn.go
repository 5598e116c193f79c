package sim

import (
	"crypto/tls"
	"net"
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
		s.trace = n.trace.plain(s.id)
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
	room, struck := s.account(p)
	if !struck {
		return s.Conn.Write(p)
	}
	n, err := s.Conn.Write(p[:room])
	if err == nil {
		err = net.ErrClosed
	}
	s.Conn.Close()
	return n, err
}

// account counts what is written, and says where a fault ends it.
func (s *serverConn) account(p []byte) (room int, struck bool) {
	n := s.network
	n.mu.Lock()
	defer n.mu.Unlock()
	room = len(p)
	for i := range n.armed {
		f := n.armed[i]
		if f.Kind != CloseNotify || f.Conn != 0 && f.Conn != s.id {
			continue
		}
		at := f.At - n.plain
		if f.Conn != 0 {
			at = f.At - s.written
		}
		if at > int64(len(p)) {
			continue
		}
		room, struck = int(max(at, 0)), true
		n.armed = append(n.armed[:i:i], n.armed[i+1:]...)
		n.fired = append(n.fired, Fired{Fault: f, Conn: s.id, Offset: s.written + int64(room), Time: now()})
		break
	}
	s.written += int64(room)
	n.plain += int64(room)
	s.trace.down(p[:room])
	return room, struck
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
