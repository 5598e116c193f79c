package chunked

import (
	"bufio"
	"errors"
	"io"
)

// Reader decodes one body. It is for one goroutine at a time.
type Reader struct {
	br    *bufio.Reader
	o     Options
	phase phase
	line  chunkLine
	tail  trailerSection

	left      int64  // of the current chunk's data
	wire      int64  // bytes of the body consumed
	content   int64  // bytes of content in complete and begun chunks
	extension int64  // bytes of extensions in complete lines
	overhead  int64  // bytes of framing that nothing has paid for yet
	extBytes  []byte // the current line's extension, kept for OnChunk alone
	err       error  // final
}

// phase is the part of the body that the next byte belongs to.
type phase uint8

const (
	inLine phase = iota
	inData
	dataCR // CRLF after a chunk's data
	dataLF
	inTrailer
	complete
)

// NewReader returns a Reader of the body that begins at br's next byte. It reads from br alone, and from nothing past the body's end.
// The Reader holds no more than br's buffer; a line need not fit there.
func NewReader(br *bufio.Reader, o Options) *Reader {
	return &Reader{br: br, o: o.resolved()}
}

// Complete reports that the body was read to the CRLF that ends it: br's next byte belongs to what follows. It may be so before Read returns io.EOF.
func (r *Reader) Complete() bool { return r.phase == complete }

// Read returns content as soon as any is there: with content in hand it goes on only as far as br's buffer goes, and never waits for the next chunk.
// It allocates nothing. At the end of a complete body it returns io.EOF; a body that breaks the coding or is cut is an *Error; what else
// the connection fails with is returned as it is. All errors are final, and come after the content before them.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n := 0
	for r.err == nil && (n == 0 || r.br.Buffered() > 0) {
		if r.phase != inData {
			r.readFraming()
			continue
		}
		if n == len(p) {
			break
		}
		n += r.readData(p[n:])
	}
	if n > 0 {
		return n, nil
	}
	return 0, r.err
}

func (r *Reader) readData(p []byte) int {
	n, err := r.br.Read(p[:min(int64(len(p)), r.left)])
	r.wire += int64(n)
	r.left -= int64(n)
	if r.left == 0 {
		r.phase = dataCR
	}
	if n == 0 && err == nil {
		_, err = r.br.Peek(1) // which does not ask a reader that gives nothing for ever
	}
	if err != nil {
		r.fail(err)
	}
	return n
}

// readFraming goes on to the next data, as far as what is buffered goes; it waits only if nothing is.
func (r *Reader) readFraming() {
	if r.br.Buffered() == 0 {
		if _, err := r.br.Peek(1); err != nil {
			r.fail(err)
			return
		}
	}
	buffered, _ := r.br.Peek(r.br.Buffered())
	used := r.plainFraming(buffered)
	for used < len(buffered) && r.phase != inData && r.phase != complete {
		c := buffered[used]
		if broken := r.step(c); broken != nil {
			r.breach(broken, c)
			break
		}
		used++
		r.wire++
	}
	r.br.Discard(used)
	if r.phase == complete {
		r.err = io.EOF
	}
}

// step takes the next byte of framing. It returns the rule that the byte breaks, or nil.
func (r *Reader) step(c byte) *rule {
	switch r.phase {
	case inLine:
		return r.stepLine(c)
	case dataCR:
		if c != '\r' {
			return &rule{"a chunk's data is followed by CRLF", framing}
		}
		r.phase = dataLF
	case dataLF:
		if c != '\n' {
			return &rule{"a chunk's data is followed by CRLF", framing}
		}
		r.phase, r.line = inLine, chunkLine{}
	case inTrailer:
		if broken := r.tail.step(c, &r.o); broken != nil {
			return broken
		}
		if r.tail.state == trailerComplete {
			r.phase = complete
		}
	}
	return nil
}

func (r *Reader) stepLine(c byte) *rule {
	l := &r.line
	if broken := l.step(c, r.o.MaxChunk); broken != nil {
		return broken
	}
	switch {
	case l.length > int64(r.o.MaxLine):
		return &rule{"a chunk's line longer than the limit", limits}
	case r.extension+l.extension > int64(r.o.MaxExtension):
		return &rule{"more extensions than the limit", limits}
	case r.unpaid() > int64(r.o.MaxOverhead):
		return &rule{"much more framing than content", limits}
	}
	if r.o.OnChunk != nil && l.inExtension() {
		r.extBytes = append(r.extBytes, c)
	}
	if l.state == lineComplete {
		r.beginChunk(r.wire + 1 - l.length)
	}
	return nil
}

// unpaid is the overhead if the current line ended here; see DefaultMaxOverhead.
func (r *Reader) unpaid() int64 {
	return r.overhead + r.line.length + dataCRLF - freePerChunk - r.line.size
}

// beginChunk takes over a complete line that began at an offset of the wire.
func (r *Reader) beginChunk(at int64) {
	l := &r.line
	r.overhead = max(0, r.unpaid())
	r.extension += l.extension
	if r.o.OnChunk != nil {
		r.o.OnChunk(Chunk{Offset: r.content, WireOffset: at, Size: l.size, Extension: r.extBytes})
		r.extBytes = r.extBytes[:0]
	}
	r.content += l.size
	r.left = l.size
	r.phase = inData
	if l.size == 0 {
		r.phase = inTrailer
	}
}

// breach ends the body at a byte that breaks a rule.
func (r *Reader) breach(broken *rule, found byte) {
	e := &Error{Offset: r.wire, Rule: broken.text, Section: broken.section, Found: int(found)}
	if broken.section == limits || broken.section == forbidden { // a whole, not a byte
		e.Found = -1
	}
	r.err = e
}

// fail ends the body because nothing more can be read.
func (r *Reader) fail(err error) {
	switch {
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	case !errors.Is(err, io.ErrUnexpectedEOF): // which crypto/tls says when close_notify is missing
		r.err = err
		return
	}
	r.err = &Error{Offset: r.wire, Rule: "cut " + r.place(), Section: "RFC 9112 8", Found: -1, Err: err}
}

// place says where the body is.
func (r *Reader) place() string {
	switch r.phase {
	case inLine:
		return r.line.place()
	case inData:
		return "within a chunk's data"
	case inTrailer:
		return r.tail.place()
	}
	return "before the CRLF after a chunk's data"
}
