package rest

import (
	"fmt"
)

const versionStart = "HTTP/1."

// checkStart looks at the first bytes one by one, before a whole line is there: a peer that speaks another protocol may never send a line end.
func (p *headParser) checkStart() error {
	for i := range len(versionStart) {
		seen, err := p.br.Peek(i + 1)
		if len(seen) <= i {
			p.offset = int64(len(seen))
			return p.cut(err)
		}
		if seen[i] != versionStart[i] {
			return p.foreign(i)
		}
	}
	return nil
}

// foreign explains a first line that differs from HTTP/1. at byte i.
func (p *headParser) foreign(i int) error {
	seen, _ := p.br.Peek(max(i+1, min(p.br.Buffered(), 24)))
	if seen[0] == 0 {
		seen, _ = p.br.Peek(9) // an HTTP/2 frame head, and every HTTP/2 server begins with one
	}
	e := &Error{Phase: PhaseHead, Offset: int64(i), Section: "RFC 9112 4", protocol: true}
	switch {
	case len(seen) >= 9 && seen[3] == 4 && seen[4]&^1 == 0 && seen[5]|seen[6]|seen[7]|seen[8] == 0:
		e.Rule, e.Section = "the server answered with an HTTP/2 SETTINGS frame", "RFC 9113 3.4"
		e.hint = hintOnlyHTTP2
	case i >= len("HTTP/"):
		e.Rule, e.Section = "an HTTP version other than 1.0 and 1.1, "+quoteBytes(seen), "RFC 9112 2.3"
	case seen[0] == 0x15 || seen[0] == 0x16:
		e.Rule = "the server answered with a TLS record"
		e.hint = hintUseHTTPS
	case seen[0] == '\r' || seen[0] == '\n':
		e.Rule, e.Section = "an empty line before the status line", "RFC 9112 2.2"
	default:
		e.Rule = "the answer is no HTTP/1.x, it begins with " + quoteBytes(seen)
		e.hint = hintNotHTTP
	}
	return e
}

// parseStatusLine parses HTTP-version SP 3DIGIT SP [ reason ] (RFC 9112 4). The second space may be missing with the reason: every client takes that.
// Codes from 600 are passed on, to be treated as a server error (RFC 9110 15).
func (p *headParser) parseStatusLine(h *responseHead, line []byte) error {
	const code = len("HTTP/1.1 ")
	rest := line[len(versionStart):]
	if len(rest) == 0 || (rest[0] != '0' && rest[0] != '1') || (len(rest) > 1 && rest[1] != ' ') {
		return p.broken(int64(len(versionStart)), "RFC 9112 2.3", "an HTTP version other than 1.0 and 1.1, "+quoteBytes(line))
	}
	h.minor = int(rest[0] - '0')
	if len(line) < code+3 || !isDigit(line[code]) || !isDigit(line[code+1]) || !isDigit(line[code+2]) {
		return p.broken(int64(min(len(line), code)), "RFC 9112 4", "a status code of other than three digits after one space, "+quoteBytes(line))
	}
	if len(line) > code+3 && line[code+3] != ' ' {
		return p.broken(int64(code+3), "RFC 9112 4", "a status code of other than three digits after one space, "+quoteBytes(line))
	}
	h.code = int(line[code]-'0')*100 + int(line[code+1]-'0')*10 + int(line[code+2]-'0')
	if h.code < 100 {
		return p.broken(int64(code), "RFC 9110 15", fmt.Sprintf("status code %03d", h.code))
	}
	for i := code + 3; i < len(line); i++ {
		if b := line[i]; (b < ' ' && b != '\t') || b == 0x7f {
			return p.broken(int64(i), "RFC 9112 4", fmt.Sprintf("control character %#02x in the reason phrase", b))
		}
	}
	h.statusLine = string(line)
	return nil
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
