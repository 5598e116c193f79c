package chunked

import "bytes"

// trailerState is what a trailer section may go on with.
type trailerState uint8

const (
	fieldStart      trailerState = iota // a field, or the CRLF that ends the body
	fieldName                           // more of a name, or the colon
	fieldContent                        // the value
	fieldLF                             // after a field's CR
	foldOrField                         // after a field's CRLF: as fieldStart, or the field goes on
	finalLF                             // after the CR that ends the body
	trailerComplete                     // after CRLF
)

// maxForbidden is longer than every name that is forbidden as a trailer field.
const maxForbidden = 32

// trailerSection reads *( field-line CRLF ) CRLF and drops the fields: nothing in a response of the Kubernetes API waits for its end, and what is
// not kept cannot be mistaken for a header (RFC 9112 section 7.1.2). The zero value is ready.
type trailerSection struct {
	state   trailerState
	length  int // bytes of complete and begun fields
	fields  int
	name    [maxForbidden]byte // in lower case, as far as it fits
	nameLen int
}

// step takes the next byte. It returns the rule that the byte breaks, or nil.
func (t *trailerSection) step(c byte, o *Options) *rule {
	next, broken := t.next(c)
	if broken != nil {
		return broken
	}
	if next != finalLF && next != trailerComplete {
		if t.length++; t.length > o.MaxTrailerBytes {
			return &rule{"a trailer section longer than the limit", limits}
		}
	}
	if next == fieldName && t.state != fieldName {
		t.nameLen = 0
		if t.fields++; t.fields > o.MaxTrailers {
			return &rule{"more trailer fields than the limit", limits}
		}
	}
	if next == fieldName {
		t.keep(c)
	}
	t.state = next
	return nil
}

func (t *trailerSection) next(c byte) (trailerState, *rule) {
	if c == '\n' && t.state != fieldLF && t.state != finalLF {
		return 0, &rule{"a line of the trailer section ends with LF alone", trailers}
	}
	switch t.state {
	case fieldStart, foldOrField:
		return t.nextOfStart(c)
	case fieldName:
		return t.nextOfName(c)
	case fieldContent:
		switch {
		case c == '\r':
			return fieldLF, nil
		case !isTextByte(c):
			return 0, &rule{"a control in a trailer field", fieldValue}
		}
		return fieldContent, nil
	case fieldLF, finalLF:
		if c != '\n' {
			return 0, &rule{"CR without LF in the trailer section", trailers}
		}
		if t.state == finalLF {
			return trailerComplete, nil
		}
	}
	return foldOrField, nil
}

func (t *trailerSection) nextOfStart(c byte) (trailerState, *rule) {
	switch {
	case c == '\r':
		return finalLF, nil
	case isTokenByte(c):
		return fieldName, nil
	case (c == ' ' || c == '\t') && t.state == foldOrField:
		return fieldContent, nil // obs-fold, which a user agent reads as blanks (RFC 9112 section 5.2)
	}
	return 0, &rule{"a trailer field begins with a name", fieldLines}
}

func (t *trailerSection) nextOfName(c byte) (trailerState, *rule) {
	switch {
	case c == ':' && isForbidden(t.name[:t.nameLen]):
		return 0, &rule{"a field that must not be a trailer field", forbidden}
	case c == ':':
		return fieldContent, nil
	case isTokenByte(c):
		return fieldName, nil
	}
	return 0, &rule{"a trailer field's name is a token and a colon follows it", fieldLines}
}

// keep remembers a byte of a name. A name that does not fit keeps its beginning: none that is forbidden is as long.
func (t *trailerSection) keep(c byte) {
	if t.nameLen < len(t.name) {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		t.name[t.nameLen] = c
		t.nameLen++
	}
}

// isForbidden reports fields that have to be known before the content: framing, routing, authentication, request modifiers, response control and
// the content's form (RFC 9110 section 6.5.1). We drop trailers, but somebody between the server and us may not have. The content's digest
// can only be known after it (RFC 9530 section 2).
func isForbidden(name []byte) bool {
	switch string(name) {
	case "transfer-encoding", "connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade",
		"host",
		"authorization", "cookie", "proxy-authenticate", "proxy-authorization", "set-cookie", "www-authenticate",
		"cache-control", "expect", "max-forwards", "pragma", "range",
		"if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
		"age", "date", "expires", "location", "retry-after", "vary", "warning":
		return true
	case "content-digest":
		return false
	}
	return bytes.HasPrefix(name, []byte("content-"))
}

// place says how much of the trailer section is there.
func (t *trailerSection) place() string {
	if t.length == 0 {
		return "before the CRLF that ends it"
	}
	return "within the trailer section"
}
