package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
)

// tracer shows the wire the way curl does with --trace-time and --trace-ids: time, connection, and a mark: * what happened, > sent, < received, { a
// chunk. = is ours: a frame and the chunks it spans. rest has masked the credentials in what it is told. Safe for concurrent use.
type tracer struct {
	notices *notices
	chunks  *chunkMap

	mu   sync.Mutex
	last map[uint64]time.Time // when something came on a connection
}

// idleAfter is the silence worth a line.
const idleAfter = time.Second

func newTracer(n *notices, c *chunkMap) *tracer {
	return &tracer{notices: n, chunks: c, last: map[uint64]time.Time{}}
}

func (t *tracer) trace() *rest.Trace {
	return &rest.Trace{
		DialStart: t.dialStart, DialDone: t.dialDone, TLS: t.tls, Connect: t.connect, Request: t.request, Head: t.head,
		Chunk: t.chunk, BodyEnd: t.bodyEnd, CloseConn: t.closed,
	}
}

// line prints one line of the trace.
func (t *tracer) line(at time.Time, conn uint64, mark string, format string, args ...any) {
	text := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	line := fmt.Sprintf("%s [%d] %s", at.Format("15:04:05.000000"), conn, mark)
	if text != "" {
		line += " " + escape(text)
	}
	t.notices.write([]byte(t.notices.palette.paint(markColor(mark), line) + "\n"))
}

func markColor(mark string) ansi {
	switch mark {
	case ">":
		return yellow
	case "<":
		return green
	case "=":
		return ""
	}
	return faint
}

// heard notes that something came, and tells of the silence before.
func (t *tracer) heard(at time.Time, conn uint64) {
	t.mu.Lock()
	last, known := t.last[conn]
	t.last[conn] = at
	t.mu.Unlock()
	if silence := at.Sub(last); known && silence >= idleAfter {
		t.line(at, conn, "*", "idle for %s", gap(silence))
	}
}

func (t *tracer) dialStart(i rest.DialStart) {
	if i.Proxy != "" {
		t.line(i.Time, i.Conn, "*", "dialing %s, the proxy %s to %s", i.Addr, i.Proxy, i.Target)
		return
	}
	t.line(i.Time, i.Conn, "*", "dialing %s", i.Addr)
}

func (t *tracer) dialDone(i rest.DialDone) {
	if i.Err != nil {
		t.line(i.Time, i.Conn, "*", "not connected after %s: %v", gap(i.Duration), i.Err)
		return
	}
	t.line(i.Time, i.Conn, "*", "connected to %s from %s in %s", i.RemoteAddr, i.LocalAddr, gap(i.Duration))
}

func (t *tracer) tls(i rest.TLSDone) {
	with, protocol, resumed := "the server", i.ALPN, ""
	if i.Proxy {
		with = "the proxy"
	}
	if protocol == "" {
		protocol = "none"
	}
	if i.Resumed {
		resumed = ", resumed"
	}
	t.line(i.Time, i.Conn, "*", "TLS with %s in %s: %s, %s, ALPN %s, server name %s%s", with, gap(i.Duration), i.Version, tls.CipherSuiteName(i.Cipher), protocol, dash(i.ServerName), resumed)
	if len(i.Peer) > 0 {
		t.line(i.Time, i.Conn, "*", "%s", describe(i.Peer[0]))
	}
}

// describe is the certificate's line. All of it is the peer's text.
func describe(c *x509.Certificate) string {
	names := append([]string{}, c.DNSNames...)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	return escapeMax(fmt.Sprintf("certificate of %q by %q, valid until %s, for %s",
		c.Subject.String(), c.Issuer.String(), c.NotAfter.UTC().Format(time.RFC3339), strings.Join(names, ", ")), 1024)
}

func (t *tracer) connect(i rest.ConnectDone) {
	t.lines(i.Time, i.Conn, ">", i.Request)
	t.lines(i.Time, i.Conn, "<", i.Response)
	t.line(i.Time, i.Conn, "*", "the proxy answered %d in %s", i.Code, gap(i.Duration))
}

func (t *tracer) request(i rest.RequestSent) {
	if i.Reused {
		t.line(i.Time, i.Conn, "*", "the connection is used again")
	}
	t.lines(i.Time, i.Conn, ">", i.Lines)
	switch {
	case i.Err != nil:
		t.line(i.Time, i.Conn, "*", "the request was not sent in full: %v", i.Err)
	case i.Body > 0:
		t.line(i.Time, i.Conn, "}", "%s of body", count(i.Body, "byte"))
	}
}

func (t *tracer) head(i rest.HeadReceived) {
	t.chunks.head(i)
	t.mu.Lock()
	t.last[i.Conn] = i.Time
	t.mu.Unlock()
	t.lines(i.Time, i.Conn, "<", i.Lines)
	length := ""
	if i.ContentLength >= 0 {
		length = ", " + count(i.ContentLength, "byte")
	}
	t.line(i.Time, i.Conn, "*", "head after %s; body: %s%s", gap(i.Duration), i.Framing, length)
}

// lines prints a head and the empty line behind it.
func (t *tracer) lines(at time.Time, conn uint64, mark string, lines []string) {
	for _, l := range lines {
		t.line(at, conn, mark, "%s", l)
	}
	t.line(at, conn, mark, "")
}

func (t *tracer) chunk(i rest.ChunkReceived) {
	t.chunks.chunk(i)
	t.heard(i.Time, i.Conn)
	extension := ""
	if len(i.Extension) > 0 {
		extension = ", extension " + escapeMax(string(i.Extension), 128)
	}
	if i.Size == 0 {
		t.line(i.Time, i.Conn, "{", "last chunk at %d%s", i.Offset, extension)
		return
	}
	t.line(i.Time, i.Conn, "{", "chunk %d: %s at %d%s", t.chunks.number(i.Conn), count(i.Size, "byte"), i.Offset, extension)
}

// frame shows an event and the chunks it came in.
func (t *tracer) frame(e *event) {
	where := ""
	switch n := e.chunks.count(); {
	case n == 1:
		where = fmt.Sprintf(" in chunk %d", e.chunks.first)
	case n > 1:
		where = fmt.Sprintf(" in chunks %d-%d", e.chunks.first, e.chunks.last)
	}
	kind := e.kind
	if e.raw == nil {
		kind = "item"
	}
	t.line(e.time, e.conn, "=", "%s %s version %s: %s at %d%s", kind, name(e), dash(e.version), count(e.size(), "byte"), e.offset, where)
}

// state shows what follows from what came: the machine's step.
func (t *tracer) state(conn uint64, s listwatch.Transition) {
	if s.Reason == listwatch.ReasonStart {
		return
	}
	text := fmt.Sprintf("%s: %s -> %s", s.Reason, s.From, s.To)
	if s.Delay > 0 {
		text += " for " + gap(s.Delay)
	}
	if s.Err != nil {
		text += ": " + brief(s.Err)
	}
	t.line(s.Time, conn, "*", "%s", text)
}

func (t *tracer) bodyEnd(i rest.BodyEnd) {
	t.heard(i.Time, i.Conn)
	size := count(i.Bytes, "byte")
	if i.Wire != i.Bytes {
		size += fmt.Sprintf(" (%d before decompression)", i.Wire)
	}
	switch {
	case i.Complete:
		t.line(i.Time, i.Conn, "*", "body complete: %s", size)
	case i.Err != nil:
		t.line(i.Time, i.Conn, "*", "body not complete after %s: %v", size, i.Err)
	default:
		t.line(i.Time, i.Conn, "*", "body left after %s", size)
	}
}

func (t *tracer) closed(i rest.ConnClosed) {
	t.chunks.closed(i)
	t.mu.Lock()
	delete(t.last, i.Conn)
	t.mu.Unlock()
	t.line(i.Time, i.Conn, "*", "closed: %s (%s); %s, %d bytes read, %d written, open for %s",
		i.Side, i.Reason, count(i.Requests, "request"), i.Read, i.Written, gap(i.Age))
}
