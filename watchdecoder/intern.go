package watchdecoder

import "bytes"

// words remembers strings that have been seen, so that what objects have in common - namespaces, labels, images, names of nodes
// - is in memory once: a table in which a string takes the place of another one of the same hash.
type words struct {
	seen []string
}

const (
	wordTable  = 1 << 10
	wordLength = 128 // longer ones are made each time: what is remembered stays small
)

// string is string(text), an earlier one where there was one.
func (w *words) string(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if len(text) > wordLength {
		return string(text)
	}
	if w.seen == nil {
		w.seen = make([]string, wordTable)
	}
	s := &w.seen[wordHash(text)]
	if *s != string(text) {
		*s = string(text)
	}
	return *s
}

// wordHash looks at both ends: what tells words of a length apart is mostly there.
func wordHash(text []byte) uint64 {
	h := uint64(len(text))
	if len(text) >= 8 {
		h += word(text)*0x9e3779b97f4a7c15 ^ word(text[len(text)-8:])
	} else {
		for _, c := range text {
			h = h<<8 | uint64(c)
		}
	}
	h *= 0xff51afd7ed558ccd
	return h >> 54 % wordTable
}

// texts remembers longer pieces of JSON, as words does strings: the field ownership of managedFields is a quarter of many an
// object, and the same in all objects that one controller made.
type texts struct {
	seen  []ownedText
	last  uint64            // the one that came last
	after [textTable]uint64 // which one came after each
}

type ownedText struct {
	text  []byte
	depth int // at which it was found valid
}

const (
	textTable  = 1 << 6
	textLength = 8 << 10
)

// expected is what b begins with, if that is the text that came behind the last one before. Whoever begins with the whole of a
// valid object has that object there, so it needs not be validated again, unless it is nested deeper than it was then.
func (t *texts) expected(b []byte, depth int) []byte {
	if t.seen == nil {
		return nil
	}
	slot := t.after[t.last]
	s := &t.seen[slot]
	if len(s.text) == 0 || s.text[0] != '{' || depth > s.depth || !bytes.HasPrefix(b, s.text) {
		return nil
	}
	t.last = slot
	return s.text[:len(s.text):len(s.text)]
}

// bytes is a copy of a valid text, or an earlier one. What is appended to it goes elsewhere.
func (t *texts) bytes(text []byte, depth int) []byte {
	if len(text) > textLength {
		return append([]byte(nil), text...)
	}
	if t.seen == nil {
		t.seen = make([]ownedText, textTable)
	}
	slot := textHash(text) % textTable
	s := &t.seen[slot]
	if !bytes.Equal(s.text, text) {
		s.text = append(make([]byte, 0, len(text)), text...)
	}
	s.depth = depth
	t.after[t.last], t.last = slot, slot
	return s.text[:len(text):len(text)]
}

// textHash looks at every byte: such texts begin and end alike.
func textHash(text []byte) uint64 {
	h := uint64(len(text))
	for len(text) >= 8 {
		h = (h ^ word(text)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
		text = text[8:]
	}
	for _, c := range text {
		h = (h ^ uint64(c)) * 0x9e3779b97f4a7c15
	}
	return h >> 40
}
