package watchdecoder

import "math/bits"

// nesting passes over JSON looking at nothing but strings, brackets and braces, 64 bytes at a time. What it carries from one
// call to the next makes its results independent of where the input was sliced.
type nesting struct {
	max   int // depth not to be passed
	depth int // brackets and braces open
	// kinds has a bit for each of the innermost 64 levels, or of those above the last multiple of 64: set for a brace, the
	// lowest bit for the innermost. The levels below are in outer, a word for each 64.
	kinds uint64
	outer []uint64

	inString uint64 // all bits set if the next byte is inside a string
	escaped  uint64 // 1 if the next byte stands behind a backslash
	blind    bool   // too deep: count brackets and braces, no longer compare their kinds
}

// How a skip ended.
type skipResult uint8

const (
	skipMore     skipResult = iota // all bytes were passed
	skipDone                       // behind the bracket that closed to the floor
	skipMismatch                   // at a bracket that closes another kind
	skipStray                      // at a byte that JSON never has outside of strings
	skipDeep                       // at a bracket that opens below max
)

func (n *nesting) reset(max int) {
	*n = nesting{max: max, outer: n.outer[:0]}
}

func (n *nesting) open(brace uint64) {
	if n.depth&63 == 0 && n.depth > 0 {
		n.outer = append(n.outer, n.kinds)
	}
	n.kinds = n.kinds<<1 | brace
	n.depth++
}

func (n *nesting) close() {
	n.kinds >>= 1
	n.depth--
	if n.depth&63 == 0 && n.depth > 0 {
		n.kinds = n.popOuter()
	}
}

func (n *nesting) popOuter() uint64 {
	last := len(n.outer) - 1
	kinds := n.outer[last]
	n.outer = n.outer[:last]
	return kinds
}

// skip passes over b until the depth has come down to floor. It returns how many bytes it passed; what it stopped at, other
// than the bracket of skipDone, is not among them.
func (n *nesting) skip(b []byte, floor int) (int, skipResult) {
	if n.blind {
		return n.skipBlind(b, floor)
	}
	var last block
	depth, kinds, inString := n.depth, n.kinds, n.inString
	for at := 0; at < len(b); at += len(last) {
		var p *block
		size := len(last)
		if len(b)-at >= len(last) {
			p = (*block)(b[at:])
		} else {
			size = copy(last[:], b[at:])
			p = &last
		}
		quotes, escapes, brackets := classify(p)
		if escapes|n.escaped != 0 {
			quotes &^= n.escapedBytes(&escapes, size)
		}
		strings := within(quotes) ^ inString
		for found := (brackets | escapes) &^ strings; found != 0; found &= found - 1 {
			i := bits.TrailingZeros64(found)
			c := p[i&63]
			brace := uint64(c>>5) & 1
			result := skipMore
			switch {
			case c&7 == '{'&7: // and '['
				if depth >= n.max {
					result = skipDeep
					break
				}
				if depth&63 == 0 && depth > 0 {
					n.outer = append(n.outer, kinds)
				}
				kinds = kinds<<1 | brace
				depth++
			case c&7 != '}'&7: // and ']'
				result = skipStray
			case kinds&1 != brace:
				result = skipMismatch
			default:
				kinds >>= 1
				depth--
				if depth&63 == 0 && depth > 0 {
					kinds = n.popOuter()
				}
				if depth == floor {
					i++
					result = skipDone
				}
			}
			if result != skipMore {
				n.depth, n.kinds, n.inString, n.escaped = depth, kinds, 0, 0
				return at + i, result
			}
		}
		inString = uint64(int64(strings) >> 63)
	}
	n.depth, n.kinds, n.inString = depth, kinds, inString
	return len(b), skipMore
}

// escapedBytes returns a mask of the bytes behind a backslash that is not itself behind one, and takes those out of escapes.
// Only size bytes of the block are input.
func (n *nesting) escapedBytes(escapes *uint64, size int) uint64 {
	escaped := n.escaped
	n.escaped = 0
	*escapes &^= escaped
	for left := *escapes; left != 0; {
		i := bits.TrailingZeros64(left)
		next := uint64(2) << i
		if i+1 == size {
			n.escaped = 1
		}
		escaped |= next
		*escapes &^= next
		left &^= 3 << i
	}
	return escaped
}

// skipBlind counts. It is for what is being thrown away, and for no more than that.
func (n *nesting) skipBlind(b []byte, floor int) (int, skipResult) {
	for i, c := range b {
		switch {
		case n.escaped != 0:
			n.escaped = 0
		case c == '\\':
			if n.inString == 0 {
				return i, skipStray
			}
			n.escaped = 1
		case c == '"':
			n.inString = ^n.inString
		case n.inString != 0:
		case c == '{' || c == '[':
			n.depth++
		case c == '}' || c == ']':
			if n.depth--; n.depth == floor {
				return i + 1, skipDone
			}
		}
	}
	return len(b), skipMore
}
