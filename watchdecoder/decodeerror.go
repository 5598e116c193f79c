package watchdecoder

import "fmt"

// DecodeError says why an object, though valid JSON, is no value of the type that was asked for. It holds nothing of the
// object but the names of declared fields.
type DecodeError struct {
	Offset int64  // in the object, of the value
	Path   string // of the value, such as .spec.containers[2].image; keys of maps are left out: .data[*]
	Rule   string
	Err    error // of an UnmarshalJSON or UnmarshalText; not printed, for it may quote the object
}

// Unwrap returns what UnmarshalJSON or UnmarshalText returned, nil if the reason is another.
func (e *DecodeError) Unwrap() error { return e.Err }

// Error names the path, the rule and the offset.
func (e *DecodeError) Error() string {
	return fmt.Sprintf("watchdecoder: cannot decode %s: %s, at offset %d", e.Path, e.Rule, e.Offset)
}

// pathOf is the path of the value at an offset of a valid object.
func pathOf(raw []byte, n *plan, offset int) string {
	c := cursor{b: raw}
	path := ""
	for n != nil && c.peek() != 0 && c.i < offset {
		var step string
		switch {
		case raw[c.i] == '{':
			step, n = c.memberAt(n, offset)
		case raw[c.i] == '[':
			step, n = c.elementAt(n, offset)
		default:
			n = nil
		}
		path += step
	}
	if path == "" {
		return "the object"
	}
	return path
}

// memberAt goes on to the member of an object that holds an offset.
func (c *cursor) memberAt(n *plan, offset int) (string, *plan) {
	n = n.pointee()
	c.i++
	for key, ok := c.key(true); ok; key, ok = c.key(false) {
		c.peek()
		from := c.i
		if !c.skip() || c.i > offset {
			c.i = from
			if name, ok := unescaped(key); ok && n.kind == planStruct {
				if i := n.field(name, 0); i >= 0 {
					return "." + n.fields[i].name, n.fields[i].plan
				}
			}
			return "[*]", n.elem
		}
	}
	return "", nil
}

// elementAt does the same for an array.
func (c *cursor) elementAt(n *plan, offset int) (string, *plan) {
	n = n.pointee()
	c.i++
	for i := 0; c.peek() != ']'; i++ {
		from := c.i
		if !c.skip() || c.i > offset {
			c.i = from
			return fmt.Sprintf("[%d]", i), n.elem
		}
		if c.take(',') {
			c.peek()
		}
	}
	return "", nil
}

func (n *plan) pointee() *plan {
	for n.kind == planPointer && n.elem != n {
		n = n.elem
	}
	return n
}
