package fakeapi

import "net/http"

// Interceptor answers a request in place of the server and returns true, or
// leaves it alone and returns false. It runs after logging and before
// authentication. For faults below HTTP it may take over the connection with
// http.NewResponseController(w).Hijack; a hijacked connection is closed by
// the interceptor, and by Close at the latest.
type Interceptor func(w http.ResponseWriter, r *http.Request) bool

// Intercept lets f see every request until remove is called. Interceptors are
// asked in the order they were added; the first to return true wins.
func (s *Server) Intercept(f Interceptor) (remove func()) { return func() {} }

// InterceptOnce is Intercept until f has returned true once.
func (s *Server) InterceptOnce(f Interceptor) (remove func()) { return func() {} }

// Use wraps the whole server in a middleware, outside of those added before,
// until remove is called. Unlike an Interceptor it can change an answer that
// the server gives.
func (s *Server) Use(middleware func(http.Handler) http.Handler) (remove func()) { return func() {} }

// Event is one frame of a watch before it is written.
type Event struct {
	Type   string // ADDED, MODIFIED, DELETED, BOOKMARK or ERROR
	Object []byte // JSON; shared: replace, do not modify
	// Marker is set on the bookmark that ends the initial events.
	Marker bool
	// Raw, if not nil, is written in place of the frame, as it is.
	Raw []byte
}

// RewriteEvents lets f replace each event of every watch by any number of
// others, until remove is called: none drops it, two repeat it. Rewriters run
// in the order they were added, in the goroutine of the watch. Request is the
// watch's; a rewriter may end the watch by panicking with
// http.ErrAbortHandler, which cuts the connection.
func (s *Server) RewriteEvents(f func(r *http.Request, e Event) []Event) (remove func()) {
	return func() {}
}

// Warn adds a Warning header with this text to every answer about a resource
// ("pods", "widgets.example.com"; "*" is all), until remove is called.
func (s *Server) Warn(resource, text string) (remove func()) { return func() {} }
