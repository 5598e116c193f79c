package chunked

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

const end = "0\r\n\r\n"

// repeated is a body of n equal parts and an end, made while it is read.
func repeated(part string, n int) io.Reader {
	return io.MultiReader(&repeater{part: part, left: len(part) * n}, strings.NewReader(end))
}

type repeater struct {
	part     string
	at, left int
}

func (r *repeater) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.part[r.at:])
	r.at, r.left = (r.at+n)%len(r.part), r.left-n
	return n, nil
}

// stopped decodes a body and wants it refused for a limit.
func stopped(t *testing.T, src io.Reader, o Options, rule string) *Error {
	t.Helper()
	_, err := io.Copy(io.Discard, NewReader(bufio.NewReader(src), o))
	var e *Error
	if !errors.As(err, &e) || e.Rule != rule || e.Section != limits || e.Found >= 0 || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("got %v, want %s", err, rule)
	}
	return e
}

// passes decodes a body and wants it accepted.
func passes(t *testing.T, src io.Reader, o Options) int64 {
	t.Helper()
	r := NewReader(bufio.NewReader(src), o)
	n, err := io.Copy(io.Discard, r)
	if err != nil || !r.Complete() {
		t.Fatalf("refused: %v", err)
	}
	return n
}

// Streaming a byte at a time is legitimate, and nothing of it adds up.
func TestHonestOneByteChunksPassForEver(t *testing.T) {
	const many = 1 << 18
	for _, chunk := range []string{"1\r\nx\r\n", "00000001\r\nx\r\n", "0001;a\r\nx\r\n"} {
		if n := passes(t, repeated(chunk, many), Options{MaxExtension: -1}); n != many {
			t.Errorf("%q: %d bytes", chunk, n)
		}
	}
}

func TestExtensionsThatTheirContentPaysForPassForEver(t *testing.T) {
	chunk := fmt.Sprintf("40;%s\r\n%s\r\n", strings.Repeat("e", 63), strings.Repeat("x", 64))
	passes(t, repeated(chunk, 1<<14), Options{MaxExtension: -1})
}

// What a sender adds around single bytes costs us, not it.
func TestOneByteChunksWithoutMeasureAreStopped(t *testing.T) {
	const rule = "much more framing than content"
	for chunk, atMost := range map[string]int64{
		"1;" + strings.Repeat("e", 100) + "\r\nx\r\n": 20 << 10,
		"1;" + strings.Repeat("e", 10) + "\r\nx\r\n":  100 << 10,
		strings.Repeat("0", 15) + "1\r\nx\r\n":        50 << 10,
	} {
		if e := stopped(t, repeated(chunk, 1<<20), Options{MaxExtension: -1}, rule); e.Offset > atMost {
			t.Errorf("%q: stopped after %d bytes", chunk, e.Offset)
		}
	}
}

// A large body does not buy junk for later.
func TestOverheadIsNotPaidInAdvance(t *testing.T) {
	large := fmt.Sprintf("%x\r\n%s\r\n", 1<<20, strings.Repeat("x", 1<<20))
	junk := "1;" + strings.Repeat("e", 1000) + "\r\nx\r\n"
	e := stopped(t, io.MultiReader(strings.NewReader(large), repeated(junk, 1000)), Options{MaxExtension: -1}, "much more framing than content")
	if after := e.Offset - int64(len(large)); after > 17<<10 {
		t.Errorf("stopped %d bytes after the large chunk", after)
	}
}

// A large chunk pays for earlier ones.
func TestOverheadIsPaidLater(t *testing.T) {
	body := strings.Repeat("1;"+strings.Repeat("e", 1000)+"\r\nx\r\n", 10) + fmt.Sprintf("%x\r\n%s\r\n", 1<<14, strings.Repeat("x", 1<<14))
	passes(t, repeated(body, 20), Options{MaxExtension: -1})
}

func TestLineLimit(t *testing.T) {
	line := func(n int) string { return "5;" + strings.Repeat("e", n-len("5;\r\n")) + "\r\n" }
	for _, limit := range []int{0, 100} {
		o, most := Options{MaxLine: limit}, limit
		if limit == 0 {
			most = DefaultMaxLine
		}
		passes(t, strings.NewReader(line(most)+"hello\r\n"+end), o)
		if e := stopped(t, strings.NewReader(line(most+1)+"hello\r\n"+end), o, "a chunk's line longer than the limit"); e.Offset != int64(most) {
			t.Errorf("limit %d: stopped at %d", most, e.Offset)
		}
		stopped(t, repeated(line(1 << 20)[:1<<19], 1<<10), o, "a chunk's line longer than the limit") // one that never ends
	}
	passes(t, strings.NewReader("05\r\nhello\r\n"+end), Options{MaxLine: 4})
	stopped(t, strings.NewReader("005\r\nhello\r\n"+end), Options{MaxLine: 4}, "a chunk's line longer than the limit")
	passes(t, strings.NewReader(line(DefaultMaxLine+1)+"hello\r\n"+end), Options{MaxLine: -1})
}

func TestExtensionLimit(t *testing.T) {
	chunk := func(n int) string { // with n bytes of extension, paid for
		return fmt.Sprintf("1000;%s\r\n%s\r\n", strings.Repeat("e", n-1), strings.Repeat("x", 0x1000))
	}
	const rule = "more extensions than the limit"
	passes(t, strings.NewReader(strings.Repeat(chunk(1024), 16)+end), Options{})
	passes(t, strings.NewReader(strings.Repeat(chunk(1024), 20)+end), Options{MaxExtension: -1})
	stopped(t, strings.NewReader(strings.Repeat(chunk(1024), 16)+"0;e\r\n\r\n"), Options{}, rule)
	stopped(t, strings.NewReader(strings.Repeat(chunk(1024), 15)+chunk(1025)+end), Options{}, rule)
	passes(t, strings.NewReader(chunk(10)+end), Options{MaxExtension: 10})
	stopped(t, strings.NewReader(chunk(11)+end), Options{MaxExtension: 10}, rule)
}

func TestOverheadLimit(t *testing.T) {
	// 4+10+2 bytes of line and 2 after the data, of which 12+1 are paid: five are not, per chunk.
	const chunk = "0001;eeeeeeeee\r\nx\r\n"
	const rule = "much more framing than content"
	passes(t, repeated(chunk, 2), Options{MaxOverhead: 10})
	stopped(t, repeated(chunk, 3), Options{MaxOverhead: 10}, rule)
	passes(t, repeated(chunk, 1<<12), Options{MaxOverhead: -1, MaxExtension: -1})
}

// The budget holds within a line as well, or a line without bound would escape it.
func TestOverheadLimitHoldsWithinALine(t *testing.T) {
	e := stopped(t, repeated("1;"+strings.Repeat("e", 1<<20), 1), Options{MaxLine: -1, MaxExtension: -1}, "much more framing than content")
	if e.Offset > DefaultMaxOverhead+20 {
		t.Errorf("stopped at %d", e.Offset)
	}
}

func TestChunkLimit(t *testing.T) {
	const rule = "a chunk larger than the limit"
	for size, most := range map[string]int64{"0a": 10, "A": 10, "1f": 31, "7fffffffffffffff": 1<<63 - 1} {
		stopped(t, strings.NewReader(size+"\r\n"), Options{MaxChunk: most - 1}, rule)
		_, err := io.ReadAll(NewReader(bufio.NewReader(strings.NewReader(size+"\r\n")), Options{MaxChunk: most}))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s of %d: %v", size, most, err)
		}
	}
	stopped(t, strings.NewReader("8000000000000000\r\n"), Options{MaxChunk: -1}, rule)
	_, err := io.ReadAll(NewReader(bufio.NewReader(strings.NewReader("7fffffffffffffff\r\n")), Options{MaxChunk: -1}))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("no bound: %v", err)
	}
}

func TestTrailerCountLimit(t *testing.T) {
	body := func(n int) io.Reader { return strings.NewReader("0\r\n" + strings.Repeat("a:b\r\n", n) + "\r\n") }
	const rule = "more trailer fields than the limit"
	passes(t, body(DefaultMaxTrailers), Options{})
	stopped(t, body(DefaultMaxTrailers+1), Options{}, rule)
	passes(t, body(2), Options{MaxTrailers: 2})
	stopped(t, body(3), Options{MaxTrailers: 2}, rule)
	passes(t, body(DefaultMaxTrailers+1), Options{MaxTrailers: -1})
}

func TestTrailerBytesLimit(t *testing.T) {
	body := func(n int) io.Reader { return strings.NewReader("0\r\na:" + strings.Repeat("b", n-4) + "\r\n\r\n") }
	const rule = "a trailer section longer than the limit"
	passes(t, body(DefaultMaxTrailerBytes), Options{})
	stopped(t, body(DefaultMaxTrailerBytes+1), Options{}, rule)
	stopped(t, strings.NewReader("0\r\n"+strings.Repeat("a", 1<<20)), Options{}, rule)
	stopped(t, strings.NewReader("0\r\na:b"+strings.Repeat("\r\n b", 1<<20)), Options{}, rule) // folds count
	passes(t, body(10), Options{MaxTrailerBytes: 10})
	stopped(t, body(11), Options{MaxTrailerBytes: 10}, rule)
	passes(t, body(DefaultMaxTrailerBytes+1), Options{MaxTrailerBytes: -1})
}

// A chunk of any announced size costs the memory of the buffer alone.
func TestNothingIsAllocatedOnThePeersSayso(t *testing.T) {
	src := bytes.NewReader([]byte("10000000000\r\nx"))
	br := bufio.NewReader(src)
	p := make([]byte, 10)
	allocs := testing.AllocsPerRun(10, func() {
		src.Seek(0, io.SeekStart)
		br.Reset(src)
		if n, err := NewReader(br, Options{}).Read(p); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	})
	if allocs > 1 {
		t.Errorf("%v allocations", allocs)
	}
}
