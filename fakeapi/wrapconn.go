package fakeapi

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
)

// WrapConns lets f stand around the server's side of each connection that is
// accepted from now on, by any of its listeners, until remove is called. Later
// wrappers stand outside of earlier ones. A connection of a TLS listener is
// left alone, because net/http would not know it again: to get below TLS, use
// Serve(tls.NewListener(server.WrapListener(l), config)).
func (s *Server) WrapConns(f func(net.Conn) net.Conn) (remove func()) {
	return add(&s.hooks, &s.hooks.conns, f)
}

// WrapListener returns l with every connection in the wrappers of WrapConns.
func (s *Server) WrapListener(l net.Listener) net.Listener { return &wrapListener{l, s} }

// RequestConn returns the server's side of the connection that a request came
// on, nil if it did not come through Serve, Listen or Dial. For tests that do
// something to it beside the answer; to take it over use Hijack.
func RequestConn(r *http.Request) net.Conn {
	conn, _ := r.Context().Value(connKey{}).(net.Conn)
	return conn
}

type connKey struct{}

func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

type wrapListener struct {
	net.Listener
	server *Server
}

func (l *wrapListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if _, encrypted := conn.(*tls.Conn); encrypted {
		return conn, nil
	}
	for _, f := range present(&l.server.hooks, &l.server.hooks.conns) {
		conn = f.value(conn)
	}
	return conn, nil
}
