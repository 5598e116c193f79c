package fuzz

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rawwatch/rawwatch/chunked"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// FuzzChunkedBodies: bodies of any legal form, one after another on one connection, each decoded to its content, with each chunk reported where it is, and not
// a byte taken of the next one; in reads and into buffers of any size.
func FuzzChunkedBodies(f *testing.F) {
	f.Add([]byte{3, 2, 10, 0, 'a', 'b', 5, 1, 'c', 3, 2, 200, 7}, []byte{1, 2}, uint8(1))
	f.Add([]byte{1, 1, 63, 1, 'x', 2, 0, 1, 3, 4, 5, 6, 7, 8}, []byte{}, uint8(0))
	f.Add([]byte{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, []byte{64, 0, 3}, uint8(16))
	f.Fuzz(func(t *testing.T, script, slicing []byte, buffer uint8) {
		if len(script) > 2<<10 {
			return
		}
		var wire []byte
		var contents []string
		var chunks [][]chunked.Chunk
		d := dice{script}
		for range 1 + d.pick(5) {
			w, content, at := legalBody(&d)
			wire, contents, chunks = append(wire, w...), append(contents, content), append(chunks, at)
		}
		wire = append(wire, "HTTP/1.1"...)
		cost(t, "the decoder", len(wire), limit{24, 192 << 10}, func() {
			br := bufio.NewReaderSize(inSlices(t, wire, dice{slicing}), 16+int(buffer))
			for i, want := range contents {
				var seen []chunked.Chunk
				r := chunked.NewReader(br, chunked.Options{OnChunk: func(c chunked.Chunk) {
					c.Extension = bytes.Clone(c.Extension)
					seen = append(seen, c)
				}})
				var got strings.Builder
				if _, err := io.CopyBuffer(&got, struct{ io.Reader }{r}, make([]byte, 1+int(buffer))); err != nil || got.String() != want || !r.Complete() {
					t.Fatalf("body %d of %q: %q, %v, want %q", i, wire, got.String(), err, want)
				}
				if diff := cmp.Diff(chunks[i], seen, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("chunks of body %d of %q (-want +got):\n%s", i, wire, diff)
				}
			}
			if rest, err := io.ReadAll(br); string(rest) != "HTTP/1.1" || err != nil {
				t.Fatalf("%q is left of %q: %v", rest, wire, err)
			}
		})
	})
}

// legalBody writes a body by the grammar of RFC 9112 section 7.1: content, where its chunks are, and the bytes.
func legalBody(d *dice) (wire []byte, content string, chunks []chunked.Chunk) {
	line := func(size int) {
		extension := []string{"", "", "", ";a", ";a=b", ` ;a="b\";\\" ;c`, "\t; a = b", ";a=\"\""}[d.pick(8)]
		chunks = append(chunks, chunked.Chunk{Offset: int64(len(content)), WireOffset: int64(len(wire)), Size: int64(size), Extension: []byte(extension)})
		wire = fmt.Appendf(wire, []string{"%x", "%X", "0%x", "000%X"}[d.pick(4)], size)
		wire = append(wire, extension+"\r\n"...)
	}
	for range d.pick(8) {
		data := d.take(1 + d.pick(32))
		if len(data) == 0 {
			break
		}
		line(len(data))
		content += string(data)
		wire = append(append(wire, data...), "\r\n"...)
	}
	line(0)
	wire = append(wire, []string{"", "", "", "A: b\r\n", "X-Sum: 1\r\n 2\r\nB:\r\n"}[d.pick(5)]+"\r\n"...)
	return wire, content, chunks
}

// A reply is one response of a connection.
type reply struct {
	wire  string
	code  int
	body  string
	clean bool // nothing about it is ambiguous: the connection serves on
}

// makeReply writes a response to the n-th request, with noise behind or before it where the dice wants some.
func makeReply(d *dice, n int, isHead bool) (r reply) {
	r.body, r.code, r.clean = fmt.Sprintf("the answer to request %d", n), 200, true
	switch d.pick(12) {
	case 0: // an error; its body is for people
		r.code = 404
	case 1:
		r.code, r.body = 204, ""
	}
	var interim string
	for range d.pick(10) - 7 {
		interim += "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
	}
	head := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: text/plain\r\n", r.code)
	counted := fmt.Sprintf("Content-Length: %d\r\n\r\n", len(r.body))
	inChunks := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(r.body), r.body)
	switch shape := d.pick(6); {
	case r.code == 204 || isHead:
		r.wire = head + "\r\n"
		if shape == 0 {
			r.wire, r.clean = head+counted, false
		}
	case shape < 2:
		r.wire = head + counted + r.body
	case shape < 4:
		r.wire = head + "Transfer-Encoding: chunked\r\n\r\n" + inChunks
	case shape == 4:
		r.wire, r.clean = head+"Connection: close\r\n"+counted+r.body, false
	default:
		r.wire, r.clean = strings.Replace(head, "1.1", "1.0", 1)+counted+r.body, false
	}
	r.wire = interim + r.wire
	switch d.pick(16) {
	case 0:
		r.wire, r.clean = r.wire+"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", false
	case 1:
		noise := string(d.take(1 + d.pick(16)))
		r.wire, r.clean = r.wire+noise, r.clean && noise == ""
	}
	if isHead {
		r.body = ""
	}
	return r
}

// FuzzResponseSequence: many requests to one server, responses of every shape, noise between them, reads of any size. Each request gets its own answer, which
// is what net/http reads at that place; a connection is used again after what is clean and never after anything else.
func FuzzResponseSequence(f *testing.F) {
	for i := range byte(16) {
		f.Add([]byte{6, 0, 5, i, i, i, i, 5, 1, i, 2, 7, 5, 8, i, 9, 6, 5, i, 3, 2, 1, 5, 5, 5, 5, i, i, i}, []byte{i, 3})
	}
	f.Fuzz(func(t *testing.T, script, slicing []byte) {
		if len(script) > 1<<10 {
			return
		}
		d := dice{script}
		n := 1 + d.pick(20)
		wantConns, kept := 0, false
		var now reply
		s := &server{answer: func(*http.Request) io.Reader { return inSlices(t, []byte(now.wire), dice{slicing}) }}
		c := s.client(t, rest.Config{})
		for i := range n {
			method := []string{"GET", "GET", "GET", "HEAD"}[d.pick(4)]
			now = makeReply(&d, i, method == "HEAD")
			if !kept {
				wantConns++
			}
			kept = now.clean
			theirs, err := http.ReadResponse(bufio.NewReader(strings.NewReader(now.wire)), &http.Request{Method: method})
			for err == nil && theirs.StatusCode == 103 { // each in its own reader: the wire is small
				_, rest, _ := strings.Cut(now.wire, "\r\n\r\n")
				now.wire = rest
				theirs, err = http.ReadResponse(bufio.NewReader(strings.NewReader(rest)), &http.Request{Method: method})
			}
			if err != nil {
				t.Fatalf("%q: net/http: %v", now.wire, err)
			}
			want, _ := io.ReadAll(theirs.Body)
			got, code, err := fetch(c, method)
			if code != theirs.StatusCode || code == 200 && (err != nil || got != string(want) || got != now.body) {
				t.Fatalf("request %d: %d %q %v, want %d %q", i, code, got, err, theirs.StatusCode, want)
			}
			if s.conns > wantConns || kept && s.conns < wantConns {
				t.Fatalf("request %d: %d connections, want %d, after %q", i, s.conns, wantConns, now.wire)
			}
			if s.conns < wantConns { // noise so late that it was not there yet may be seen only by the next use
				t.Fatalf("request %d was sent on a connection that was not clean", i)
			}
		}
	})
}

func fetch(c *rest.Client, method string) (body string, code int, err error) {
	r, err := c.Do(context.Background(), rest.Request{Method: method, Path: "/"})
	if refused, ok := errors.AsType[*status.Error](err); ok {
		return "", refused.Code, err
	}
	if err != nil {
		return "", 0, err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return string(b), r.Code, err
}

// FuzzListBytes: any bytes at all as the answer to a list, through the whole of what reads it. Where a list comes of it, net/http, compress/gzip and
// encoding/json make the same of these bytes; where it does not, there is an error of one line, and nothing is spent beyond what came.
func FuzzListBytes(f *testing.F) {
	body := `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a","resourceVersion":"1"}},{"metadata":{"name":"b","resourceVersion":"2"},"x":[1e999]}],"metadata":{"resourceVersion":"7"}}`
	var small bytes.Buffer
	w := gzip.NewWriter(&small)
	w.Write([]byte(body[:40]))
	w.Close()
	w.Reset(&small)
	w.Write([]byte(body[40:]))
	w.Close()
	json := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	f.Add([]byte(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", json, len(body), body)), false, []byte{5})
	f.Add([]byte(json+"\r\n"+body), false, []byte{})
	f.Add([]byte(fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", json, 50, body[:50], len(body)-50, body[50:])), true, []byte{1})
	f.Add([]byte(fmt.Sprintf("%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", json, small.Len(), small.Bytes())), true, []byte{63, 2})
	f.Add([]byte(json+"Content-Encoding: gzip\r\n\r\n"+small.String()+"x"), true, []byte{})
	f.Add([]byte("HTTP/1.1 410 Gone\r\nContent-Type: application/json\r\n\r\n"+`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`), false, []byte{})
	f.Fuzz(func(t *testing.T, wire []byte, zipped bool, slicing []byte) {
		if len(wire) > 32<<10 {
			return
		}
		s := &server{after: io.EOF, answer: func(*http.Request) io.Reader { return inSlices(t, wire, dice{slicing}) }}
		c := s.client(t, rest.Config{MaxIdleConns: -1})
		var objects []string
		var err error
		taken := 0
		cost(t, "the list", len(wire)*8, limit{32, 512 << 10}, func() {
			var r *rest.Response
			if r, err = c.Do(context.Background(), rest.Request{Path: "/", Gzip: zipped}); err != nil {
				return
			}
			defer r.Body.Close()
			d := watchdecoder.NewListDecoder(r.Body, watchdecoder.Options{MaxBytes: 64 << 10})
			codec := watchdecoder.RawObject()
			for {
				item, itemErr := d.Next()
				if itemErr != nil && !watchdecoder.IsRecoverable(itemErr) {
					err = itemErr
					return
				}
				text := "unreadable"
				if itemErr == nil {
					raw, err := codec.Decode(item.Object)
					if err == nil {
						text = string(raw)
					}
				}
				if taken += len(text); taken < 1<<20 {
					objects = append(objects, text)
				}
			}
		})
		if err != io.EOF {
			if err == nil || !printable(err.Error()) || len(err.Error()) > 8<<10 {
				t.Fatalf("%q: an error that is no line: %q", wire, err)
			}
			return
		}
		sameList(t, wire, zipped, objects)
	})
}

// sameList reads the list as the standard library does.
func sameList(t *testing.T, wire []byte, zipped bool, objects []string) {
	br := bufio.NewReader(bytes.NewReader(wire))
	r, err := http.ReadResponse(br, &http.Request{Method: "GET"})
	for err == nil && r.StatusCode/100 == 1 {
		r, err = http.ReadResponse(br, &http.Request{Method: "GET"})
	}
	if err != nil {
		t.Fatalf("%q: accepted, net/http refuses: %v", wire, err)
	}
	content := io.Reader(r.Body)
	if coding := r.Header.Values("Content-Encoding"); zipped && strings.Contains(strings.ToLower(strings.Join(coding, ",")), "gzip") {
		if content, err = gzip.NewReader(content); err != nil {
			t.Fatalf("%q: accepted, compress/gzip refuses: %v", wire, err)
		}
	}
	body, err := io.ReadAll(io.LimitReader(content, 64<<20))
	if err != nil && !strings.Contains(err.Error(), "invalid byte in chunk length") { // blanks before a semicolon: rest/testdata/nethttp.txt
		t.Fatalf("%q: accepted, the standard library: %v", wire, err)
	}
	var list map[string]json.RawMessage
	var want []json.RawMessage
	if err != nil || !json.Valid(body) || json.Unmarshal(body, &list) != nil || json.Unmarshal(list["items"], &want) != nil {
		return // what surrounds the items is scanned, not validated
	}
	if len(want) != len(objects) {
		t.Fatalf("%q: %d items, encoding/json finds %d", wire, len(objects), len(want))
	}
	for i := range want {
		if objects[i] != "unreadable" && objects[i] != string(want[i]) {
			t.Fatalf("%q: item %d is %q, want %q", wire, i, objects[i], want[i])
		}
	}
}

// printable tells whether a text is a line that a terminal takes as it is; letters of any script are.
func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
