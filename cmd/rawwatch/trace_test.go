package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
)

// A watch from the first packet to the reset, as the tracer is told of it.
func TestTrace(t *testing.T) {
	var out bytes.Buffer
	chunks := newChunkMap()
	tracer := newTracer(&notices{w: &out}, chunks)
	at := func(ms int) time.Time {
		return time.Date(2026, 8, 1, 9, 30, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
	}
	wire := tracer.trace()
	wire.DialStart(rest.DialStart{Conn: 1, Time: at(0), Addr: "proxy:3128", Proxy: "http://proxy:3128", Target: "k8s:6443"})
	wire.DialDone(rest.DialDone{Conn: 1, Time: at(1), Duration: time.Millisecond, RemoteAddr: "10.0.0.1:3128", LocalAddr: "10.0.0.2:4000"})
	wire.Connect(rest.ConnectDone{
		Conn: 1, Time: at(2), Duration: time.Millisecond, Code: 200,
		Request:  []string{"CONNECT k8s:6443 HTTP/1.1", "Host: k8s:6443", "Proxy-Authorization: <masked>"},
		Response: []string{"HTTP/1.1 200 Connection established"},
	})
	wire.TLS(rest.TLSDone{
		Conn: 1, Time: at(5), Duration: 3 * time.Millisecond, Version: "TLS 1.3", Cipher: tls.TLS_AES_128_GCM_SHA256, ALPN: "http/1.1", ServerName: "k8s", Resumed: true,
		Peer: []*x509.Certificate{{
			Subject: pkix.Name{CommonName: "k8s\x1b[31m"}, Issuer: pkix.Name{CommonName: "ca"}, NotAfter: at(0), DNSNames: []string{"k8s"}, IPAddresses: []net.IP{net.IPv4(10, 0, 0, 1)},
		}},
	})
	wire.Request(rest.RequestSent{Conn: 1, Time: at(6), Lines: []string{"GET /api/v1/pods?watch=true HTTP/1.1", "Host: k8s", "Authorization: <masked>"}})
	wire.Head(rest.HeadReceived{Conn: 1, Time: at(9), Duration: 3 * time.Millisecond, Lines: []string{"HTTP/1.1 200 OK", "Transfer-Encoding: chunked"}, Framing: rest.Chunked, ContentLength: -1})
	wire.Chunk(rest.ChunkReceived{Conn: 1, Time: at(10), Offset: 0, Size: 100})
	frame := func(ms int, kind string, offset int64, size int) {
		e := event{time: at(ms), kind: kind, key: types.NamespacedName{Namespace: "shop", Name: "web-1"}, version: "7", raw: make([]byte, size), conn: 1, offset: offset}
		e.chunks = chunks.of(1, offset, size)
		tracer.frame(&e)
	}
	frame(10, typeAdded, 0, 60)
	wire.Chunk(rest.ChunkReceived{Conn: 1, Time: at(2510), Offset: 100, Size: 1, Extension: []byte(";x=\"\x1b\"")})
	wire.Chunk(rest.ChunkReceived{Conn: 1, Time: at(2511), Offset: 101, Size: 99})
	frame(2511, typeModified, 61, 120)
	wire.Chunk(rest.ChunkReceived{Conn: 1, Time: at(2512), Offset: 200})
	wire.BodyEnd(rest.BodyEnd{Conn: 1, Time: at(2512), Bytes: 200, Wire: 200, Complete: true, Reusable: true})
	wire.Request(rest.RequestSent{Conn: 1, Time: at(2600), Reused: true, Lines: []string{"GET /api/v1/pods HTTP/1.1"}})
	wire.Head(rest.HeadReceived{Conn: 1, Time: at(2601), Duration: time.Millisecond, Lines: []string{"HTTP/1.1 200 OK", "Content-Length: 10", "Content-Encoding: gzip"}, Framing: rest.ContentLength, ContentLength: 10})
	e := event{time: at(2602), kind: typeAdded, version: "8", object: make([]byte, 20), conn: 1, offset: 5, chunks: chunks.of(1, 5, 20)}
	tracer.frame(&e)
	wire.BodyEnd(rest.BodyEnd{Conn: 1, Time: at(4000), Bytes: 200, Wire: 9, Err: io.ErrUnexpectedEOF})
	wire.CloseConn(rest.ConnClosed{Conn: 1, Time: at(4000), Side: rest.SidePeerRST, Reason: "connection reset", Requests: 2, Read: 1000, Written: 500, Age: 4 * time.Second})
	tracer.state(1, listwatch.Transition{Time: at(4000), From: "idle", To: "watching", Reason: listwatch.ReasonStart})
	tracer.state(1, listwatch.Transition{Time: at(4001), From: "watching", To: "waiting", Reason: listwatch.ReasonCut, Err: io.ErrUnexpectedEOF, Delay: time.Second})
	wire.DialStart(rest.DialStart{Conn: 2, Time: at(5000), Addr: "k8s:6443"})
	wire.DialDone(rest.DialDone{Conn: 2, Time: at(5001), Duration: time.Millisecond, Err: errors.New("refused")})
	golden(t, "trace.txt", out.String())
	if strings.Contains(out.String(), "\x1b") {
		t.Error("a control character of the peer came through")
	}
}

func TestChunkMap(t *testing.T) {
	m := newChunkMap()
	wire := m.trace()
	begin := func(framing rest.Framing, lines ...string) {
		wire.Head(rest.HeadReceived{Conn: 3, Framing: framing, Lines: lines})
	}
	chunk := func(offset, size int64) { wire.Chunk(rest.ChunkReceived{Conn: 3, Offset: offset, Size: size}) }
	want := func(why string, offset int64, size int, want span) {
		t.Helper()
		if got := m.of(3, offset, size); got != want {
			t.Errorf("%s: %v, want %v", why, got, want)
		}
	}
	want("nothing is known of a connection without a head", 0, 1, span{})
	begin(rest.Chunked)
	want("nor before a chunk", 0, 1, span{})
	chunk(0, 10)
	chunk(10, 1)
	chunk(11, 9)
	want("one chunk", 0, 5, span{1, 1})
	want("the same chunk again", 5, 5, span{1, 1})
	want("three, from the middle of the first", 9, 11, span{1, 3})
	want("what was passed is forgotten", 0, 5, span{})
	want("more than has come", 15, 6, span{})
	want("the last byte", 19, 1, span{3, 3})
	chunk(20, 100)
	want("numbers go on after some were dropped", 20, 100, span{4, 4})
	begin(rest.Chunked)
	chunk(0, 10)
	want("a new body counts anew", 0, 10, span{1, 1})
	begin(rest.Chunked, "Content-Encoding: gzip")
	chunk(0, 10)
	want("compressed: places in the content are not places in the chunks", 0, 10, span{})
	begin(rest.ContentLength)
	want("no chunks in a counted body", 0, 10, span{})
}

// A peer that sends one-byte chunks without end must not make us remember them all.
func TestChunkMapIsBounded(t *testing.T) {
	m := newChunkMap()
	wire := m.trace()
	wire.Head(rest.HeadReceived{Conn: 1, Framing: rest.Chunked})
	for i := range int64(3 * maxChunks) {
		wire.Chunk(rest.ChunkReceived{Conn: 1, Offset: i, Size: 1})
	}
	if n := len(m.conns[1].offsets); n > maxChunks {
		t.Errorf("%d chunks are remembered", n)
	}
	if got, want := m.of(1, 3*maxChunks-2, 2), (span{3*maxChunks - 1, 3 * maxChunks}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	for conn := range uint64(10 * maxGone) {
		wire.Head(rest.HeadReceived{Conn: conn, Framing: rest.Chunked})
		wire.CloseConn(rest.ConnClosed{Conn: conn})
	}
	if n := len(m.conns); n > maxGone+1 {
		t.Errorf("%d closed connections are remembered", n)
	}
}
