package watchdecoder

import "iter"

// Labels yields the keys and values of an object's metadata.labels without decoding the object. They are views into raw, or
// copies where there are escapes. Of two labels of one key both are yielded. raw must be valid as of [Valid]; where it is not
// the iteration ends early.
func Labels(raw []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		c := cursor{b: raw}
		if c.enter("metadata") && c.enter("labels") {
			c.textMembers(yield)
		}
	}
}

// textMembers yields the members of an object whose values are strings.
func textMembers(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		c := cursor{b: object}
		c.textMembers(yield)
	}
}

func (c *cursor) textMembers(yield func(key, value []byte) bool) {
	if !c.take('{') {
		return
	}
	for key, ok := c.key(true); ok; key, ok = c.key(false) {
		if c.peek() != '"' {
			if !c.skip() {
				return
			}
			continue
		}
		value, ok := c.text()
		if !ok {
			return
		}
		key, keyOK := unescaped(key)
		value, valueOK := unescaped(value)
		if keyOK && valueOK && !yield(key, value) {
			return
		}
	}
}
