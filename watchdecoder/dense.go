package watchdecoder

import "math/bits"

// blockMarks says of 64 bytes which they are, a bit for each: strings are not looked at, what is in them is marked as well.
type blockMarks struct {
	quote, escape, comma, colon uint64
	braceOpen, listOpen         uint64
	braceEnd, listEnd           uint64
	control                     uint64 // not zero if there are bytes below 0x20
	within                      uint64 // within(quote)
}

// denseBlocks is how many blocks are marked at a time.
const denseBlocks = 8

// dense looks at an object without white space between its tokens, as API servers send it, and says whether it is valid: 64
// bytes at a time, by which byte may stand behind which. It is right about what it accepts; whatever is unusual - white space,
// depth, an error - it does not, and [validator] has to say.
//
// The members hold what the bytes before the block say about its first one: a bit, or all bits for inString.
type dense struct {
	b        []byte
	nest     nesting // for the escapes
	inString uint64
	scalar   uint64 // a number or literal
	end      uint64 // the last byte of a value
	comma    uint64
	colon    uint64
	brace    uint64 // an opening one
	list     uint64 // an opening bracket
	firstKey uint64 // the closing quote of the string behind a brace
	laterKey uint64 // of one behind a comma
	inFirst  uint64 // inside such strings
	inLater  uint64
	kinds    uint64 // of what is open, as in nesting, above a bit that is always set
}

// validDense reports that raw is a valid object, with or without white space behind it. It may be one where this is false.
func validDense(raw []byte) bool {
	for len(raw) > 0 && isSpace(raw[len(raw)-1]) {
		raw = raw[:len(raw)-1]
	}
	if len(raw) == 0 || raw[0] != '{' || !canMark() {
		return false
	}
	d := dense{b: raw, brace: 1, kinds: 0b11}
	var found [denseBlocks]blockMarks
	at := 1
	for len(raw)-at >= blockSize {
		n := min((len(raw)-at)/blockSize, denseBlocks)
		markBlocks(&raw[at], n, &found)
		for i := range n {
			if !d.block(at, blockSize, &found[i]) {
				return false
			}
			at += blockSize
		}
	}
	if size := len(raw) - at; size > 0 {
		var last block
		copy(last[copy(last[:], raw[at:]):], spaces)
		markBlocks(&last[0], 1, &found)
		if !d.block(at, size, &found[0]) {
			return false
		}
	}
	return d.kinds == 1
}

const blockSize = len(block{})

// spaces stands behind the last bytes.
const spaces = "                                                                "

// block goes on with the block of size bytes that begins at b[at].
func (d *dense) block(at, size int, m *blockMarks) bool {
	if m.control != 0 {
		return false
	}
	quotes, strings := m.quote, m.within
	if m.escape|d.nest.escaped != 0 {
		escapes := m.escape
		escaped := d.nest.escapedBytes(&escapes, size)
		if !d.escapes(at, escaped) {
			return false
		}
		quotes &^= escaped
		strings = within(quotes)
	}
	strings ^= d.inString
	d.inString = uint64(int64(strings) >> 63)
	opens := quotes & strings
	brace, list := m.braceOpen&^strings, m.listOpen&^strings
	braceEnd, listEnd := m.braceEnd&^strings, m.listEnd&^strings
	comma, colon := m.comma&^strings, m.colon&^strings
	open, end := brace|list, braceEnd|listEnd
	scalar := ^(strings | quotes | open | end | comma | colon) & (^uint64(0) >> (64 - size))
	ends := quotes&^strings | end | scalar

	// Which byte stands behind which: a value behind what asks for one, what ends something behind a value.
	afterBrace, afterList, afterComma := brace<<1|d.brace, list<<1|d.list, comma<<1|d.comma
	due := afterList | afterComma | colon<<1 | d.colon
	scalars := scalar &^ (scalar<<1 | d.scalar)
	first := opens & afterBrace
	empty := braceEnd&afterBrace | listEnd&afterList
	bad := (opens|open|scalars)&^(due|first) | (comma|end)&^(ends<<1|d.end|empty)
	d.brace, d.list, d.comma, d.colon, d.end, d.scalar = brace>>63, list>>63, comma>>63, colon>>63, ends>>63, scalar>>63

	// Keys, which have a colon behind them. An addition carries a bit from where a string begins to behind its end.
	var later uint64
	first, d.inFirst = bits.Add64(strings, first, d.inFirst)
	later, d.inLater = bits.Add64(strings, opens&afterComma, d.inLater)
	first, later = first&^strings, later&^strings
	afterFirst, afterLater := first<<1|d.firstKey, later<<1|d.laterKey
	d.firstKey, d.laterKey = first>>63, later>>63
	if bad|afterFirst&^colon|colon&^(afterFirst|afterLater) != 0 {
		return false
	}
	for ; scalars != 0; scalars &= scalars - 1 {
		if !d.number(at + bits.TrailingZeros64(scalars)) {
			return false
		}
	}
	// What is opened and ended at once has nothing inside, if it stands in one block.
	empty &= open << 1
	empty |= empty >> 1
	return d.brackets(at, open&^empty, end&^empty, brace|braceEnd, afterLater&colon, afterLater&^colon|afterComma&^opens)
}

// brackets goes through the opening and closing ones of a block, and sees to it that members, and elements, stand in what is
// made of them.
func (d *dense) brackets(at int, open, end, braces, member, element uint64) bool {
	kinds := d.kinds
	for left := open | end; left != 0; left &= left - 1 {
		upto := left ^ (left - 1)
		object := -(kinds & 1)
		if (element&object|member&^object)&upto != 0 {
			return false
		}
		element, member = element&^upto, member&^upto
		i := bits.TrailingZeros64(left) & 63
		brace := braces >> i & 1
		if open>>i&1 != 0 {
			if kinds>>63 != 0 {
				return false
			}
			kinds = kinds<<1 | brace
			continue
		}
		if kinds&1 != brace {
			return false
		}
		if kinds >>= 1; kinds == 1 && at+i != len(d.b)-1 {
			return false
		}
	}
	d.kinds = kinds
	object := -(kinds & 1)
	return element&object|member&^object == 0
}

// escapes looks at what stands behind backslashes.
func (d *dense) escapes(at int, escaped uint64) bool {
	v := validator{}
	for ; escaped != 0; escaped &= escaped - 1 {
		if v.escape(d.b, at+bits.TrailingZeros64(escaped)) < 0 {
			return false
		}
	}
	return true
}

// number reads the number or literal that begins at i.
func (d *dense) number(i int) bool {
	v := validator{}
	switch d.b[i] {
	case 't', 'f', 'n':
		i = v.literal(d.b, i)
	default:
		i = v.number(d.b, i)
	}
	return i > 0 && i < len(d.b) && (d.b[i] == ',' || d.b[i] == '}' || d.b[i] == ']')
}
