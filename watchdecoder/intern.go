package watchdecoder

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
