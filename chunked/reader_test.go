package chunked

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/internal/wiretest"
)

// next is what follows a body on its connection.
const next = "HTTP/1.1 200 OK\r\n"

// Buffers that a Reader must not notice: the least that bufio takes, which no line of the longer vectors fits into, and the usual one.
var bufferSizes = []int{16, 4096}

// outcome is all that a body does to its reader.
type outcome struct {
	Content  string
	Rest     string // unread, of an accepted body
	Complete bool
	Err      string
}

func decode(src io.Reader, buffer int, o Options) (outcome, error) {
	br := bufio.NewReaderSize(src, buffer)
	r := NewReader(br, o)
	content, err := io.ReadAll(r)
	out := outcome{Content: string(content), Complete: r.Complete()}
	if err != nil {
		out.Err = err.Error()
		return out, err
	}
	rest, err := io.ReadAll(br)
	out.Rest = string(rest)
	return out, err
}

func TestVerdicts(t *testing.T) {
	for _, v := range vectors {
		t.Run(v.name, func(t *testing.T) {
			got, err := decode(strings.NewReader(v.followed()), 4096, Options{})
			if v.rule == "" {
				if want := (outcome{Content: v.want, Rest: next, Complete: true}); err != nil || got != want {
					t.Errorf("refused: %v\n%s", err, cmp.Diff(want, got))
				}
				return
			}
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("the error is %v, of another type", err)
			}
			if got.Content != v.want || got.Complete || !strings.HasPrefix(e.Rule, v.rule) || e.Section != v.section || e.Offset != v.offset {
				t.Errorf("got content %q and %q of %q at %d\nwant content %q and %q of %q at %d",
					got.Content, e.Rule, e.Section, e.Offset, v.want, v.rule, v.section, v.offset)
			}
			if isCut := strings.HasPrefix(v.rule, "cut"); errors.Is(err, io.ErrUnexpectedEOF) != isCut {
				t.Errorf("%v: io.ErrUnexpectedEOF is for cuts", err)
			}
		})
	}
}

// How reads fall, and how much the buffer holds, says nothing about a body.
func TestVerdictsDoNotDependOnReadBoundaries(t *testing.T) {
	for _, v := range vectors {
		want, _ := decode(strings.NewReader(v.followed()), 4096, Options{})
		for _, size := range bufferSizes {
			for split, src := range wiretest.EverySplit([]byte(v.followed())) {
				if got, _ := decode(src, size, Options{}); got != want {
					t.Errorf("%s, %s, buffer of %d:\n%s", v.name, split, size, cmp.Diff(want, got))
				}
			}
		}
	}
}

// A body that is cut is never a shorter success, and never anything but a cut (RFC 9112 8).
func TestEveryCutIsAnUnexpectedEOF(t *testing.T) {
	for _, v := range vectors {
		if v.rule != "" {
			continue
		}
		for _, size := range bufferSizes {
			for at, src := range wiretest.EveryCut([]byte(v.wire)) {
				got, err := decode(src, size, Options{})
				var e *Error
				if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.As(err, &e) || e.Offset != int64(at) || got.Complete {
					t.Fatalf("%s, cut at %d: %+v, %v", v.name, at, got, err)
				}
				if !strings.HasPrefix(v.want, got.Content) {
					t.Fatalf("%s, cut at %d: content %q of %q", v.name, at, got.Content, v.want)
				}
			}
		}
	}
}

// The caller's buffer says nothing about a body either.
func TestSmallReadsSeeTheSameContent(t *testing.T) {
	for _, v := range vectors {
		want, _ := decode(strings.NewReader(v.followed()), 4096, Options{})
		r := NewReader(bufio.NewReader(strings.NewReader(v.followed())), Options{})
		content, err := io.ReadAll(iotest.OneByteReader(r))
		if string(content) != want.Content || (err == nil) != (want.Err == "") {
			t.Errorf("%s: content %q, %v", v.name, content, err)
		}
	}
}

// A watch must not wait for its next event to see this one.
func TestContentIsReturnedBeforeTheNextChunkArrives(t *testing.T) {
	for _, arrived := range []string{"5\r\nhello", "5\r\nhello\r", "5\r\nhello\r\n", "5\r\nhello\r\n5", "5\r\nhello\r\n5;a=\"", "8\r\nhello"} {
		src := io.MultiReader(strings.NewReader(arrived), iotest.ErrReader(errors.New("the Reader would have waited here")))
		p := make([]byte, 100)
		n, err := NewReader(bufio.NewReader(src), Options{}).Read(p)
		if string(p[:n]) != "hello" || err != nil {
			t.Errorf("%q: read %q, %v", arrived, p[:n], err)
		}
	}
}

// Small chunks that came together are one read.
func TestBufferedChunksAreReadTogether(t *testing.T) {
	r := NewReader(bufio.NewReader(strings.NewReader("2\r\nab\r\n1\r\nc\r\n3\r\ndef\r\n0\r\n\r\n")), Options{})
	p := make([]byte, 100)
	n, err := r.Read(p)
	if string(p[:n]) != "abcdef" || err != nil {
		t.Errorf("read %q, %v", p[:n], err)
	}
	if !r.Complete() {
		t.Error("the end was buffered, and not seen")
	}
	if n, err := r.Read(p); n != 0 || err != io.EOF {
		t.Errorf("after the end: %d, %v", n, err)
	}
}

func TestNothingIsReadPastTheEnd(t *testing.T) {
	src := io.MultiReader(strings.NewReader(hello+"0\r\n\r\n"), iotest.ErrReader(errors.New("the Reader went past the end")))
	if content, err := io.ReadAll(NewReader(bufio.NewReader(src), Options{})); string(content) != "hello" || err != nil {
		t.Errorf("read %q, %v", content, err)
	}
}

func TestEmptyReadsReadNothing(t *testing.T) {
	r := NewReader(bufio.NewReader(iotest.ErrReader(errors.New("an empty read has read"))), Options{})
	if n, err := r.Read(nil); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// What the connection fails with is the caller's to judge: a time-out is not a cut. It is final, for the bytes after it were never decoded.
func TestReadErrorsPassThroughAndAreFinal(t *testing.T) {
	const wire = "5;a=b\r\nhello\r\n0\r\nC: d\r\n\r\n"
	for at := range len(wire) {
		src := io.MultiReader(strings.NewReader(wire[:at]), &failOnce{err: os.ErrDeadlineExceeded, then: strings.NewReader(wire[at:])})
		r := NewReader(bufio.NewReaderSize(src, 16), Options{})
		content, err := io.ReadAll(r)
		if err != os.ErrDeadlineExceeded || !strings.HasPrefix("hello", string(content)) {
			t.Fatalf("at %d: %q, %v", at, content, err)
		}
		if n, again := r.Read(make([]byte, 10)); n != 0 || again != err || r.Complete() {
			t.Fatalf("at %d: after the error %d, %v", at, n, again)
		}
	}
}

type failOnce struct {
	err  error
	then io.Reader
}

func (f *failOnce) Read(p []byte) (int, error) {
	if err := f.err; err != nil {
		f.err = nil
		return 0, err
	}
	return f.then.Read(p)
}

func TestErrorsAreFinal(t *testing.T) {
	r := NewReader(bufio.NewReader(strings.NewReader("5\r\nhelloXX"+hello+"0\r\n\r\n")), Options{})
	_, first := io.ReadAll(r)
	n, second := r.Read(make([]byte, 10))
	if n != 0 || second == nil || second != first {
		t.Errorf("after %v: %d, %v", first, n, second)
	}
}

// crypto/tls reports a connection that ended without close_notify by io.ErrUnexpectedEOF; it is a cut like any other and has an offset.
func TestUnannouncedTLSEndIsACut(t *testing.T) {
	reason := fmt.Errorf("tls: %w", io.ErrUnexpectedEOF)
	_, err := io.ReadAll(NewReader(bufio.NewReader(io.MultiReader(strings.NewReader("5\r\nhel"), iotest.ErrReader(reason))), Options{}))
	var e *Error
	if !errors.As(err, &e) || e.Offset != 6 || !errors.Is(err, reason) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
}

// A source that returns nothing, for ever, ends in an error and not in a loop.
func TestReaderThatGivesNothingIsGivenUp(t *testing.T) {
	for _, start := range []string{"", "5\r\n", "5\r\nhello", hello + "0\r\n"} {
		src := io.MultiReader(strings.NewReader(start), readerFunc(func([]byte) (int, error) { return 0, nil }))
		_, err := io.Copy(io.Discard, NewReader(bufio.NewReaderSize(src, 16), Options{}))
		if !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("after %q: %v", start, err)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Errors say where and why on one line, with the peer's byte quoted and nothing else of it (CVE-2026-42507).
func TestErrorTexts(t *testing.T) {
	for wire, want := range map[string]string{
		"\x1b[2J":             `chunked body: a chunk size begins with a hexadecimal digit, found "\x1b" at byte 0 (RFC 9112 7.1)`,
		"5\r\nhel":            "chunked body: cut within a chunk's data, at byte 6 (RFC 9112 8)",
		"0\r\nHost: evil\r\n": "chunked body: a field that must not be a trailer field, at byte 7 (RFC 9110 6.5.1)",
	} {
		if _, err := decode(strings.NewReader(wire), 4096, Options{}); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", wire, err, want)
		}
	}
}

func TestChunksAreShownToOnChunk(t *testing.T) {
	const wire = "5;a=\"b\"\r\nhello\r\n06 ; c\r\n world\r\n0\r\nA: b\r\n\r\n"
	type seen struct {
		Offset, WireOffset, Size int64
		Extension                string
	}
	want := []seen{{0, 0, 5, `;a="b"`}, {5, 16, 6, " ; c"}, {11, 32, 0, ""}}
	for split, src := range wiretest.EverySplit([]byte(wire)) {
		var got []seen
		content, err := io.ReadAll(NewReader(bufio.NewReaderSize(src, 16), Options{OnChunk: func(c Chunk) {
			got = append(got, seen{c.Offset, c.WireOffset, c.Size, string(c.Extension)})
		}}))
		if string(content) != "hello world" || err != nil {
			t.Fatalf("%s: %q, %v", split, content, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s:\n%s", split, diff)
		}
	}
}

// Every name of RFC 9110 6.5.1 that a response could be read differently by, whatever its case.
func TestForbiddenTrailers(t *testing.T) {
	for _, name := range []string{
		"Transfer-Encoding", "Content-Length", "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Upgrade",
		"Host",
		"Authorization", "Proxy-Authorization", "WWW-Authenticate", "Proxy-Authenticate", "Cookie", "Set-Cookie",
		"Cache-Control", "Expect", "Max-Forwards", "Pragma", "Range",
		"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range",
		"Age", "Date", "Expires", "Location", "Retry-After", "Vary", "Warning",
		"Content-Type", "Content-Encoding", "Content-Range", "Content-Language", "Content-Location", "Content-Anything",
		"content-security-policy-which-is-longer-than-the-name-kept",
	} {
		for _, spelled := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			_, err := decode(strings.NewReader("0\r\n"+spelled+": x\r\n\r\n"), 4096, Options{})
			if e := new(Error); !errors.As(err, &e) || e.Section != forbidden {
				t.Errorf("%s: %v", spelled, err)
			}
		}
		if _, err := decode(strings.NewReader("0\r\nX-"+name+": x\r\n\r\n"), 4096, Options{}); err != nil {
			t.Errorf("X-%s: %v", name, err)
		}
	}
}

func (v vector) followed() string {
	if v.rule == "" {
		return v.wire + next
	}
	return v.wire
}

func TestReadAllocatesNothing(t *testing.T) {
	body := []byte(strings.Repeat("5;a=b\r\nhello\r\n", 100) + "0\r\nA: b\r\n\r\n")
	src := bytes.NewReader(body)
	br := bufio.NewReader(src)
	r := NewReader(br, Options{MaxExtension: -1})
	fresh := *r
	p := make([]byte, 64)
	perBody := testing.AllocsPerRun(100, func() {
		src.Reset(body)
		br.Reset(src)
		*r = fresh
		for {
			if _, err := r.Read(p); err != nil {
				if err != io.EOF {
					t.Fatal(err)
				}
				return
			}
		}
	})
	if perBody != 0 {
		t.Errorf("%v allocations per body", perBody)
	}
}
