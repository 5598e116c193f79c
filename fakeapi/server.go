package fakeapi

import (
	"context"
	"net"
	"net/http"
)

// Server is an in-process Kubernetes API server. All methods are safe for
// concurrent use. Close must be called to release its goroutines.
type Server struct {
	options Options
}

// New returns a server. It answers through ServeHTTP at once; no goroutine
// runs before Serve, Listen or Dial.
func New(o Options) *Server {
	return &Server{options: o}
}

// ServeHTTP answers one API request, so that a Server can be mounted in any
// net/http server, for example an httptest one with TLS. A watch occupies its
// call until it ends.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {}

// Serve accepts connections from l, in the calling goroutine, until Close or
// Shutdown, and then returns http.ErrServerClosed. It may be called for
// several listeners. A TLS server is Serve(tls.NewListener(l, config)).
func (s *Server) Serve(l net.Listener) error { return nil }

// Listen serves on a loopback port, in a goroutine that ends with Close, and
// returns the URL.
func (s *Server) Listen() (url string, err error) { return "", nil }

// Dial connects to the server in memory, whatever network and address say.
// It is usable inside a testing/synctest bubble if New was called there too.
func (s *Server) Dial(ctx context.Context, network, addr string) (net.Conn, error) { return nil, nil }

// URL is the origin to use with Dial: http on a loopback address, so that
// clients which refuse to send a token in the clear do send it.
func (s *Server) URL() string { return "http://127.0.0.1:8001" }

// HTTPClient returns a net/http client that uses Dial and neither follows
// redirects nor asks for gzip of itself. Close ends its connections.
func (s *Server) HTTPClient() *http.Client { return nil }

// Shutdown ends every watch as a terminating API server does, with a complete
// body, refuses new connections and waits for requests under way, until ctx
// ends. Close must still be called.
func (s *Server) Shutdown(ctx context.Context) error { return nil }

// Close cuts every connection, ends every request and waits until no
// goroutine of the server is left.
func (s *Server) Close() error { return nil }

// CloseWatches ends every open watch with a complete body, as the server does
// at a watch's timeout.
func (s *Server) CloseWatches() {}

// CutConnections closes every connection at once, in the middle of whatever
// it carries, as a killed server does. The server itself goes on.
func (s *Server) CutConnections() {}
