package faults

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// exchange is one request and what happens to it.
type exchange struct {
	w      http.ResponseWriter
	r      *http.Request
	kind   Requests
	of     *Injector
	server *fakeapi.Server
	fault  *Injection // nil: none
	events int        // of the watch so far; its goroutine's own
}

type exchangeKey struct{}

// wait lets time pass, unless the client goes or the fault ends first.
func (x *exchange) wait(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.r.Context().Done():
	case <-x.fault.ended:
	}
}

// hang waits for the client to go or the fault to end, and cuts.
func (x *exchange) hang() {
	select {
	case <-x.r.Context().Done():
	case <-x.fault.ended:
	}
	panic(http.ErrAbortHandler)
}

// json answers with a body that is JSON.
func (x *exchange) json(code int, body string) {
	x.w.Header().Set("Content-Type", "application/json")
	x.send(code, body)
}

// send answers with a counted body.
func (x *exchange) send(code int, body string) {
	x.w.WriteHeader(code)
	_, _ = io.WriteString(x.w, body)
}

// flush sends what has been written.
func (x *exchange) flush() { _ = http.NewResponseController(x.w).Flush() }

// hijack takes over the connection. It is closed by what is done with it, or by
// the server's Close.
func (x *exchange) hijack() (net.Conn, *bufio.ReadWriter) {
	conn, buffered, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // not a connection that can be taken over
	}
	return conn, buffered
}

// raw answers with these bytes, below HTTP, and then with what then does.
func (x *exchange) raw(bytes string, then func(net.Conn)) {
	conn, _ := x.hijack()
	_, _ = io.WriteString(conn, bytes)
	then(conn)
}

// closeIt ends a connection as FIN does.
func closeIt(conn net.Conn) { _ = conn.Close() }

// untilGone keeps a connection open, silent, until the client closes it.
func untilGone(conn net.Conn) {
	_, _ = io.Copy(io.Discard, conn)
	_ = conn.Close()
}

// flood writes the same bytes again and again until the client has enough; a
// bound keeps a client that never has from filling the memory.
func flood(unit string, times int) func(net.Conn) {
	return func(conn net.Conn) {
		for range times {
			if _, err := io.WriteString(conn, unit); err != nil {
				break
			}
		}
		untilGone(conn)
	}
}
