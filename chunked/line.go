package chunked

// lineState is what a chunk's line may go on with.
type lineState uint8

const (
	sizeStart    lineState = iota // the first digit
	size                          // more digits, or what follows a size
	blanks                        // BWS that must be followed by a semicolon
	nameStart                     // after a semicolon: BWS or a name
	name                          // more of a name, or what follows it
	nameBlanks                    // the same after a name, where an equals sign will do too
	valueStart                    // after an equals sign: BWS or a value
	value                         // more of a token
	quoted                        // within a quoted string
	escaped                       // after a backslash in one
	quotedEnd                     // after the closing quote
	lineLF                        // after CR
	lineComplete                  // after CRLF
)

// maxDigits bounds a size with its leading zeros, of which the grammar allows any number.
const maxDigits = 16

// chunkLine reads one line: chunk-size [ chunk-ext ] CRLF. The zero value is ready.
type chunkLine struct {
	state     lineState
	digits    int
	size      int64
	length    int64 // bytes of the line so far
	extension int64 // bytes of it that are extension
}

// step takes the next byte. It returns the rule that the byte breaks, or nil.
func (l *chunkLine) step(c byte, maxChunk int64) *rule {
	next, broken := l.next(c, maxChunk)
	if broken != nil {
		return broken
	}
	l.length++
	l.state = next
	if l.inExtension() {
		l.extension++
	}
	return nil
}

// inExtension reports whether the last byte was one of the extension.
func (l *chunkLine) inExtension() bool { return l.state > size && l.state < lineLF }

// next is the grammar of RFC 9112 sections 7.1 and 7.1.1. CRLF ends the line wherever quotes are: bytes of a line are never data of another parser.
func (l *chunkLine) next(c byte, maxChunk int64) (lineState, *rule) {
	if c == '\n' && l.state != lineLF {
		return 0, &rule{"a chunk's line ends with LF alone", framing} // as errata 7633, rejected, would have allowed (CVE-2025-22871)
	}
	switch l.state {
	case sizeStart, size:
		return l.nextOfSize(c, maxChunk)
	case lineLF:
		if c != '\n' {
			return 0, &rule{"CR without LF in a chunk's line", framing}
		}
		return lineComplete, nil
	case quoted, escaped:
		return nextOfQuoted(l.state, c)
	}
	return nextOfExtension(l.state, c)
}

func (l *chunkLine) nextOfSize(c byte, maxChunk int64) (lineState, *rule) {
	if digit := hexDigit(c); digit >= 0 {
		if l.digits++; l.digits > maxDigits {
			return 0, &rule{"a chunk size of more than 16 digits", limits}
		}
		if l.size > maxChunk>>4 || l.size<<4 > maxChunk-digit {
			return 0, &rule{"a chunk larger than the limit", limits}
		}
		l.size = l.size<<4 | digit
		return size, nil
	}
	if l.state == sizeStart {
		return 0, &rule{"a chunk size begins with a hexadecimal digit", framing}
	}
	switch c {
	case '\r':
		return lineLF, nil
	case ';':
		return nameStart, nil
	case ' ', '\t':
		return blanks, nil
	}
	return 0, &rule{"a chunk size is followed by CRLF or an extension", framing}
}

// nextOfExtension is chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] ).
func nextOfExtension(state lineState, c byte) (lineState, *rule) {
	itemOver := state == name || state == value || state == quotedEnd
	switch {
	case c == ' ' || c == '\t':
		return blanksIn(state), nil
	case c == ';' && (itemOver || state == blanks || state == nameBlanks):
		return nameStart, nil
	case c == '=' && (state == name || state == nameBlanks):
		return valueStart, nil
	case c == '"' && state == valueStart:
		return quoted, nil
	case c == '\r' && itemOver:
		return lineLF, nil
	case isTokenByte(c) && (state == nameStart || state == name):
		return name, nil
	case isTokenByte(c) && (state == valueStart || state == value):
		return value, nil
	}
	return 0, &rule{expected(state), extensions}
}

// blanksIn is what BWS leads to: the grammar has it before and after ";" and "=", so something must follow it.
func blanksIn(state lineState) lineState {
	switch state {
	case nameStart, valueStart:
		return state
	case name, nameBlanks:
		return nameBlanks
	}
	return blanks
}

func expected(state lineState) string {
	switch state {
	case nameStart:
		return "a semicolon is followed by the name of an extension"
	case valueStart:
		return "an equals sign is followed by a token or a quoted string"
	case blanks, nameBlanks:
		return "blanks are followed by another extension"
	case quotedEnd:
		return "a quoted string is followed by CRLF or another extension"
	}
	return "an extension is made of tokens"
}

// nextOfQuoted is quoted-string (RFC 9110 section 5.6.4).
func nextOfQuoted(state lineState, c byte) (lineState, *rule) {
	switch {
	case c == '\r':
		return 0, &rule{"a quoted string that does not end before its line", extensions}
	case !isTextByte(c):
		return 0, &rule{"a control in a quoted string", extensions}
	case state == escaped:
		return quoted, nil
	case c == '\\':
		return escaped, nil
	case c == '"':
		return quotedEnd, nil
	}
	return quoted, nil
}

// place says how much of the line is there.
func (l *chunkLine) place() string {
	if l.length == 0 {
		return "before a chunk"
	}
	return "within a chunk's line"
}

func hexDigit(c byte) int64 {
	switch {
	case '0' <= c && c <= '9':
		return int64(c - '0')
	case 'a' <= c && c <= 'f':
		return int64(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int64(c-'A') + 10
	}
	return -1
}

// isTokenByte is tchar (RFC 9110 section 5.6.2).
func isTokenByte(c byte) bool {
	switch c {
	case '!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~':
		return true
	}
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// isTextByte is HTAB, SP, VCHAR or obs-text: what field values and quoted strings hold (RFC 9110 sections 5.5 and 5.6.4).
func isTextByte(c byte) bool { return c >= ' ' && c != 0x7f || c == '\t' }
