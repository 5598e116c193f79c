package watchdecoder

import "math/bits"

// outline is an array or object that T does not declare, remembered: managedFields, for one, are alike in all objects of a
// controller but for times and names. A text that differs from a valid one inside strings alone is valid if these strings are,
// so that comparing is enough where it is the same, at the speed of memory.
type outline struct {
	text    []byte
	strings []textSpan // in it, one after the other
	depth   int        // at which the text was found valid

	// Of the first one for a member: how many values were like none of those that it was compared with, and how many in a row.
	misses, cold int
}

// textSpan is a string from behind its opening quote to behind its closing one.
type textSpan struct{ from, to uint16 }

const (
	outlineTable = 1 << 3 // of members, by the length of their names
	outlineWays  = 4      // for each of them
	outlineShort = 32     // shorter than that is not worth it
)

// skipMember is skip for the value of a member whose name, or type, is so long.
func (a *assigner) skipMember(length int) bool {
	if c := a.peek(); c != '[' && c != '{' {
		return a.skip()
	}
	if a.outlines == nil {
		a.outlines = make([]outline, outlineTable*outlineWays)
	}
	at := length % outlineTable * outlineWays
	ways, from := a.outlines[at:at+outlineWays], a.i
	first := &ways[0]
	// Where nothing resembles anything, looking is not to cost more than a few in a hundred.
	look := first.cold < 1<<6 || first.cold&31 == 0
	for i := 0; look && i < len(ways); i++ {
		if end := ways[i].end(&a.v, from, a.depth); end >= 0 {
			first.cold, a.i = 0, end
			return true
		}
	}
	if !a.skip() {
		return false
	}
	first.cold++
	if look {
		if text := a.b[from:a.i]; first.misses&7 == 0 && len(text) >= outlineShort && len(text) <= textLength {
			ways[first.misses>>3%outlineWays].learn(text, a.depth)
		}
		first.misses++
	}
	return true
}

// learn remembers a valid text.
//
//go:noinline // it is rare
func (o *outline) learn(text []byte, depth int) {
	o.text, o.strings, o.depth = append(o.text[:0], text...), o.strings[:0], depth
	v := validator{b: text}
	for i := 0; i < len(text); i++ {
		if text[i] == '"' {
			end := v.text(text, i+1)
			o.strings = append(o.strings, textSpan{uint16(i + 1), uint16(end)})
			i = end - 1
		}
	}
}

// end returns where the value ends that begins at i, negative if it is not of that outline.
func (o *outline) end(v *validator, i, depth int) int {
	if len(o.text) == 0 || depth > o.depth {
		return -1
	}
	left := o.strings
	for at := 0; ; {
		n := common(v.b[i:], o.text[at:])
		i, at = i+n, at+n
		if at == len(o.text) {
			return i
		}
		for len(left) > 0 && int(left[0].to) <= at {
			left = left[1:]
		}
		if len(left) == 0 || at < int(left[0].from) {
			return -1
		}
		// From where the string begins, lest an escape be read from its middle.
		if i = v.text(v.b, i-at+int(left[0].from)); i < 0 {
			return -1
		}
		at = int(left[0].to)
	}
}

// common returns how many bytes a and b begin with that are the same.
func common(a, b []byte) int {
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
