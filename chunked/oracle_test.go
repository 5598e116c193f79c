package chunked

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http/httputil"
	"net/textproto"
	"strings"
	"testing"
)

// netHTTP decodes a body as net/http does: its chunked reader, then its parser of trailers.
func netHTTP(wire []byte) (content []byte, consumed int, err error) {
	src := bytes.NewReader(wire)
	br := bufio.NewReaderSize(src, 64<<10)
	content, err = io.ReadAll(httputil.NewChunkedReader(br))
	if err == nil {
		_, err = textproto.NewReader(br).ReadMIMEHeader()
	}
	return content, len(wire) - src.Len() - br.Buffered(), err
}

// ours decodes a body, and says what its wire form is without the blanks that may stand before an extension: net/http refuses them.
func ours(wire []byte, buffer int) (content []byte, consumed int, plain []byte, err error) {
	src := bytes.NewReader(wire)
	br := bufio.NewReaderSize(src, buffer)
	from := 0
	content, err = io.ReadAll(NewReader(br, Options{OnChunk: func(c Chunk) {
		blanks := len(c.Extension) - len(bytes.TrimLeft(c.Extension, " \t"))
		at := int(c.WireOffset)
		at += bytes.IndexByte(wire[at:], '\r') - len(c.Extension) // the line has one CR
		plain = append(plain, wire[from:at]...)
		from = at + blanks
	}}))
	return content, len(wire) - src.Len() - br.Buffered(), append(plain, wire[from:]...), err
}

// agree holds a body against net/http: what we accept it accepts, with the same content and the same end, and where it accepts what we do not, the reason is one
// of our own strictness.
func agree(t *testing.T, wire []byte) {
	t.Helper()
	content, consumed, plain, err := ours(wire, 4096)
	if err == nil {
		theirs, end, theirErr := netHTTP(plain)
		if theirErr != nil || !bytes.Equal(content, theirs) || consumed-(len(wire)-len(plain)) != end {
			t.Fatalf("%q: we read %q in %d bytes; net/http %q in %d, %v", wire, content, consumed, theirs, end, theirErr)
		}
		return
	}
	if _, _, theirErr := netHTTP(wire); theirErr == nil {
		if e := new(Error); !errors.As(err, &e) || e.Section == framing || errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%q: net/http accepts it, we refuse it: %v", wire, err)
		}
	}
}

func TestVectorsAgreeWithNetHTTP(t *testing.T) {
	for _, v := range vectors {
		agree(t, []byte(v.followed()))
	}
}

// Every body made of a few bytes that mean something.
func TestShortBodiesAgreeWithNetHTTP(t *testing.T) {
	const alphabet = "01;a=\" \r\n:"
	const length = 4
	wire := make([]byte, length)
	for i, count := 0, pow(len(alphabet), length); i < count; i++ {
		for j, rest := 0, i; j < length; j, rest = j+1, rest/len(alphabet) {
			wire[j] = alphabet[rest%len(alphabet)]
		}
		agree(t, wire)
		agree(t, append(append([]byte("1"), wire...), "x\r\n0\r\n\r\n"...))
		agree(t, append(append([]byte("0\r\n"), wire...), "\r\n\r\n"...))
	}
}

func pow(n, e int) int {
	p := 1
	for range e {
		p *= n
	}
	return p
}

// What net/http writes, we read.
func TestBodiesOfNetHTTPAreRead(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var wire, want bytes.Buffer
		w := httputil.NewChunkedWriter(&wire)
		for range random.IntN(20) {
			part := make([]byte, random.IntN(1<<random.IntN(14)))
			for i := range part {
				part[i] = byte(random.Uint32())
			}
			want.Write(part)
			w.Write(part)
		}
		w.Close()
		wire.WriteString("\r\n")
		for _, size := range bufferSizes {
			r := NewReader(bufio.NewReaderSize(bytes.NewReader(wire.Bytes()), size), Options{})
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want.Bytes()) {
				t.Fatalf("%d bytes of %d, %v", len(got), want.Len(), err)
			}
		}
	}
}

// Where we differ from net/http on purpose: each line is a choice.
func TestDifferencesFromNetHTTP(t *testing.T) {
	for _, c := range []struct {
		name, wire     string
		we, theyAccept bool
	}{
		{"blanks before an extension are BWS of the grammar", "1 ;a\r\nx\r\n0\r\n\r\n", true, false},
		{"blanks after a size are not in the grammar", "1 \r\nx\r\n0\r\n\r\n", false, true},
		{"an extension has a name", "1;\r\nx\r\n0\r\n\r\n", false, true},
		{"an extension is made of tokens", "1;a=b c\r\nx\r\n0\r\n\r\n", false, true},
		{"a quoted string ends before its line", "1;a=\"b\r\nx\r\n0\r\n\r\n", false, true},
		{"a line has no NUL", "1;a\x00\r\nx\r\n0\r\n\r\n", false, true},
		{"the last line ends with CRLF", "0\r\n\n", false, true},
		{"a trailer line ends with CRLF", "0\r\nA: b\n\r\n", false, true},
		{"framing fields are no trailers", "0\r\nTransfer-Encoding: chunked\r\n\r\n", false, true},
		{"a name ends at the colon", "0\r\nA : b\r\n\r\n", false, true},
		{"a line has 4 KiB with its CRLF", "1;" + strings.Repeat("e", 4093) + "\r\nx\r\n0\r\n\r\n", false, true},
		{"extensions share 16 KiB", strings.Repeat("400;"+strings.Repeat("e", 1024)+"\r\n"+strings.Repeat("x", 1024)+"\r\n", 17) + end, false, true},
		{"framing is paid by its content, once", strings.Repeat("0000000000001;a\r\nx\r\n", 5000) + end, false, true},
		{"trailers have 64 fields", "0\r\n" + strings.Repeat("a:b\r\n", 65) + "\r\n", false, true},
	} {
		_, _, _, err := ours([]byte(c.wire), 4096)
		_, _, theirErr := netHTTP([]byte(c.wire))
		if (err == nil) != c.we || (theirErr == nil) != c.theyAccept {
			t.Errorf("%s: we say %v, net/http says %v", c.name, err, theirErr)
		}
	}
}
