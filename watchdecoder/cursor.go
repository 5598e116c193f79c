package watchdecoder

// cursor walks over one value in memory. On malformed JSON its methods return false; they never read outside of it.
type cursor struct {
	b []byte
	i int
}

// peek skips white space and returns the byte behind it, 0 at the end.
//
//go:noinline // it is called from everywhere
func (c *cursor) peek() byte {
	if c.i = skipSpace(c.b, c.i); c.i < len(c.b) {
		return c.b[c.i]
	}
	return 0
}

// take skips white space and passes a byte that has to be there.
//
//go:noinline // as peek
func (c *cursor) take(due byte) bool {
	if c.peek() != due {
		return false
	}
	c.i++
	return true
}

// key goes on to the value of an object's next member and returns the text of its key. It is false, behind the brace, if there
// is none. first says that the cursor is behind the opening brace.
func (c *cursor) key(first bool) (key []byte, ok bool) {
	next := c.peek()
	if next == '}' {
		c.i++
		return nil, false
	}
	if !first {
		if next != ',' {
			return nil, false
		}
		c.i++
	}
	key, ok = c.text()
	return key, ok && c.take(':')
}

// text passes a string and returns what stands between its quotes.
func (c *cursor) text() (text []byte, ok bool) {
	if !c.take('"') {
		return nil, false
	}
	from := c.i
	for {
		c.i = textStop(c.b, c.i)
		if c.i >= len(c.b) {
			c.i = len(c.b)
			return nil, false
		}
		if c.b[c.i] == '"' {
			text = c.b[from:c.i]
			c.i++
			return text, true
		}
		c.i += 2
	}
}

// skip passes a value.
func (c *cursor) skip() bool {
	switch c.peek() {
	case '{', '[':
		n := nesting{max: HighestDepth}
		size, result := n.skip(c.b[c.i:], 0)
		c.i += size
		return result == skipDone
	case '"':
		_, ok := c.text()
		return ok
	}
	from := c.i
	for c.i < len(c.b) && !isDelimiter(c.b[c.i]) {
		c.i++
	}
	return c.i > from
}

// isDelimiter says that c ends a number or literal.
func isDelimiter(c byte) bool { return c == ',' || c == '}' || c == ']' || isSpace(c) }

// enter goes on to the value of the first member of that key of the object that is due.
func (c *cursor) enter(name string) bool {
	if !c.take('{') {
		return false
	}
	for key, ok := c.key(true); ok; key, ok = c.key(false) {
		if text, ok := unescaped(key); ok && string(text) == name {
			return true
		}
		if !c.skip() {
			return false
		}
	}
	return false
}

// unescaped is what the text of a string stands for: text itself where nothing is to be done.
func unescaped(text []byte) ([]byte, bool) {
	if plain(text) {
		return text, true
	}
	return appendUnquoted(nil, text)
}
