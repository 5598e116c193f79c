package fakeapi

import (
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Interceptor answers a request in place of the server and returns true, or
// leaves it alone and returns false. It runs after logging and before
// authentication. For faults below HTTP it may take over the connection with
// http.NewResponseController(w).Hijack; a hijacked connection is closed by
// the interceptor, and by Close at the latest.
type Interceptor func(w http.ResponseWriter, r *http.Request) bool

// Intercept lets f see every request until remove is called. Interceptors are
// asked in the order they were added; the first to return true wins.
func (s *Server) Intercept(f Interceptor) (remove func()) {
	return add(&s.hooks, &s.hooks.interceptors, f)
}

// InterceptOnce is Intercept until f has returned true once. While f is busy
// with one request others pass it by, so that it never answers two.
func (s *Server) InterceptOnce(f Interceptor) (remove func()) {
	var asked sync.Mutex // tried, never waited for
	used := false
	return s.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if !asked.TryLock() {
			return false
		}
		defer asked.Unlock()
		if !used {
			used = f(w, r)
			return used
		}
		return false
	})
}

// Use wraps the whole server in a middleware, outside of those added before,
// until remove is called. Unlike an Interceptor it can change an answer that
// the server gives.
func (s *Server) Use(middleware func(http.Handler) http.Handler) (remove func()) {
	return add(&s.hooks, &s.hooks.middlewares, middleware)
}

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
// in the order they were added, in the goroutine of the watch, and may wait:
// what they let go before is on the wire by then. Request is the watch's; a
// rewriter may end the watch by panicking with http.ErrAbortHandler, which
// cuts the connection.
func (s *Server) RewriteEvents(f func(r *http.Request, e Event) []Event) (remove func()) {
	return add(&s.hooks, &s.hooks.rewriters, f)
}

// Warn adds a Warning header with this text to every answer about a resource
// ("pods", "widgets.example.com"; "*" is all), until remove is called.
func (s *Server) Warn(resource, text string) (remove func()) {
	return add(&s.hooks, &s.hooks.warnings, warning{resource, text})
}

type warning struct{ resource, text string }

// hooks are copied on write, so that a request sees the set of its beginning.
type hooks struct {
	mu           sync.Mutex
	interceptors []*hook[Interceptor]
	middlewares  []*hook[func(http.Handler) http.Handler]
	rewriters    []*hook[func(*http.Request, Event) []Event]
	warnings     []*hook[warning]
	conns        []*hook[func(net.Conn) net.Conn]
	replicas     []*hook[replica]
}

// hook gives a value an identity, to be removed by.
type hook[T any] struct{ value T }

func add[T any](h *hooks, list *[]*hook[T], value T) (remove func()) {
	entry := &hook[T]{value}
	h.mu.Lock()
	defer h.mu.Unlock()
	*list = append(slices.Clip(*list), entry)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		*list = slices.DeleteFunc(slices.Clone(*list), func(e *hook[T]) bool { return e == entry })
	}
}

func present[T any](h *hooks, list *[]*hook[T]) []*hook[T] {
	h.mu.Lock()
	defer h.mu.Unlock()
	return *list
}

func (h *hooks) intercept(w http.ResponseWriter, r *http.Request) bool {
	for _, e := range present(h, &h.interceptors) {
		if e.value(w, r) {
			return true
		}
	}
	return false
}

func (h *hooks) handler(next http.Handler) http.Handler {
	for _, e := range present(h, &h.middlewares) {
		next = e.value(next)
	}
	return next
}

// rewrite also says whether anybody was there to do so.
func (h *hooks) rewrite(r *http.Request, e Event) (events []Event, asked bool) {
	events = []Event{e}
	rewriters := present(h, &h.rewriters)
	for _, f := range rewriters {
		var next []Event
		for _, e := range events {
			next = append(next, f.value(r, e)...)
		}
		events = next
	}
	return events, len(rewriters) > 0
}

// warn sets RFC 7234 section 5.5 headers in the form the API uses: code 299,
// no agent.
func (h *hooks) warn(header http.Header, q *request) {
	if !q.isResource {
		return
	}
	name := Resource{Group: q.group, Resource: q.resource}.Name()
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for _, e := range present(h, &h.warnings) {
		if e.value.resource == "*" || e.value.resource == name {
			header.Add("Warning", `299 - "`+quote.Replace(e.value.text)+`"`)
		}
	}
}
