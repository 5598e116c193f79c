package fakeapi

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
)

// writeJSON sends a complete body, compressed if it is long and the client
// asked for that.
func (s *Server) writeJSON(w http.ResponseWriter, q *request, code int, body []byte) {
	var indented bytes.Buffer
	if q.accept.pretty && json.Indent(&indented, body, "", "  ") == nil {
		body = indented.Bytes()
	} else {
		body = append(body, '\n')
	}
	out, finish := s.body(w, q, code, len(body))
	_, _ = out.Write(body) // a client that has gone is noticed by net/http
	finish()
}

// body sends the head of an answer of a known size and returns where its body
// goes, and what to call after it.
func (s *Server) body(w http.ResponseWriter, q *request, code, size int) (out io.Writer, finish func()) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	limit := s.options.CompressOver
	if limit <= 0 || size <= limit || !acceptsGzip(q.http) {
		w.WriteHeader(code)
		return w, func() {}
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Add("Vary", "Accept-Encoding")
	w.WriteHeader(code)
	z := newGzip(w)
	return z, func() {
		_ = z.Close()
		freeGzip(z)
	}
}

// gzipWriters are scratch memory, of a megabyte each.
var gzipWriters sync.Pool

// newGzip compresses as fast as the real server does, at level 1. freeGzip
// takes the writer back.
func newGzip(w io.Writer) *gzip.Writer {
	if z, ok := gzipWriters.Get().(*gzip.Writer); ok {
		z.Reset(w)
		return z
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant of the package
	}
	return z
}

func freeGzip(z *gzip.Writer) {
	z.Reset(io.Discard) // it shall not keep what it wrote to
	gzipWriters.Put(z)
}

// fail sends an error as a Status. What is not one means that the client or
// the server has gone; the connection ends without an answer.
func (s *Server) fail(w http.ResponseWriter, q *request, err error) {
	var status *StatusError
	if !errors.As(err, &status) {
		panic(http.ErrAbortHandler)
	}
	if d := status.Details; d != nil && d.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", itoa(d.RetryAfterSeconds))
	}
	s.writeJSON(w, q, status.Code, mustJSON(status))
}

// WriteStatus answers a request with an error in the API's form, for
// interceptors. Retry-After is set from the details.
func WriteStatus(w http.ResponseWriter, e *StatusError) {
	h := w.Header()
	if d := e.Details; d != nil && d.RetryAfterSeconds > 0 {
		h.Set("Retry-After", itoa(d.RetryAfterSeconds))
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(e.Code)
	_, _ = w.Write(append(mustJSON(e), '\n'))
}
