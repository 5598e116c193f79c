package watchdecoder

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes at a time: a word holds eight bytes of the input, the first one lowest.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	lows  = 0x7f7f7f7f7f7f7f7f
	// gather moves the highest bits of a word's eight bytes into its highest byte when multiplied with highs-masked words.
	gather = 0x0002040810204081
)

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// below finds the lowest byte of w smaller than n, which is at most 128; bytes above the lowest hit may be marked wrongly.
func below(w, n uint64) uint64 { return (w - n*ones) &^ w & highs }

// textStop returns where the text of a string, from b[i] on, is interrupted by a quote or a backslash, or len(b).
func textStop(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		w := word(b[i:])
		quote, escape := w^'"'*ones, w^'\\'*ones
		if stop := ((quote - ones) | (escape - ones)) &^ w & highs; stop != 0 {
			return i + bits.TrailingZeros64(stop)>>3
		}
	}
	for ; i < len(b); i++ {
		if b[i] == '"' || b[i] == '\\' {
			return i
		}
	}
	return i
}

// textEnd returns where the text of a string, from b[i] on, is interrupted by a quote, a backslash or a control character, or
// len(b), and whether bytes of 0x80 and more may stand before.
func textEnd(b []byte, i int) (end int, high bool) {
	seen := uint64(0)
	for ; i+8 <= len(b); i += 8 {
		w := word(b[i:])
		seen |= w
		quote, escape := w^'"'*ones, w^'\\'*ones
		if stop := ((quote - ones) | (escape - ones) | (w - ' '*ones)) &^ w & highs; stop != 0 {
			return i + bits.TrailingZeros64(stop)>>3, seen&highs != 0
		}
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
		seen |= uint64(b[i])
		i++
	}
	return i, seen&highs != 0
}

// plain says that b is printable ASCII without backslash: text that stands for itself.
func plain(b []byte) bool {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := word(b[i:])
		if (below(w, ' ')|below(w^'\\'*ones, 1)|w)&highs != 0 {
			return false
		}
	}
	for ; i < len(b); i++ {
		if b[i] < ' ' || b[i] >= 0x80 || b[i] == '\\' {
			return false
		}
	}
	return true
}

// commonWords returns how many bytes a and b begin with that are the same.
func commonWords(a, b []byte) int {
	b = b[:min(len(a), len(b))]
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if d := word(a[i:]) ^ word(b[i:]); d != 0 {
			return i + bits.TrailingZeros64(d)>>3
		}
	}
	for i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

// skipSpace returns where the next byte that is not white space (RFC 8259 section 2) stands from b[i] on, or len(b).
func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// block is 64 bytes of input; a bit of a mask stands for each.
type block = [64]byte

// classifyWords finds quotes, backslashes, and what may be a bracket or brace. These four are the bytes that become 0x7f once the
// bits of 0x26 are set, and so do Y, y, _ and DEL: no JSON has them outside of strings.
func classifyWords(p *block) (quotes, escapes, brackets uint64) {
	w0, w1, w2, w3 := word(p[0:8]), word(p[8:16]), word(p[16:24]), word(p[24:32])
	w4, w5, w6, w7 := word(p[32:40]), word(p[40:48]), word(p[48:56]), word(p[56:64])
	if (w0|w1|w2|w3|w4|w5|w6|w7)&highs != 0 {
		return classifyAny(p)
	}
	quotes = marks(w0^notQuote) | marks(w1^notQuote)<<8 | marks(w2^notQuote)<<16 | marks(w3^notQuote)<<24 |
		marks(w4^notQuote)<<32 | marks(w5^notQuote)<<40 | marks(w6^notQuote)<<48 | marks(w7^notQuote)<<56
	brackets = marks(w0|0x26*ones) | marks(w1|0x26*ones)<<8 | marks(w2|0x26*ones)<<16 | marks(w3|0x26*ones)<<24 |
		marks(w4|0x26*ones)<<32 | marks(w5|0x26*ones)<<40 | marks(w6|0x26*ones)<<48 | marks(w7|0x26*ones)<<56
	w0, w1, w2, w3, w4, w5, w6, w7 = w0^notEscape, w1^notEscape, w2^notEscape, w3^notEscape, w4^notEscape, w5^notEscape, w6^notEscape, w7^notEscape
	if ((w0+ones)|(w1+ones)|(w2+ones)|(w3+ones)|(w4+ones)|(w5+ones)|(w6+ones)|(w7+ones))&highs != 0 {
		escapes = marks(w0) | marks(w1)<<8 | marks(w2)<<16 | marks(w3)<<24 | marks(w4)<<32 | marks(w5)<<40 | marks(w6)<<48 | marks(w7)<<56
	}
	return quotes, escapes, brackets
}

// A byte becomes 0x7f if it is a quote, or a backslash, when these are flipped.
const (
	notQuote  = ('"' ^ 0x7f) * ones
	notEscape = ('\\' ^ 0x7f) * ones
)

// marks has a bit for each of w's bytes, set where it is 0x7f: the only one below 0x80 whose successor is not.
func marks(w uint64) uint64 { return (w + ones) & highs * gather >> 56 }

// classifyAny is for blocks with bytes of 0x80 and more.
func classifyAny(p *block) (quotes, escapes, brackets uint64) {
	for i := 0; i < 64; i += 8 {
		w := word(p[i : i+8])
		ascii := ^w & highs // the highest bits, where marks are to be believed
		w &= lows
		quotes |= ((w ^ notQuote) + ones) & ascii * gather >> 56 << i
		escapes |= ((w ^ notEscape) + ones) & ascii * gather >> 56 << i
		brackets |= ((w | 0x26*ones) + ones) & ascii * gather >> 56 << i
	}
	return quotes, escapes, brackets
}

// within spreads marks of quotes to a mask of the bytes inside strings, the opening quotes included.
func within(quotes uint64) uint64 {
	quotes ^= quotes << 1
	quotes ^= quotes << 2
	quotes ^= quotes << 4
	quotes ^= quotes << 8
	quotes ^= quotes << 16
	return quotes ^ quotes<<32
}
