package fakeapi

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"time"
)

// ServeHTTP answers one API request, so that a Server can be mounted in any
// net/http server, for example an httptest one with TLS. A watch occupies its
// call until it ends.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.running.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.running.leave()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.lifetime, cancel)()
	s.hooks.handler(http.HandlerFunc(s.logged)).ServeHTTP(w, r.WithContext(ctx))
	if s.lifetime.Err() != nil {
		panic(http.ErrAbortHandler) // nothing that Close ended looks complete
	}
}

// logged enters the request in the log and lets interceptors answer it.
func (s *Server) logged(w http.ResponseWriter, r *http.Request) {
	q := s.route(r)
	entry := s.requests.add(q)
	cw := &codeWriter{ResponseWriter: w, entry: entry, log: &s.requests}
	defer cw.done()
	if s.hooks.intercept(cw, r) {
		return
	}
	s.answer(cw, q)
}

// answer runs the checks in the real server's order: authentication, then
// authorization, and only then whether the path means anything.
func (s *Server) answer(w http.ResponseWriter, q *request) {
	h := w.Header()
	h.Set("Audit-Id", s.auditID(q.http))
	h.Set("Cache-Control", "no-cache, private")
	s.hooks.warn(h, q)
	if err := s.authenticate(q); err != nil {
		s.fail(w, q, err)
		return
	}
	if err := s.authorize(q); err != nil {
		h.Set("X-Content-Type-Options", "nosniff")
		s.fail(w, q, err)
		return
	}
	if q.collection == nil {
		s.serveOther(w, q)
		return
	}
	if err := s.serveResource(w, q); err != nil {
		s.fail(w, q, err)
	}
}

func (s *Server) serveResource(w http.ResponseWriter, q *request) error {
	accept, err := negotiate(q)
	if err != nil {
		return err
	}
	q.accept = accept
	q.behind = s.hooks.meets(q.http)
	if q.subresource != "" && (q.subresource != "status" || !q.collection.status) {
		return notFound(q.collection.kind, q.single)
	}
	if q.http.Method == http.MethodHead {
		return methodNotAllowed()
	}
	switch q.verb {
	case "list":
		return s.serveList(w, q)
	case "watch":
		return s.serveWatch(w, q)
	case "get":
		return s.serveGet(w, q)
	case "create":
		return s.serveCreate(w, q)
	case "update":
		return s.serveUpdate(w, q)
	case "patch":
		return s.servePatch(w, q)
	case "delete":
		return s.serveDelete(w, q)
	case "deletecollection":
		return s.serveDeleteCollection(w, q)
	}
	return methodNotAllowed()
}

func (s *Server) auditID(r *http.Request) string {
	if id := r.Header.Get("Audit-Id"); id != "" {
		return id // the client's own, as the real server keeps it
	}
	return s.audit.uid()
}

// codeWriter notes the status code for the log. Unwrap keeps flushing,
// deadlines and hijacking reachable through http.ResponseController.
type codeWriter struct {
	http.ResponseWriter
	log   *requestLog
	entry *logEntry
}

func (w *codeWriter) WriteHeader(code int) {
	w.log.code(w.entry, code)
	w.ResponseWriter.WriteHeader(code)
}

func (w *codeWriter) Write(b []byte) (int, error) {
	w.log.code(w.entry, http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// Flush and Hijack serve interceptors that look for the interfaces.

func (w *codeWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

func (w *codeWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

func (w *codeWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *codeWriter) done() { w.log.done(w.entry, time.Now()) }
