package faults

import (
	"net"
	"net/http"
	"strconv"
	"strings"
)

func httpFaults() []*Fault {
	return in(HTTP, heads(), statuses(), framings(), lengths(), encodings(), intermediaries())
}

const okJSON = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

// raw is a fault that answers with bytes made of the genuine body.
type raw struct {
	name, says string
	legal      bool
	tries      []Invariant
	on         Requests
	// bytes is the answer.
	bytes func(body string) string
	// then is what becomes of the connection; nil: it is closed.
	then func(net.Conn)
}

func raws(list []raw) []*Fault {
	all := make([]*Fault, 0, len(list))
	for _, d := range list {
		if d.on == 0 {
			d.on = Reads
		}
		if d.then == nil {
			d.then = closeIt
		}
		all = append(all, &Fault{
			Name: d.name, Summary: d.says, Invariants: d.tries, On: d.on, Legal: d.legal,
			alter: func(x *exchange, next http.Handler) {
				body := x.genuine(next).body.String()
				x.raw(d.bytes(body), d.then)
			},
		})
	}
	return all
}

// plain is an answer whose head does not depend on the body.
func plain(head string) func(string) string {
	return func(body string) string {
		return head + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	}
}

// inChunks is an answer in chunks, whole.
func inChunks(head string) func(string) string {
	return func(body string) string {
		return head + "Transfer-Encoding: chunked\r\n\r\n" + chunked(body, 512)
	}
}

// just is an answer without the body.
func just(text string) func(string) string { return func(string) string { return text } }

func heads() []*Fault {
	wrong := []Invariant{NoPhantom, NoPanic}
	bomb := []Invariant{MemoryBound, NoPanic}
	return raws([]raw{
		{name: "head-garbage", says: "the answer is not HTTP", tries: wrong, bytes: just("\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\r\n\r\n")},
		{name: "head-none", says: "the body comes without a head, as in HTTP/0.9", tries: wrong, bytes: func(b string) string { return b }},
		{name: "head-http-2", says: "the status line says HTTP/2.0", tries: wrong, bytes: inChunks("HTTP/2.0 200 OK\r\nContent-Type: application/json\r\n")},
		{name: "head-bare-lf", says: "the lines of the head end in LF", tries: wrong, bytes: func(b string) string {
			return "HTTP/1.1 200 OK\nContent-Type: application/json\nTransfer-Encoding: chunked\n\n" + chunked(b, 512)
		}},
		{name: "head-code-signed", says: "the status is +200", tries: wrong, bytes: inChunks("HTTP/1.1 +200 OK\r\nContent-Type: application/json\r\n")},
		{name: "head-code-zero", says: "the status is 000", tries: wrong, bytes: inChunks("HTTP/1.1 000 OK\r\nContent-Type: application/json\r\n")},
		{name: "head-code-999", says: "the status is 999", tries: wrong, bytes: inChunks("HTTP/1.1 999 OK\r\nContent-Type: application/json\r\n")},
		{name: "head-no-reason", says: "the status line ends after the code", legal: true, tries: []Invariant{FinalState}, bytes: inChunks("HTTP/1.1 200\r\nContent-Type: application/json\r\n")},
		{name: "head-reason-controls", says: "the reason phrase holds escape sequences", tries: wrong, bytes: inChunks("HTTP/1.1 200 \x1b[31mO\x00K\r\nContent-Type: application/json\r\n")},
		{name: "head-name-blank", says: "a blank stands before a colon", tries: []Invariant{LyingLength}, bytes: inChunks(okJSON + "Content-Length : 5\r\n")},
		{name: "head-name-empty", says: "a field has no name", tries: wrong, bytes: inChunks(okJSON + ": x\r\n")},
		{name: "head-value-nul", says: "a field's value holds NUL", tries: wrong, bytes: inChunks(okJSON + "X-Note: a\x00b\r\n")},
		{name: "head-folded", says: "a field goes on in a second line, as RFC 9112 section 5.2 still allows", legal: true, tries: []Invariant{FinalState}, bytes: inChunks(okJSON + "X-Note: a\r\n b\r\n")},
		{name: "head-type-folded", says: "Content-Type goes on in a second line", tries: wrong, bytes: inChunks("HTTP/1.1 200 OK\r\nContent-Type: application/json;\r\n charset=utf-8\r\n")},
		{name: "head-unknown-fields", says: "fields nobody knows, in odd cases", legal: true, tries: []Invariant{FinalState}, bytes: inChunks("HTTP/1.1 200 OK\r\ncONTENT-tYPE: application/json\r\nX-Empty:\r\nx-1!: hit\r\n")},
		{name: "head-long-field", says: "a field of a megabyte", tries: bomb, bytes: inChunks(okJSON + "X-Note: " + strings.Repeat("a", 1<<20) + "\r\n")},
		{name: "head-endless", says: "fields without end", tries: bomb, bytes: just(okJSON), then: flood("X-Note: "+strings.Repeat("a", 1000)+"\r\n", 4000)},
		{name: "head-1xx", says: "three 1xx answers come first", legal: true, tries: []Invariant{FinalState}, bytes: inChunks(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 3) + okJSON)},
		{name: "head-1xx-storm", says: "1xx answers without end", tries: bomb, bytes: just(""), then: flood(strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 100), 400)},
		{name: "head-101", says: "the protocol is switched though nobody asked", tries: wrong, bytes: just("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")},
	})
}

// statuses are answers whose code is out of place.
func statuses() []*Fault {
	wrong := []Invariant{WrongContent, FinalState}
	answer := func(name, says string, code int, header ...string) *Fault {
		return &Fault{Name: name, Summary: says, Invariants: wrong, On: Reads, answer: func(x *exchange) {
			for i := 0; i < len(header); i += 2 {
				x.w.Header().Set(header[i], header[i+1])
			}
			x.w.WriteHeader(code)
		}}
	}
	return []*Fault{
		answer("status-204", "204 No Content", 204),
		answer("status-205", "205 Reset Content", 205),
		answer("status-304", "304 Not Modified", 304),
		answer("status-301", "301 to another host", 301, "Location", "https://elsewhere.example/api/v1/pods"),
		answer("status-307", "307 to another path of the same host", 307, "Location", "/elsewhere"),
		answer("status-418", "418, which the API does not use", 418),
		answer("status-599", "599, which nobody uses", 599),
		{Name: "status-206", Summary: "206 with a part of the body", Invariants: wrong, On: Reads, alter: func(x *exchange, next http.Handler) {
			rec := x.genuine(next)
			rec.header.Set("Content-Range", "bytes 0-99/*")
			rec.code = 206
			rec.body.Truncate(min(rec.body.Len(), 100))
			rec.replay(x.w)
		}},
		{Name: "status-201", Summary: "201 where 200 is meant", Invariants: wrong, On: Reads, alter: func(x *exchange, next http.Handler) {
			rec := x.genuine(next)
			rec.code = 201
			rec.replay(x.w)
		}},
	}
}
