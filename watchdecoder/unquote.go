package watchdecoder

import (
	"unicode/utf16"
	"unicode/utf8"
)

// appendUnquoted appends what the text between the quotes of a JSON string stands for, as encoding/json decodes it: invalid
// UTF-8 and lone surrogates become U+FFFD. It is false for text that no JSON string has (RFC 8259 section 7).
func appendUnquoted(dst, text []byte) ([]byte, bool) {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\\':
			r, size := escape(text[i:])
			if size == 0 {
				return dst, false
			}
			dst = utf8.AppendRune(dst, r)
			i += size
		case c < ' ' || c == '"':
			return dst, false
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, size := utf8.DecodeRune(text[i:])
			dst = utf8.AppendRune(dst, r)
			i += size
		}
	}
	return dst, true
}

// escape decodes the escape at the beginning of text, a pair of surrogates as one. Its size is 0 if it is none.
func escape(text []byte) (r rune, size int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch c := text[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	}
	r, ok := unicodeEscape(text)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		second, _ := unicodeEscape(text[6:])
		if pair := utf16.DecodeRune(r, second); pair != utf8.RuneError {
			return pair, 12
		}
		return utf8.RuneError, 6
	}
	return r, 6
}

// unicodeEscape decodes the \uXXXX at the beginning of text.
func unicodeEscape(text []byte) (r rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, c := range text[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// appendQuoted appends text, which is valid UTF-8, as a JSON string.
func appendQuoted(dst, text []byte) []byte {
	dst = append(dst, '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', '0'+c>>4, "0123456789abcdef"[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
