package fakeapi

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// writeJSON sends a complete body, compressed if it is long and the client
// asked for that.
func (s *Server) writeJSON(w http.ResponseWriter, q *request, code int, body []byte) {
	body = append(body, '\n')
	if q.accept.pretty {
		var indented bytes.Buffer
		if json.Indent(&indented, body, "", "  ") == nil {
			body = indented.Bytes()
		}
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	if limit := s.options.CompressOver; limit > 0 && len(body) > limit && acceptsGzip(q.http) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Add("Vary", "Accept-Encoding")
		w.WriteHeader(code)
		z := newGzip(w)
		_, _ = z.Write(body) // a client that has gone is noticed by net/http
		_ = z.Close()
		return
	}
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

// newGzip compresses as fast as the real server does, at level 1.
func newGzip(w io.Writer) *gzip.Writer {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant of the package
	}
	return z
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

// notFoundPath answers a path that means nothing, as net/http does.
func notFoundPath(w http.ResponseWriter) {
	http.Error(w, "404 page not found", http.StatusNotFound)
}
