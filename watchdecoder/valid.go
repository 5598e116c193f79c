package watchdecoder

import (
	"fmt"
	"math/bits"
)

// SyntaxError says where raw breaks which rule of JSON. It holds nothing of it.
type SyntaxError struct {
	Offset int64  // of the first byte that cannot stand there; the length where bytes are missing
	Rule   string // with its section of RFC 8259
}

// Error names the rule and the offset.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("watchdecoder: invalid JSON: %s, at offset %d", e.Rule, e.Offset)
}

// Valid says whether raw is exactly one JSON value with nothing but white space around it (RFC 8259), nested at most
// HighestDepth deep; the error is a *[SyntaxError]. Its verdict is that of encoding/json.Valid on every input: in particular
// invalid UTF-8 inside strings is accepted (the codecs replace it by U+FFFD, as encoding/json and client-go do).
func Valid(raw []byte) error {
	if validDense(raw) {
		return nil
	}
	return validate(raw)
}

// validate is Valid, byte by byte.
func validate(raw []byte) error {
	v := validator{b: raw}
	if v.document() {
		return nil
	}
	rule := v.rule
	if v.i >= len(raw) {
		v.i, rule = len(raw), ruleIncomplete
	}
	return &SyntaxError{Offset: int64(v.i), Rule: rule}
}

// Rules of a SyntaxError.
const (
	ruleIncomplete = "it ends too early"
	ruleTrailing   = "more than one value (section 2)"
	ruleValue      = "a value was due (section 3)"
	ruleLiteral    = "not null, true or false (section 3)"
	ruleKey        = "a key was due (section 4)"
	ruleColon      = "a colon was due (section 4)"
	ruleMember     = "a comma or closing brace was due (section 4)"
	ruleElement    = "a comma or closing bracket was due (section 5)"
	ruleNumber     = "a digit was due (section 6)"
	ruleControl    = "an unescaped control character (section 7)"
	ruleEscape     = "no such escape (section 7)"
	ruleDepth      = "nested too deep (section 9)"
)

// validator reads raw from left to right. Where a method returns false, i is the offset and rule the reason.
type validator struct {
	b    []byte
	i    int
	rule string
}

func (v *validator) fail(i int, rule string) bool {
	v.i, v.rule = i, rule
	return false
}

// failed is fail for methods that return a position.
func (v *validator) failed(i int, rule string) int {
	v.i, v.rule = i, rule
	return -1
}

// document reads the whole.
func (v *validator) document() bool {
	i := v.value(0, HighestDepth)
	if i < 0 {
		return false
	}
	i = skipSpace(v.b, i)
	return i == len(v.b) || v.fail(i, ruleTrailing)
}

// value reads the value that begins at i or behind white space there, nested at most deepest deep, and returns what is behind
// it, negative if that failed. It keeps the kinds of what is open as nesting does; b and i are its own copies, for speed.
func (v *validator) value(i, deepest int) int {
	b := v.b
	n := nesting{max: deepest}

value:
	if i < len(b) && b[i] <= ' ' {
		i = skipSpace(b, i)
	}
	if i >= len(b) {
		return v.failed(i, ruleValue)
	}
	switch c := b[i]; c {
	case '"':
		if i = v.text(b, i+1); i < 0 {
			return -1
		}
	case '{':
		if n.depth == n.max {
			return v.failed(i, ruleDepth)
		}
		n.open(1)
		if i = skipSpace(b, i+1); i < len(b) && b[i] == '}' {
			goto closing
		}
		goto key
	case '[':
		if n.depth == n.max {
			return v.failed(i, ruleDepth)
		}
		n.open(0)
		if i = skipSpace(b, i+1); i < len(b) && b[i] == ']' {
			goto closing
		}
		goto value
	case 't', 'f', 'n':
		if i = v.literal(b, i); i < 0 {
			return -1
		}
	default:
		if i = v.number(b, i); i < 0 {
			return -1
		}
	}

after:
	if n.depth == 0 {
		return i
	}
	if i < len(b) && b[i] <= ' ' {
		i = skipSpace(b, i)
	}
	if i >= len(b) {
		return v.failed(i, ruleMember)
	}
	if c := b[i]; c == ',' {
		i++
		if n.kinds&1 == 0 {
			goto value
		}
		goto key
	} else if n.kinds&1 == 0 {
		if c != ']' {
			return v.failed(i, ruleElement)
		}
	} else if c != '}' {
		return v.failed(i, ruleMember)
	}

closing:
	n.close()
	i++
	goto after

key:
	if i < len(b) && b[i] <= ' ' {
		i = skipSpace(b, i)
	}
	if i >= len(b) || b[i] != '"' {
		return v.failed(i, ruleKey)
	}
	if i = v.text(b, i+1); i < 0 {
		return -1
	}
	if i < len(b) && b[i] <= ' ' {
		i = skipSpace(b, i)
	}
	if i >= len(b) || b[i] != ':' {
		return v.failed(i, ruleColon)
	}
	i++
	goto value
}

// text reads the rest of a string and returns what is behind it, negative if that failed.
func (v *validator) text(b []byte, i int) int {
	for {
		i = plainEnd(b, i)
		if i >= len(b) {
			v.fail(i, ruleControl)
			return -1
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			if i = v.escape(b, i+1); i < 0 {
				return -1
			}
		default:
			v.fail(i, ruleControl)
			return -1
		}
	}
}

// plainEnd returns where the text of a string, from b[i] on, is interrupted by a quote, a backslash or a control character, or
// len(b).
func plainEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		w := word(b[i:])
		quote, escape := w^'"'*ones, w^'\\'*ones
		if stop := ((quote - ones) | (escape - ones) | (w - ' '*ones)) &^ w & highs; stop != 0 {
			return i + bits.TrailingZeros64(stop)>>3
		}
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
		i++
	}
	return i
}

// escape reads what is behind a backslash.
func (v *validator) escape(b []byte, i int) int {
	if i >= len(b) {
		v.fail(i, ruleEscape)
		return -1
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		for end := i + 5; i+1 < end; {
			if i++; i >= len(b) || !isHex(b[i]) {
				v.fail(i, ruleEscape)
				return -1
			}
		}
		return i + 1
	}
	v.fail(i, ruleEscape)
	return -1
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// literal reads null, true or false.
func (v *validator) literal(b []byte, i int) int {
	due := literalAfter(b[i])
	for i++; due != ""; i++ {
		if i >= len(b) || b[i] != due[0] {
			v.fail(i, ruleLiteral)
			return -1
		}
		due = due[1:]
	}
	return i
}

// number reads a number (section 6), and anything else that no value begins with.
func (v *validator) number(b []byte, i int) int {
	start := i
	if b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	case i < len(b) && isDigit(b[i]):
		i = digits(b, i)
	case i > start:
		v.fail(i, ruleNumber)
		return -1
	default:
		v.fail(i, ruleValue)
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = v.someDigits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return v.someDigits(b, i)
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func digits(b []byte, i int) int {
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}

func (v *validator) someDigits(b []byte, i int) int {
	if i >= len(b) || !isDigit(b[i]) {
		v.fail(i, ruleNumber)
		return -1
	}
	return digits(b, i)
}
