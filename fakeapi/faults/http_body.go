package faults

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// framings are transfer codings, right and wrong.
func framings() []*Fault {
	wrong := []Invariant{Incomplete, LyingLength, NoPhantom}
	bomb := []Invariant{MemoryBound, NoPanic}
	chunkedHead := okJSON + "Transfer-Encoding: chunked\r\n\r\n"
	return raws([]raw{
		{name: "te-and-length", says: "Transfer-Encoding and Content-Length together", tries: wrong, bytes: func(b string) string {
			return okJSON + "Content-Length: " + strconv.Itoa(len(b)) + "\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(b, 512)
		}},
		{name: "te-twice", says: "chunked, chunked", tries: wrong, bytes: func(b string) string {
			return okJSON + "Transfer-Encoding: chunked, chunked\r\n\r\n" + chunked(b, 512)
		}},
		{name: "te-unknown", says: "a transfer coding that nobody knows", tries: wrong, bytes: func(b string) string {
			return okJSON + "Transfer-Encoding: x-wrapped\r\n\r\n" + b
		}},
		{name: "te-http-1.0", says: "a transfer coding in HTTP/1.0", tries: wrong, bytes: func(b string) string {
			return "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(b, 512)
		}},
		{name: "chunk-size-junk", says: "a chunk's size is no number", tries: wrong, bytes: func(b string) string {
			return chunkedHead + "zz\r\n" + b + "\r\n0\r\n\r\n"
		}},
		{name: "chunk-size-signed", says: "a chunk's size has a sign", tries: wrong, bytes: func(b string) string {
			return chunkedHead + "+" + chunked(b, 1<<30)
		}},
		{name: "chunk-size-overflow", says: "a chunk's size does not fit 64 bits", tries: wrong, bytes: func(b string) string {
			return chunkedHead + "10000000000000000\r\n" + b
		}},
		{name: "chunk-size-too-long", says: "a chunk is shorter than its size says, the next size is taken for data", tries: wrong, bytes: func(b string) string {
			return chunkedHead + strconv.FormatInt(int64(len(b)+3), 16) + "\r\n" + b + "\r\n0\r\n\r\n"
		}},
		{name: "chunk-size-too-short", says: "a chunk is longer than its size says", tries: wrong, bytes: func(b string) string {
			return chunkedHead + strconv.FormatInt(int64(max(len(b)-3, 1)), 16) + "\r\n" + b + "\r\n0\r\n\r\n"
		}},
		{name: "chunk-bare-lf", says: "size lines end in LF", tries: wrong, bytes: func(b string) string {
			return chunkedHead + strconv.FormatInt(int64(len(b)), 16) + "\n" + b + "\n0\n\n"
		}},
		{name: "chunk-no-crlf", says: "no CRLF after a chunk", tries: wrong, bytes: func(b string) string {
			return chunkedHead + strconv.FormatInt(int64(len(b)), 16) + "\r\n" + b + "0\r\n\r\n"
		}},
		{name: "chunk-extensions", says: "chunks carry extensions", legal: true, tries: []Invariant{FinalState}, bytes: func(b string) string {
			return chunkedHead + strconv.FormatInt(int64(len(b)), 16) + ";name=\"a;b\";flag\r\n" + b + "\r\n0;last\r\n\r\n"
		}},
		{name: "chunk-extensions-endless", says: "a chunk extension without end", tries: bomb, bytes: just(chunkedHead + "5;"), then: flood(strings.Repeat("a=b;", 1000), 1000)},
		{name: "chunk-zeros", says: "a chunk's size with many zeros in front", tries: bomb, bytes: func(b string) string {
			return chunkedHead + strings.Repeat("0", 100) + chunked(b, 1<<30)
		}},
		{name: "chunk-single-bytes", says: "each byte in a chunk of its own", legal: true, tries: []Invariant{FinalState, ResumeExact}, bytes: func(b string) string { return chunkedHead + chunked(b, 1) }},
		{name: "trailers", says: "trailers after the body", legal: true, tries: []Invariant{FinalState}, bytes: func(b string) string {
			return chunkedHead + chunks(b, 512) + "0\r\nX-Checksum: 1\r\nGrpc-Status: 0\r\n\r\n"
		}},
		{name: "trailers-bad", says: "a trailer that is no field", tries: wrong, bytes: func(b string) string { return chunkedHead + chunks(b, 512) + "0\r\nno field\r\n\r\n" }},
		{name: "trailers-endless", says: "trailers without end", tries: bomb, bytes: func(b string) string { return chunkedHead + chunks(b, 512) + "0\r\n" }, then: flood(strings.Repeat("X-Note: a\r\n", 100), 1000)},
	})
}

// lengths are counted and uncounted bodies.
func lengths() []*Fault {
	wrong := []Invariant{Incomplete, LyingLength, NoPhantom}
	length := func(says func(n int) string, also string) func(string) string {
		return func(b string) string { return okJSON + "Content-Length: " + says(len(b)) + "\r\n" + also + "\r\n" + b }
	}
	const another = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
	return raws([]raw{
		{name: "length-too-long", says: "Content-Length is more than is sent, then the connection is closed", tries: wrong, bytes: length(func(n int) string { return strconv.Itoa(n + 10) }, "")},
		{name: "length-too-long-open", says: "Content-Length is more than is sent, and the connection stays open", tries: append(wrong, StallEnds), then: untilGone,
			bytes: length(func(n int) string { return strconv.Itoa(n + 10) }, "")},
		{name: "length-too-short", says: "Content-Length is less than is sent", tries: wrong, then: untilGone, bytes: length(func(n int) string { return strconv.Itoa(max(n-10, 1)) }, "")},
		{name: "length-two", says: "two Content-Lengths that differ", tries: wrong, bytes: length(strconv.Itoa, "Content-Length: 7\r\n")},
		{name: "length-twice", says: "Content-Length twice, the same", legal: true, tries: []Invariant{FinalState}, on: Lists, bytes: func(b string) string {
			n := strconv.Itoa(len(b))
			return okJSON + "Content-Length: " + n + "\r\nContent-Length: " + n + "\r\n\r\n" + b
		}},
		{name: "length-negative", says: "a negative Content-Length", tries: wrong, bytes: length(func(int) string { return "-1" }, "")},
		{name: "length-huge", says: "a Content-Length of 10^30", tries: append(wrong, MemoryBound), bytes: length(func(int) string { return "1" + strings.Repeat("0", 30) }, "")},
		{name: "length-zero", says: "an empty body", tries: []Invariant{WrongContent}, bytes: just(okJSON + "Content-Length: 0\r\n\r\n")},
		{name: "length-watch", says: "a watch that is answered whole, with its length, as by a proxy that collects", tries: []Invariant{Fallback, WrongContent}, on: Watches, bytes: plain(okJSON)},
		{name: "until-close", says: "a body that ends with the connection", tries: []Invariant{Incomplete}, bytes: func(b string) string { return okJSON + "\r\n" + b }},
		{name: "until-close-cut", says: "a body that ends with the connection, too early", tries: []Invariant{Incomplete}, bytes: func(b string) string { return okJSON + "\r\n" + b[:len(b)/2] }},
		{name: "http-1.0", says: "HTTP/1.0, the body ends with the connection", tries: []Invariant{Incomplete}, bytes: func(b string) string {
			return "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + b
		}},
		{name: "answer-twice", says: "a second answer that nobody asked for follows", tries: wrong, then: untilGone, bytes: func(b string) string { return inChunks(okJSON)(b) + another }},
		{name: "junk-after-answer", says: "junk follows the answer", tries: wrong, then: untilGone, bytes: func(b string) string { return inChunks(okJSON)(b) + "junk" }},
		{name: "close-unsaid", says: "the connection is closed after a whole answer, unannounced", legal: true, tries: []Invariant{FinalState}, bytes: inChunks(okJSON)},
		{name: "close-said", says: "Connection: close", legal: true, tries: []Invariant{FinalState}, bytes: inChunks(okJSON + "Connection: close\r\n")},
		{name: "close-said-open", says: "Connection: close, and it stays open", tries: []Invariant{FinalState}, legal: true, then: untilGone, bytes: inChunks(okJSON + "Connection: close\r\n")},
	})
}

// encodings are content codings and media types.
func encodings() []*Fault {
	wrong := []Invariant{WrongContent, Incomplete, NoPhantom}
	zipped := func(head string, change func([]byte) []byte) func(string) string {
		return func(b string) string { return plain(head + "Content-Encoding: gzip\r\n")(string(change(gzipped(b)))) }
	}
	same := func(z []byte) []byte { return z }
	media := func(t string) string { return "HTTP/1.1 200 OK\r\nContent-Type: " + t + "\r\n" }
	return raws([]raw{
		{name: "gzip-unasked", says: "a gzip body though nobody asked", tries: wrong, on: Lists, bytes: zipped(okJSON, same)},
		{name: "gzip-cut", says: "a gzip body that ends in the middle, within a right length", tries: wrong, on: Lists, bytes: zipped(okJSON, func(z []byte) []byte { return z[:len(z)/2] })},
		{name: "gzip-bad-sum", says: "a gzip body whose checksum is wrong", tries: wrong, on: Lists, bytes: zipped(okJSON, func(z []byte) []byte { z[len(z)-6] ^= 1; return z })},
		{name: "gzip-junk", says: "junk after a gzip body", tries: wrong, on: Lists, bytes: zipped(okJSON, func(z []byte) []byte { return append(z, "junk"...) })},
		{name: "gzip-bomb", says: "a gzip body of 64 MiB of blanks", tries: []Invariant{MemoryBound}, on: Lists, bytes: func(string) string {
			return plain(okJSON + "Content-Encoding: gzip\r\n")(bomb())
		}},
		{name: "gzip-in-name-only", says: "Content-Encoding: gzip, and it is not", tries: wrong, bytes: inChunks(okJSON + "Content-Encoding: gzip\r\n")},
		{name: "encoding-unknown", says: "Content-Encoding: br", tries: wrong, bytes: inChunks(okJSON + "Content-Encoding: br\r\n")},
		{name: "encoding-identity", says: "Content-Encoding: identity", legal: true, tries: []Invariant{FinalState}, bytes: inChunks(okJSON + "Content-Encoding: identity\r\n")},
		{name: "type-none", says: "no Content-Type", tries: []Invariant{WrongContent}, bytes: inChunks("HTTP/1.1 200 OK\r\n")},
		{name: "type-html", says: "JSON that says it is HTML", tries: wrong, bytes: inChunks(media("text/html"))},
		{name: "type-protobuf", says: "JSON that says it is protobuf", tries: wrong, bytes: inChunks(media("application/vnd.kubernetes.protobuf"))},
		{name: "type-charset", says: "application/json; charset=utf-8", legal: true, tries: []Invariant{FinalState}, bytes: inChunks(media("application/json; charset=utf-8"))},
		{name: "type-in-capitals", says: "Application/JSON", legal: true, tries: []Invariant{FinalState}, bytes: inChunks(media("Application/JSON"))},
		{name: "body-bom", says: "a byte-order mark before the body", tries: []Invariant{NoPhantom}, bytes: func(b string) string { return inChunks(okJSON)("\ufeff" + b) }},
		{name: "body-utf-16", says: "the body is in UTF-16", tries: []Invariant{NoPhantom, NoPanic}, bytes: func(b string) string {
			return inChunks(okJSON)(strings.ReplaceAll(b, "", "\x00"))
		}},
		{name: "body-blanks", says: "blanks and empty lines before and after the body", legal: true, tries: []Invariant{FinalState}, bytes: func(b string) string { return inChunks(okJSON)(" \r\n\n" + b + "\n\n \t") }},
		{name: "body-junk-after", says: "something follows the JSON, inside the body", tries: []Invariant{NoPhantom, Incomplete}, bytes: func(b string) string { return inChunks(okJSON)(b + "}junk") }},
	})
}

var bomb = sync.OnceValue(func() string { return string(gzipped(strings.Repeat(" ", 64<<20))) })

func gzipped(s string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.Bytes()
}

// intermediaries answer in the place of an API server.
func intermediaries() []*Fault {
	wrong := []Invariant{WrongContent, NoPhantom, FinalState}
	page := func(name, says string, code int, kind, body string, header ...string) *Fault {
		return &Fault{Name: name, Summary: says, Invariants: wrong, On: Reads, answer: func(x *exchange) {
			h := x.w.Header()
			h.Set("Content-Type", kind)
			for i := 0; i < len(header); i += 2 {
				h.Set(header[i], header[i+1])
			}
			x.send(code, body)
		}}
	}
	const html = "<!DOCTYPE html><html><head><title>Sign in</title></head><body><form>…</form></body></html>\n"
	return []*Fault{
		page("portal", "a captive portal answers 200 with a page", 200, "text/html; charset=utf-8", html),
		page("portal-as-json", "a page that says it is JSON", 200, "application/json", html),
		page("portal-redirect", "302 to a page to sign in at", 302, "text/html", html, "Location", "http://portal.example/login"),
		page("balancer-502", "502 with a page", 502, "text/html", "<html><body><h1>502 Bad Gateway</h1></body></html>\r\n"),
		page("balancer-503", "503 with a page and Retry-After", 503, "text/html", "<html><body>no backend</body></html>", "Retry-After", "10"),
		page("balancer-504", "504 without a body", 504, "text/plain", ""),
		page("firewall-403", "403 with a page", 403, "text/html", "<html>Request blocked</html>"),
		page("proxy-407", "407 of a proxy", 407, "text/html", "<html>Proxy Authentication Required</html>", "Proxy-Authenticate", "Basic realm=\"x\""),
		page("network-511", "511 Network Authentication Required", 511, "text/html", html),
		page("other-json", "200 with JSON of something else", 200, "application/json", `{"message":"welcome","links":[]}`),
		page("status-in-200", "200 with a Status that is a failure", 200, "application/json", `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"no","reason":"InternalError","code":500}`),
		page("status-success", "200 with a Status that is a success", 200, "application/json", `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":200}`),
		page("null-body", "200 with null", 200, "application/json", "null\n"),
		page("array-body", "200 with an array", 200, "application/json", "[]\n"),
		{Name: "collecting-proxy", Summary: "a proxy holds a watch back until its connection is cut", Invariants: []Invariant{StallEnds, Fallback}, On: Watches,
			alter: func(x *exchange, next http.Handler) {
				rec := x.genuine(next)
				x.wait(5 * time.Minute)
				rec.header.Del("Transfer-Encoding")
				rec.replay(x.w)
			}},
		{Name: "proxy-cuts-after-minute", Summary: "a proxy cuts a watch after a minute", Invariants: []Invariant{ResumeExact, StormBound}, On: Watches, alter: cutAfter(time.Minute)},
		{Name: "idle-closed", Summary: "the connection is closed just as it is to be used again", Invariants: []Invariant{FinalState}, On: Reads, answer: func(x *exchange) {
			x.raw("", closeIt)
		}},
	}
}
