package faults

import (
	"bytes"
	"net/http"
	"strconv"
)

// genuine is the server's answer, whole. A watch is asked to end after a second.
func (x *exchange) genuine(next http.Handler) *recorder {
	r := x.r.Clone(x.r.Context())
	r.Header.Del("Accept-Encoding")
	if x.kind&Watches != 0 {
		q := r.URL.Query()
		q.Set("timeoutSeconds", "1")
		r.URL.RawQuery = q.Encode()
	}
	rec := &recorder{header: make(http.Header), code: http.StatusOK}
	next.ServeHTTP(rec, r)
	return rec
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(code int)        { r.code = code }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }
func (r *recorder) Flush()                      {}

// replay sends it.
func (r *recorder) replay(w http.ResponseWriter) {
	h := w.Header()
	for name, values := range r.header {
		h[name] = values
	}
	h.Del("Content-Length")
	w.WriteHeader(r.code)
	_, _ = w.Write(r.body.Bytes())
}

// chunked is a body in chunks of at most size bytes, whole.
func chunked(body string, size int) string { return chunks(body, size) + "0\r\n\r\n" }

// chunks is the same without its end.
func chunks(body string, size int) string {
	var b []byte
	for body != "" {
		n := min(size, len(body))
		b = strconv.AppendInt(b, int64(n), 16)
		b = append(append(append(b, "\r\n"...), body[:n]...), "\r\n"...)
		body = body[n:]
	}
	return string(b)
}
