package fakeapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
)

// Server is an in-process Kubernetes API server. All methods are safe for
// concurrent use. Close must be called to release its goroutines.
type Server struct {
	options Options
	random  *random // of objects; under mu, so that it follows their order
	timing  *random
	audit   *random

	mu       sync.Mutex
	version  uint64
	advanced chan struct{} // closed and replaced when version moves
	byName   map[string]*collection
	order    []*collection
	tokens   map[string]User

	hooks    hooks
	requests requestLog

	network   *inMemory
	listening sync.Once
	http      *http.Server
	conns     connections
	// running counts requests and the goroutines of Listen and Dial.
	running   sync.WaitGroup
	closed    chan struct{}
	closeOnce sync.Once
	draining  chan struct{}
	drainOnce sync.Once
}

// New returns a server. It answers through ServeHTTP at once; no goroutine
// runs before Serve, Listen or Dial.
func New(o Options) *Server {
	o = o.withDefaults()
	s := &Server{
		options:  o,
		random:   newRandom(o.Seed),
		timing:   newRandom(o.Seed + 1),
		audit:    newRandom(o.Seed + 2),
		version:  1,
		advanced: make(chan struct{}),
		byName:   make(map[string]*collection),
		tokens:   o.Tokens,
		network:  newInMemory(),
		closed:   make(chan struct{}),
		draining: make(chan struct{}),
	}
	s.requests.limit = o.RequestLog
	for _, b := range builtins {
		s.register(b.build())
	}
	for _, r := range o.Resources {
		s.register(newCustom(r))
	}
	s.http = &http.Server{Handler: s, ConnState: s.conns.track}
	return s
}

// Serve accepts connections from l, in the calling goroutine, until Close or
// Shutdown, and then returns http.ErrServerClosed. It may be called for
// several listeners. A TLS server is Serve(tls.NewListener(l, config)).
func (s *Server) Serve(l net.Listener) error { return s.http.Serve(l) }

// Listen serves on a loopback port, in a goroutine that ends with Close, and
// returns the URL.
func (s *Server) Listen() (url string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s.serve(l)
	return "http://" + l.Addr().String(), nil
}

func (s *Server) serve(l net.Listener) {
	s.running.Go(func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			l.Close() // the listener broke; dials are refused from now on
		}
	})
}

// Dial connects to the server in memory, whatever network and address say.
// It is usable inside a testing/synctest bubble if New was called there too.
func (s *Server) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	s.listening.Do(func() { s.serve(s.network.Listen()) })
	return s.network.Dial(ctx, network, addr)
}

// URL is the origin to use with Dial: http on a loopback address, so that
// clients which refuse to send a token in the clear do send it.
func (s *Server) URL() string { return "http://127.0.0.1:8001" }

// HTTPClient returns a net/http client that uses Dial and neither follows
// redirects nor asks for gzip of itself. Close ends its connections.
func (s *Server) HTTPClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DialContext: s.Dial, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Shutdown ends every watch as a terminating API server does, with a complete
// body, refuses new connections and waits for requests under way, until ctx
// ends. Close must still be called.
func (s *Server) Shutdown(ctx context.Context) error {
	s.drainOnce.Do(func() { close(s.draining) })
	return s.http.Shutdown(ctx)
}

// Close cuts every connection, ends every request and waits until no
// goroutine of the server is left.
func (s *Server) Close() error {
	var err error
	s.closeOnce.Do(func() {
		close(s.closed)
		err = s.http.Close()
		s.conns.cut()
		s.abortWatches()
	})
	s.running.Wait()
	s.conns.wait()
	return err
}

// CutConnections closes every connection at once, in the middle of whatever
// it carries, as a killed server does. The server itself goes on.
func (s *Server) CutConnections() { s.conns.cut() }

var errClosed = errors.New("fakeapi: server closed")
