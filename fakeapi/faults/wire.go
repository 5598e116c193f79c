package faults

import (
	"bytes"
	"strconv"
)

// phase is what part of an HTTP/1.1 response a byte belongs to.
type phase uint8

const (
	anywhere  phase = iota
	inHead          // status line, header, empty line
	inSize          // a chunk's size line
	inData          // a chunk's data, or a counted body
	inDataEnd       // the CRLF after a chunk's data
	inLast          // the size line of the last chunk
	inEnd           // the CRLF that ends the body
	beyond          // after the answer
)

// place is a point in an answer: before the offset-th byte of the nth part of a
// phase.
type place struct {
	phase  phase
	nth    int
	offset int64
}

// tracker follows one answer, byte by byte. It knows what net/http's server
// writes; a connection under TLS has one phase, anywhere.
type tracker struct {
	phase  phase
	count  [beyond + 1]int // how many parts of each phase have begun
	inside int64           // bytes of this part so far
	total  int64
	line   []byte // of the head or of a size
	head   bool
	left   int64 // of data
	chunks bool
}

// at says whether the next byte is the one before which p is.
func (t *tracker) at(p place, next byte) bool {
	if p.phase == anywhere {
		return t.total == p.offset
	}
	if t.phase == inSize && t.inside == 0 && next == '0' {
		return p == place{inLast, 0, 0}
	}
	return t.phase == p.phase && t.count[t.phase] == p.nth+1 && t.inside == p.offset
}

// step takes the next byte.
func (t *tracker) step(b byte) {
	if !t.head {
		t.head = true
		t.enter(inHead)
	}
	if t.phase == inSize && t.inside == 0 && b == '0' {
		t.phase, t.count[inLast] = inLast, t.count[inLast]+1
	}
	t.total++
	t.inside++
	switch t.phase {
	case inHead:
		if t.line = append(t.line, b); bytes.HasSuffix(t.line, []byte("\r\n\r\n")) {
			t.afterHead()
		}
	case inSize:
		if t.line = append(t.line, b); b == '\n' {
			t.left, _ = strconv.ParseInt(string(bytes.TrimSpace(t.line)), 16, 63)
			t.enter(inData)
		}
	case inData:
		if t.left--; t.left == 0 {
			t.enter(after(t.chunks))
		}
	case inDataEnd:
		if b == '\n' {
			t.enter(inSize)
		}
	case inLast:
		if b == '\n' {
			t.enter(inEnd)
		}
	case inEnd:
		if b == '\n' {
			t.enter(beyond)
		}
	}
}

func after(chunks bool) phase {
	if chunks {
		return inDataEnd
	}
	return beyond
}

func (t *tracker) afterHead() {
	head := bytes.ToLower(t.line)
	t.chunks = bytes.Contains(head, []byte("transfer-encoding: chunked"))
	if t.chunks {
		t.enter(inSize)
		return
	}
	_, length, counted := bytes.Cut(head, []byte("content-length: "))
	length, _, _ = bytes.Cut(length, []byte("\r\n"))
	if t.left, _ = strconv.ParseInt(string(length), 10, 63); counted && t.left > 0 {
		t.enter(inData)
		return
	}
	t.enter(beyond)
}

func (t *tracker) enter(p phase) {
	t.phase, t.inside, t.line = p, 0, t.line[:0]
	t.count[p]++
}
