package rest

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// FuzzHead: what we accept of a connection's bytes net/http reads the same, and nothing depends on how reads are sliced.
func FuzzHead(f *testing.F) {
	for i, row := range verdicts(f) {
		if len(row.raw) < 5000 && i%8 == 0 { // all of them are judged by tests; more seeds only delay
			f.Add(row.raw, row.method == "HEAD", uint(i*7))
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, head bool, at uint) {
		r := Request{Method: "GET", Path: "/"}
		if head {
			r.Method = "HEAD"
		}
		if len(raw) > 1<<17 {
			return
		}
		compareWithNetHTTP(t, raw, r.Method)
		whole := answer(t, r, io.EOF, raw)
		split := answer(t, r, io.EOF, raw[:at%uint(len(raw)+1)], raw[at%uint(len(raw)+1):])
		split.Kept = whole.Kept // bytes after the end may come later than the end
		if diff := cmp.Diff(whole, split, sameOutcome); diff != "" {
			t.Fatalf("split at %d (-whole +split):\n%s", at%uint(len(raw)+1), diff)
		}
		if strings.ContainsFunc(whole.Text, func(r rune) bool { return r < ' ' || r > '~' }) || len(whole.Text) > 4<<10 {
			t.Fatalf("an error that is no line: %q", whole.Text)
		}
	})
}

// FuzzFraming: whatever stands in the framing fields, an accepted plan is net/http's.
func FuzzFraming(f *testing.F) {
	for _, length := range lengthCases {
		for _, coding := range codingCases {
			f.Add(uint16(200), true, false, strings.Join(length.lines, "\n"), strings.Join(coding.lines, "\n"), "keep-alive")
		}
	}
	for _, connection := range connectionCases {
		f.Add(uint16(204), true, true, "5", "", strings.Join(connection.lines, "\n"))
	}
	f.Fuzz(func(t *testing.T, code uint16, isHTTP11, isHEAD bool, length, coding, connection string) {
		var b strings.Builder
		b.WriteString(map[bool]string{true: "HTTP/1.1 ", false: "HTTP/1.0 "}[isHTTP11] + itoa(int(code)) + " X\r\n")
		for name, lines := range map[string]string{"Content-Length": length, "Transfer-Encoding": coding, "Connection": connection} {
			if lines == "" {
				continue
			}
			for line := range strings.SplitSeq(lines, "\n") {
				b.WriteString(name + ": " + line + "\r\n")
			}
		}
		compareFraming(t, map[bool]string{true: "HEAD", false: "GET"}[isHEAD], b.String()+"\r\n")
	})
}

// pairing is a server whose every answer names the request it answers, with noise where a careless client would take it for the next answer.
type pairing struct {
	*script
	next  func() (kind byte, noise []byte) // how to answer the next request
	debts []byte                           // bytes of an ambiguous response that come with the next answer
}

// Write takes one request and queues its answer.
func (p *pairing) Write(b []byte) (int, error) {
	n, _ := p.script.Write(b)
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(b)))
	if err != nil {
		return 0, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	kind, noise := p.next()
	name := r.URL.Path
	counted := "HTTP/1.1 200 OK\r\nContent-Length: " + itoa(len(name)) + "\r\n\r\n"
	answer := p.debts
	p.debts = nil
	switch kind % 12 {
	case 0:
		answer = append(answer, counted+name...)
	case 1:
		answer = append(answer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+hexChunk([]byte(name))+"0\r\n\r\n"...)
	case 2: // ambiguous: a 204 that announces a body, which comes late
		answer = append(answer, "HTTP/1.1 204 No Content\r\nContent-Length: 99\r\n\r\n"...)
		p.debts = []byte("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
	case 3:
		answer = append(answer, strings.Replace(counted, "1.1", "1.0", 1)+name...)
		p.debts = []byte("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
	case 4:
		answer = append(answer, "HTTP/1.1 103 Early\r\nContent-Length: 9\r\n\r\n"+counted+name...)
		p.debts = []byte("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
	case 5: // noise with the answer
		answer = append(answer, counted+name+string(noise)...)
	case 6: // noise after the answer, while the connection is unused
		p.pieces = append(p.pieces, append(answer, counted+name...))
		answer = bytes.Clone(noise)
	case 7:
		answer = append(answer, counted+name...)
		p.pieces, p.end = append(p.pieces, answer), io.EOF
		return n, nil
	case 8: // noise in place of a head
		answer = append(answer, append(bytes.Clone(noise), counted+name...)...)
		p.end = io.EOF
	case 9:
		answer = append(answer, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: "+itoa(len(name))+"\r\n\r\n"+name...)
		p.debts = []byte("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
	case 10:
		answer = append(answer, "HTTP/1.1 404 X\r\nContent-Type: text/plain\r\nContent-Length: "+itoa(len(name))+"\r\n\r\n"+name+string(noise)...)
	case 11:
		answer = append(answer, "HTTP/1.1 204 No Content\r\n\r\n"+string(noise)...)
	}
	p.pieces = append(p.pieces, answer)
	return n, nil
}

// FuzzReuse: on connections that carry many responses and noise between them, a request gets its own answer or an error, never another's.
func FuzzReuse(f *testing.F) {
	evil := []byte("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
	for kind := range byte(12) {
		f.Add([]byte{kind, 0, 1, kind, 0, 5, 6, 11}, evil, byte(0))
		f.Add([]byte{0, kind, kind, 2, 0, 1, 0}, []byte("\r\n"), byte(3))
	}
	f.Add([]byte{0, 0, 0, 1, 1, 1, 0}, []byte{}, byte(1))
	f.Fuzz(func(t *testing.T, kinds, noise []byte, slice byte) {
		if len(kinds) > 32 || len(noise) > 4<<10 {
			return
		}
		asked := 0
		next := func() (byte, []byte) {
			kind := byte(0)
			if asked < len(kinds) {
				kind = kinds[asked]
			}
			return kind, noise
		}
		var conns []*pairing
		c := scripted(t, Config{})
		c.dialFunc = dialSlices(&conns, next, slice)
		for asked = range kinds {
			name := "/request-" + itoa(asked)
			o := fetch(t, c, Request{Path: name})
			kind := kinds[asked] % 12
			switch {
			case kind == 8: // noise in place of a head may be a head
			case o.Err == nil && o.Code == 200 && o.Body != name:
				t.Fatalf("request %d (kind %d) got %q", asked, kind, o.Body)
			case o.Err == nil && o.Code == 204 && kind != 2 && kind != 11:
				t.Fatalf("request %d (kind %d) got a 204", asked, kind)
			case o.Err != nil && kind < 8 && kind != 5:
				t.Fatalf("request %d (kind %d): %v", asked, kind, o.Err)
			}
		}
		if len(conns) > len(kinds) {
			t.Fatalf("%d connections for %d requests", len(conns), len(kinds))
		}
	})
}

// FuzzGzip: what we decode compress/gzip decodes to the same, in whatever slices it comes and is asked for.
func FuzzGzip(f *testing.F) {
	for _, c := range gzipCases(f) {
		f.Add(c.raw)
	}
	f.Add(zipped(f, strings.Repeat("hello ", 1000), "", strings.Repeat("x", 100_000)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > 1<<16 {
			return
		}
		compareGzip(t, raw)
		want, wantErr := unzip(bytes.NewReader(raw))
		if len(want) > gzipFreeOutput+(defaultMaxGzipRatio+1)*len(raw) {
			t.Fatalf("%d bytes of %d", len(want), len(raw))
		}
		got, err := unzip(iotest.OneByteReader(bytes.NewReader(raw)))
		if !bytes.Equal(got, want) || (err == nil) != (wantErr == nil) || (err != nil && err.(*Error).Rule != wantErr.(*Error).Rule) {
			t.Fatalf("byte by byte: %d bytes %v, whole: %d bytes %v", len(got), err, len(want), wantErr)
		}
	})
}

// FuzzRequest: net/http gives back the parts of every request that is not refused.
func FuzzRequest(f *testing.F) {
	f.Add("GET", "/api/v1/pods", "watch", "1", "X-A", "b", []byte(nil))
	f.Add("POST", "/a b/%41/ü", "k\r\n", "v&=", "If-Match", "\t x", []byte("body"))
	f.Add("PATCH", "/x", "", "", "Content-Length", "3", []byte{0})
	f.Fuzz(func(t *testing.T, method, path, key, value, name, field string, body []byte) {
		c := scripted(t, Config{})
		r := Request{Method: method, Path: path, Query: url.Values{key: {value}}, Header: Header{{name, field}}, Body: body}
		w, err := c.prepare(&r)
		if err != nil {
			if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Fatalf("an error that is no line: %q", err)
			}
			return
		}
		head, rest := w.encode("Bearer x")
		br := bufio.NewReader(io.MultiReader(bytes.NewReader(head), bytes.NewReader(rest)))
		got, err := http.ReadRequest(br)
		if err != nil {
			t.Fatalf("%v: %q", err, head)
		}
		gotBody, _ := io.ReadAll(got.Body)
		plain, _ := url.PathUnescape(path)
		if got.Method != w.method || got.URL.Path != plain || got.URL.Query().Get(key) != value || got.Host != "127.0.0.1" || got.Header.Get("Authorization") != "Bearer x" ||
			got.Header.Get(name) != strings.Trim(field, " \t") || !bytes.Equal(gotBody, body) {
			t.Fatalf("%q became %+v", head, got)
		}
		if after, _ := io.ReadAll(br); len(after) > 0 {
			t.Fatalf("bytes after the request: %q", after)
		}
	})
}
