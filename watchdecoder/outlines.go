package watchdecoder

import (
	"bytes"
	"math"
)

// outline is a valid text that is remembered. What one writer sends is alike but for names, times and versions, and a text that
// differs from a valid one inside strings alone is valid if these strings are: where it is the same, comparing is enough, at the
// speed of memory.
type outline struct {
	text    []byte
	strings []textSpan // in it, one after the other
	depth   int        // at which the text was found valid

	// Of a unit's text.
	marks       []fieldMark // where its fields are, one after the other
	seen, found uint32      // as the scanner's
}

// textSpan is a string, from behind its opening quote (the lowest 15 bits) to behind its closing one (the next). The highest bit
// says that it is fixed: a text with another one is not alike. Small numbers need no type of their own in a binary.
type textSpan uint32

func newTextSpan(from, to int, fixed bool) textSpan {
	s := textSpan(to<<15 | from)
	if fixed {
		s |= 1 << 31
	}
	return s
}

func (s textSpan) from() int   { return int(s & (1<<15 - 1)) }
func (s textSpan) to() int     { return int(s >> 15 & (1<<15 - 1)) }
func (s textSpan) fixed() bool { return s>>31 != 0 }

// fieldMark is where the span of a field begins, or ends: the place above 16 bits, 1 above 8 bits for an end, the field below. So the
// greater one comes later, and what is empty begins before it ends.
type fieldMark uint32

func newFieldMark(at int, end uint32, f field) fieldMark {
	return fieldMark(uint32(at)<<16 | end<<8 | uint32(f))
}

// outlines are those that a text is compared with.
type outlines struct {
	ways   [outlineWays]outline
	recent int // the one that was found last
	misses int // how many texts were like none of those that they were compared with
	doubt  int // rises with each of them, and falls with each that was found
	turn   int
}

const (
	outlineWays  = 4
	outlineShort = 32 // shorter than that is not worth it
	mostDoubt    = 32
)

// look reports whether to compare. What is found less often than not is looked for seldom: it costs more than it saves.
func (l *outlines) look() bool {
	l.turn++
	return l.doubt < mostDoubt || l.turn&31 == 0
}

// way is the outline to try as the nth.
func (l *outlines) way(n int) *outline { return &l.ways[(l.recent+n)%outlineWays] }

// hit notes that the nth one was it.
func (l *outlines) hit(n int) { l.recent, l.doubt = (l.recent+n)%outlineWays, max(0, l.doubt-1) }

// find returns where the value ends that begins at i, nested so deep, if it is like one that is remembered; else -1.
func (l *outlines) find(v *validator, i, depth int) int {
	for n := range outlineWays {
		t := trail{i: i}
		if o := l.way(n); len(o.text) > 0 && depth <= o.depth && o.follow(v, &t, nil) == alike {
			l.hit(n)
			return t.i
		}
	}
	return -1
}

// missed notes that a valid text was like none of those that it was compared with, if it was, and returns the outline to learn
// it with, which is nil for most.
func (l *outlines) missed(text []byte, looked bool) *outline {
	if !looked {
		return nil
	}
	l.misses++
	l.doubt = min(l.doubt+1, mostDoubt)
	n := l.misses
	if n > outlineWays {
		if n&7 != 0 {
			return nil
		}
		n >>= 3
	}
	if len(text) < outlineShort || len(text) > textLength {
		return nil
	}
	return &l.ways[n%outlineWays]
}

// learn remembers a valid text. Keys of the outermost levels are fixed.
//
//go:noinline // it is rare
func (o *outline) learn(text []byte, depth, levels int) {
	o.text, o.strings, o.depth = append(o.text[:0], text...), o.strings[:0], depth
	if most := bytes.Count(text, []byte{'"'}) / 2; most > cap(o.strings) { // not twice what is needed
		o.strings = make([]textSpan, 0, most)
	}
	v := validator{b: text}
	nested := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			nested++
		case '}', ']':
			nested--
		case '"':
			end := v.text(text, i+1)
			behind := skipSpace(text, end)
			key := behind < len(text) && text[behind] == ':'
			o.strings = append(o.strings, newTextSpan(i+1, end, key && nested <= levels))
			i = end - 1
		}
	}
}

// trail is how far a text has been compared with an outline.
type trail struct {
	i, at int // in the one, in the other
	next  int // string
	mark  int
}

// What comes of comparing.
type likeness uint8

const (
	unlike     likeness = iota
	alike               // to the end
	alikeSoFar          // as far as the text goes
)

// follow goes on with a text, which is v's, from where the trail ends. It writes down where fields are.
func (o *outline) follow(v *validator, t *trail, spans *[fieldCount]span) likeness {
	for {
		n := common(v.b[t.i:], o.text[t.at:])
		t.i, t.at = t.i+n, t.at+n
		if t.at == len(o.text) {
			o.place(t, math.MaxUint32, spans)
			return alike
		}
		if t.i == len(v.b) {
			return alikeSoFar
		}
		for t.next+7 < len(o.strings) && o.strings[t.next+7].to() <= t.at {
			t.next += 8
		}
		for t.next < len(o.strings) && o.strings[t.next].to() <= t.at {
			t.next++
		}
		if t.next == len(o.strings) {
			return unlike
		}
		s := o.strings[t.next]
		from := s.from()
		if t.at < from || s.fixed() {
			return unlike
		}
		o.place(t, newFieldMark(from, 1, 0), spans)
		// From where the string begins, lest an escape be read from its middle.
		end := v.text(v.b, t.i-t.at+from)
		if end < 0 {
			if v.i >= len(v.b) {
				return alikeSoFar
			}
			return unlike
		}
		t.i, t.at = end, s.to()
	}
}

// place writes down where the fields begin and end that do so before a mark.
func (o *outline) place(t *trail, before fieldMark, spans *[fieldCount]span) {
	for ; t.mark < len(o.marks) && o.marks[t.mark] < before; t.mark++ {
		m := o.marks[t.mark]
		s, at := &spans[m&0xff], int(m>>16)+t.i-t.at
		if m>>8&1 == 0 {
			s.from = at
		} else {
			s.to = at
		}
	}
}
