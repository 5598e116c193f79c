package fakeapi

import (
	"context"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"

	"github.com/rawwatch/rawwatch/internal/memnet"
)

// Server is an in-process Kubernetes API server. All methods are safe for
// concurrent use. Close must be called to release its goroutines.
type Server struct {
	*storage
	options Options
	timing  *random // of watch timeouts
	audit   *random // of audit IDs
	tokens  map[string]User

	hooks    hooks
	requests requestLog

	network   *memnet.Network
	listening sync.Once
	http      *http.Server
	conns     connections
	// running are the requests and calls of Serve under way.
	running *gate
	// lifetime ends with Close, and every request with it.
	lifetime  context.Context
	end       context.CancelFunc
	closeOnce sync.Once
	draining  chan struct{}
	drainOnce sync.Once
}

// New returns a server. It answers through ServeHTTP at once; no goroutine
// runs before Serve, Listen or Dial.
func New(o Options) *Server {
	o = o.withDefaults()
	s := &Server{
		storage:  newStorage(o.Seed, o.History),
		options:  o,
		timing:   newRandom(o.Seed + 1),
		audit:    newRandom(o.Seed + 2),
		tokens:   o.Tokens,
		network:  memnet.New(),
		draining: make(chan struct{}),
		running:  newGate(),
	}
	s.network.BufferSize = max(o.DialBuffer, 0)
	s.lifetime, s.end = context.WithCancel(context.Background())
	s.requests.limit = o.RequestLog
	for _, r := range o.Resources {
		s.register(newCustom(r))
	}
	s.http = &http.Server{Handler: s, ConnState: s.conns.track, ConnContext: withConn}
	return s
}

// Serve accepts connections from l, in the calling goroutine, until Close or
// Shutdown, and then returns http.ErrServerClosed. It may be called for
// several listeners. A TLS server is Serve(tls.NewListener(l, config)).
func (s *Server) Serve(l net.Listener) error {
	if !s.running.enter() {
		l.Close()
		return http.ErrServerClosed
	}
	defer s.running.leave()
	return s.http.Serve(s.WrapListener(l))
}

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
	go func() { _ = s.Serve(l) }() // ends with Close, which waits for it
}

// Dial connects to the server in memory, whatever network and address say.
// It is usable inside a testing/synctest bubble if New was called there too.
func (s *Server) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if s.lifetime.Err() != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
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
		s.running.close()
		err = s.http.Close()
		s.conns.cut()
		s.end()
		s.abortWatches()
	})
	<-s.running.empty
	// A connection accepted during http.Server.Close is in nobody's list.
	s.conns.cut()
	s.conns.wait()
	return err
}

// CutConnections closes every connection at once, in the middle of whatever
// it carries, as a killed server does. The server itself goes on.
func (s *Server) CutConnections() { s.conns.cut() }
