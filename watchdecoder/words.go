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

// classify finds quotes, backslashes, and what may be a bracket or brace. These four are the bytes that have all bits set once
// those of 0x26 are added, which Y, y, _ and DEL become too: no JSON has them outside of strings.
func classify(p *block) (quotes, escapes, brackets uint64) {
	w0, w1, w2, w3 := word(p[0:8]), word(p[8:16]), word(p[16:24]), word(p[24:32])
	w4, w5, w6, w7 := word(p[32:40]), word(p[40:48]), word(p[48:56]), word(p[56:64])
	q0, k0, e0 := classifyASCII(w0)
	q1, k1, e1 := classifyASCII(w1)
	q2, k2, e2 := classifyASCII(w2)
	q3, k3, e3 := classifyASCII(w3)
	quotes = q0 | q1<<8 | q2<<16 | q3<<24
	brackets = k0 | k1<<8 | k2<<16 | k3<<24
	unusual := e0 | e1 | e2 | e3
	q0, k0, e0 = classifyASCII(w4)
	q1, k1, e1 = classifyASCII(w5)
	q2, k2, e2 = classifyASCII(w6)
	q3, k3, e3 = classifyASCII(w7)
	quotes |= (q0 | q1<<8 | q2<<16 | q3<<24) << 32
	brackets |= (k0 | k1<<8 | k2<<16 | k3<<24) << 32
	unusual |= e0 | e1 | e2 | e3 | w0 | w1 | w2 | w3 | w4 | w5 | w6 | w7
	if unusual&highs == 0 {
		return quotes, 0, brackets
	}
	return classifyAny(p)
}

// classifyASCII is exact for bytes below 0x80: 0x80 less such a byte keeps its highest bit only if the byte is zero, and never
// borrows. The highest bits of escapes say that there is a backslash.
func classifyASCII(w uint64) (quotes, brackets, escapes uint64) {
	quotes = ((highs - (w ^ '"'*ones)) & highs) * gather >> 56
	brackets = ((highs - ((w | 0x26*ones) ^ lows)) & highs) * gather >> 56
	return quotes, brackets, highs - (w ^ '\\'*ones)
}

// classifyAny is exact for all bytes, and slower. Most blocks are plain ASCII without escapes.
func classifyAny(p *block) (quotes, escapes, brackets uint64) {
	for i := 0; i < 64; i += 8 {
		w := word(p[i : i+8])
		quotes |= equal(w, '"') << i
		escapes |= equal(w, '\\') << i
		brackets |= equal(w|0x26*ones, 0x7f) << i
	}
	return quotes, escapes, brackets
}

// equal has a bit for each of w's bytes, set where it is c.
func equal(w, c uint64) uint64 {
	differs := w ^ c*ones
	return (^(differs&lows + lows | differs) & highs) * gather >> 56
}

// within spreads marks of quotes to a mask of the bytes inside strings, the opening quotes included.
func within(quotes uint64) uint64 {
	for shift := 1; shift < 64; shift <<= 1 {
		quotes ^= quotes << shift
	}
	return quotes
}
