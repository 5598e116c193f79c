package rest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"golang.org/x/net/http/httpguts"
)

// Limits of a response head, and their defaults (RFC 9110 17.5: a recipient bounds what it parses). An API server's head is under 2 KiB.
const (
	defaultMaxHeadBytes  = 64 << 10
	defaultMaxHeadFields = 256
)

// responseHead is a status line and its fields.
type responseHead struct {
	minor      int // of HTTP/1.minor: 0 or 1
	code       int // 100..999
	statusLine string
	header     Header
	at         []int64 // offset of each field's line
}

// offsetOf returns where the last field of a name begins.
func (h *responseHead) offsetOf(name string) (offset int64) {
	for i := range h.header {
		if i < len(h.at) && equalFold(h.header[i].Name, name) {
			offset = h.at[i]
		}
	}
	return offset
}

// headParser reads one response head after the other. It accepts less than the RFC lets a lenient reader accept; each refusal names its section.
type headParser struct {
	br        *bufio.Reader
	maxBytes  int // negative: no limit
	maxFields int

	offset int64  // bytes consumed of this head
	start  int64  // offset of the current line
	long   []byte // holds a line that crosses the reader's buffer
}

// read parses one head. It consumes nothing past the empty line, and nothing at all is known of a head that was cut (RFC 9112 8).
func (p *headParser) read() (*responseHead, error) {
	p.offset, p.start = 0, 0
	if err := p.checkStart(); err != nil {
		return nil, err
	}
	line, err := p.line()
	if err != nil {
		return nil, err
	}
	h := &responseHead{header: make(Header, 0, 16)}
	if err := p.parseStatusLine(h, line); err != nil {
		return nil, err
	}
	for lines := 0; ; lines++ {
		line, err := p.line()
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			return h, nil
		}
		if p.maxFields >= 0 && lines == p.maxFields {
			return nil, p.broken(p.start, "RFC 9110 17.5", fmt.Sprintf("more than %d field lines", p.maxFields))
		}
		if err := p.parseField(h, line); err != nil {
			return nil, err
		}
	}
}

// line returns the next line without its CRLF, valid until the next call.
func (p *headParser) line() ([]byte, error) {
	p.start = p.offset
	p.long = p.long[:0]
	for {
		part, err := p.br.ReadSlice('\n')
		p.offset += int64(len(part))
		if p.maxBytes >= 0 && p.offset > int64(p.maxBytes) {
			return nil, p.broken(int64(p.maxBytes), "RFC 9110 17.5", fmt.Sprintf("the head is longer than %d bytes", p.maxBytes))
		}
		switch {
		case err == nil && len(p.long) == 0:
			return p.checkLine(part)
		case err == nil:
			p.long = append(p.long, part...)
			return p.checkLine(p.long)
		case errors.Is(err, bufio.ErrBufferFull):
			p.long = append(p.long, part...)
		default:
			return nil, p.cut(err)
		}
	}
}

// checkLine holds a line to CRLF (RFC 9112 2.2). The RFC lets a recipient end a line at a bare LF; two readers that differ here see two messages.
func (p *headParser) checkLine(line []byte) ([]byte, error) {
	end := len(line) - 1
	if end == 0 || line[end-1] != '\r' {
		return nil, p.broken(p.start+int64(end), "RFC 9112 2.2", "a line ends in a bare LF")
	}
	line = line[:end-1]
	if i := bytes.IndexByte(line, '\r'); i >= 0 {
		return nil, p.broken(p.start+int64(i), "RFC 9112 2.2", "a bare CR in a line")
	}
	return line, nil
}

// parseField parses one field line, or the continuation of the one before it (RFC 9112 5).
func (p *headParser) parseField(h *responseHead, line []byte) error {
	if line[0] == ' ' || line[0] == '\t' {
		return p.parseFold(h, line)
	}
	colon := bytes.IndexByte(line, ':')
	if colon < 0 {
		return p.broken(p.start, "RFC 9112 5", "a field line without a colon, "+quoteBytes(line))
	}
	name := line[:colon]
	switch {
	case colon == 0:
		return p.broken(p.start, "RFC 9110 5.1", "a field without a name")
	case name[colon-1] == ' ' || name[colon-1] == '\t':
		return p.broken(p.start+int64(colon)-1, "RFC 9112 5.1", "white space before the colon of "+quoteBytes(name))
	case !httpguts.ValidHeaderFieldName(string(name)):
		return p.broken(p.start, "RFC 9110 5.1", "a field name that is no token, "+quoteBytes(name))
	}
	value, err := p.value(line[colon+1:], colon+1)
	if err != nil {
		return err
	}
	h.header = append(h.header, Field{Name: string(name), Value: value})
	h.at = append(h.at, p.start)
	return nil
}

// parseFold joins a folded line to the field before it with one space, which a user agent MUST do (RFC 9112 5.2) - except where the field
// decides how the message is read: there a reader that does not join would see another message, so it is refused.
func (p *headParser) parseFold(h *responseHead, line []byte) error {
	if len(h.header) == 0 {
		return p.broken(p.start, "RFC 9112 2.2", "white space before the first field")
	}
	last := &h.header[len(h.header)-1]
	if decidesFraming(last.Name) {
		return p.broken(p.start, "RFC 9112 5.2", "a folded "+quote(last.Name)+" field")
	}
	value, err := p.value(line, 0)
	if err != nil {
		return err
	}
	last.Value = trimOWS(last.Value + " " + value)
	return nil
}

// value checks and trims a field value (RFC 9110 5.5): HTAB, SP, visible characters and opaque bytes from 0x80.
func (p *headParser) value(raw []byte, at int) (string, error) {
	for i, b := range raw {
		if (b < ' ' && b != '\t') || b == 0x7f {
			return "", p.broken(p.start+int64(at+i), "RFC 9110 5.5", fmt.Sprintf("control character %#02x in a field value", b))
		}
	}
	return string(bytes.Trim(raw, " \t")), nil
}

// decidesFraming names the fields that say how the bytes after the head are read.
func decidesFraming(name string) bool {
	for _, n := range [...]string{"Content-Length", "Transfer-Encoding", "Connection", "Content-Encoding", "Content-Type"} {
		if equalFold(name, n) {
			return true
		}
	}
	return false
}

// broken is a head that breaks a rule.
//
//go:noinline // it is an error
func (p *headParser) broken(offset int64, section, rule string) error {
	return &Error{Phase: PhaseHead, Rule: rule, Section: section, Offset: offset, protocol: true}
}

// cut is a head that ended before its empty line, or could not be read on.
func (p *headParser) cut(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return &Error{Phase: PhaseHead, Offset: p.offset, Err: err}
}
