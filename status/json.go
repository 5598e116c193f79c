package status

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// This file is a JSON reader because the one of encoding/json costs an embedded program some 50 KB, and a Status needs little of it.
// What is valid, what a text stands for, which of two equal keys counts and which byte is to blame is as encoding/json has it:
// FuzzJSON holds both against each other.

// maxDepth is the nesting (RFC 8259 section 9) that encoding/json accepts at most. It bounds the stack, too.
const maxDepth = 10000

// jsonValue is valid JSON of one value, without white space around it.
type jsonValue []byte

// fields is a JSON object by exact keys: encoding/json matches the fields of a struct in any case. Of equal keys the last counts.
type fields map[string]jsonValue

// parseJSON finds the one value of b. If b is no JSON the value is nil, and offset says how many bytes had to be read to see
// it: those up to and including the first that cannot stand where it does, or all of them where b is cut.
func parseJSON(b []byte) (v jsonValue, offset int) {
	s := scanner{b: b}
	s.space()
	start := s.i
	if s.value(0, nil) {
		end := s.i
		if s.space(); s.i == len(b) {
			return b[start:end], 0
		}
	}
	return nil, min(s.i+1, len(b))
}

func (v jsonValue) null() bool { return v[0] == 'n' }

// text is what a string stands for, and nothing for null. It is false for any other value, as the methods below are.
func (v jsonValue) text() (string, bool) {
	if v[0] != '"' {
		return "", v.null()
	}
	var text strings.Builder
	for rest := v[1 : len(v)-1]; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest) // of a byte that is no UTF-8: U+FFFD
		if r == '\\' {
			r, size = unescape(rest)
		}
		text.WriteRune(r) // a lone surrogate becomes U+FFFD here
		rest = rest[size:]
	}
	return text.String(), true
}

// unescape reads the valid escape that b begins with (RFC 8259 section 7), two that are a pair of surrogates as one.
func unescape(b []byte) (r rune, size int) {
	if i := strings.IndexByte("bfnrt", b[1]); i >= 0 {
		return rune("\b\f\n\r\t"[i]), 2
	}
	if b[1] != 'u' {
		return rune(b[1]), 2
	}
	r = hex4(b[2:])
	if bytes.HasPrefix(b[6:], []byte(`\u`)) {
		if pair := utf16.DecodeRune(r, hex4(b[8:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return r, 6
}

func hex4(b []byte) rune {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 16) // the scanner has seen the digits
	return rune(n)
}

// integer is a number written as one, and 0 for null. A fraction or an exponent is refused even if the number is whole.
func (v jsonValue) integer() (int32, bool) {
	n, err := strconv.ParseInt(string(v), 10, 32)
	if err != nil {
		return 0, v.null()
	}
	return int32(n), true
}

// object has the members of an object, which share the memory of v. It is nil for null.
func (v jsonValue) object() (fields, bool) {
	if v[0] != '{' {
		return nil, v.null()
	}
	f := fields{}
	s := scanner{b: v}
	s.value(0, func(key, value jsonValue) {
		name, _ := key.text()
		f[name] = value
	})
	return f, true
}

// objects has the elements of an array of objects, a nil one for each that is null. It is nil for null.
func (v jsonValue) objects() (all []fields, ok bool) {
	if v[0] != '[' {
		return nil, v.null()
	}
	ok = true
	s := scanner{b: v}
	s.value(0, func(_, value jsonValue) {
		f, isObject := value.object()
		all, ok = append(all, f), ok && isObject
	})
	return all, ok
}

// scanner reads b from left to right. Where a method returns false, i is the byte to blame, or len(b).
type scanner struct {
	b []byte
	i int
}

// take reads one byte if it is one of set.
func (s *scanner) take(set string) bool {
	if s.i == len(s.b) || strings.IndexByte(set, s.b[s.i]) < 0 {
		return false
	}
	s.i++
	return true
}

func (s *scanner) space() {
	for s.take(" \t\r\n") {
	}
}

// value reads the value that begins here, inside of depth others. It gives each, unless that is nil, the members of an object or,
// without keys, the elements of an array.
func (s *scanner) value(depth int, each func(key, value jsonValue)) bool {
	var c byte
	if s.i < len(s.b) {
		c = s.b[s.i]
	}
	switch c {
	case '{':
		return depth < maxDepth && s.list("}", depth+1, each)
	case '[':
		return depth < maxDepth && s.list("]", depth+1, each)
	case '"':
		return s.text()
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	}
	return s.number() // or nothing that a value begins with
}

// list reads an object or an array (RFC 8259 sections 4 and 5), which end tells apart.
func (s *scanner) list(end string, depth int, each func(key, value jsonValue)) bool {
	s.i++
	if s.space(); s.take(end) {
		return true
	}
	for {
		s.space()
		var key jsonValue
		if end == "}" {
			start := s.i
			if !s.text() {
				return false
			}
			key = s.b[start:s.i]
			if s.space(); !s.take(":") {
				return false
			}
			s.space()
		}
		start := s.i
		if !s.value(depth, nil) {
			return false
		}
		if each != nil {
			each(key, s.b[start:s.i])
		}
		if s.space(); s.take(end) {
			return true
		}
		if !s.take(",") {
			return false
		}
	}
}

// text reads a string (RFC 8259 section 7), its bytes in whatever encoding.
func (s *scanner) text() bool {
	if !s.take(`"`) {
		return false
	}
	for s.i < len(s.b) && s.b[s.i] >= ' ' {
		switch {
		case s.take(`"`):
			return true
		case !s.take(`\`):
			s.i++
		case s.take("u"):
			for range 4 {
				if !s.take("0123456789abcdefABCDEF") {
					return false
				}
			}
		case !s.take(`"\/bfnrt`):
			return false
		}
	}
	return false
}

func (s *scanner) literal(word string) bool {
	for ; word != "" && s.take(word[:1]); word = word[1:] {
	}
	return word == ""
}

// number reads a number (RFC 8259 section 6).
func (s *scanner) number() bool {
	s.take("-")
	if !s.take("0") && !s.digits() || s.take(".") && !s.digits() {
		return false
	}
	if !s.take("eE") {
		return true
	}
	s.take("+-")
	return s.digits()
}

func (s *scanner) digits() bool {
	start := s.i
	for s.take("0123456789") {
	}
	return s.i > start
}
