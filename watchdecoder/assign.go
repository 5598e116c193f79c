package watchdecoder

import (
	"bytes"
	"reflect"
	"time"
	"unsafe"

	jsoniter "github.com/json-iterator/go"
)

// assigner validates one object and sets the declared members of a value in the same pass: the fast way of a codec. It takes
// only what is valid and fits; anything else makes it give up, and [Valid] and the pruner find out why. The rare kinds of plan
// that are not direct it leaves to them as well, value by value.
type assigner struct {
	v        validator
	b        []byte
	i        int
	depth    int
	words    words
	texts    texts
	outlines *[outlineTable]outlines
	api      jsoniter.API
	prune    pruner
	text     []byte // unescaped
	member   string // of a map of strings

	// A member of the last map that was not one of strings, for the next one of that plan.
	mapPlan         *plan
	mapKey, mapElem reflect.Value
}

// document reads the whole of raw into the value at p.
func (a *assigner) document(raw []byte, n *plan, p unsafe.Pointer) (ok bool) {
	defer func() {
		if recover() != nil { // in what unmarshals itself; the slow way will say so
			ok = false
		}
	}()
	a.v.b, a.b, a.i, a.depth = raw, raw, 0, 0
	ok = a.value(n, p) && skipSpace(raw, a.i) == len(raw)
	a.v.b, a.b = nil, nil
	return ok
}

// peek skips white space and returns the byte behind it, 0 at the end.
func (a *assigner) peek() byte {
	if a.i < len(a.b) && a.b[a.i] > ' ' {
		return a.b[a.i]
	}
	if a.i = skipSpace(a.b, a.i); a.i < len(a.b) {
		return a.b[a.i]
	}
	return 0
}

// skip validates the value that comes next.
func (a *assigner) skip() bool {
	i := a.v.value(a.i, HighestDepth-a.depth)
	if i < 0 {
		return false
	}
	a.i = i
	return true
}

// value reads the value that comes next into p, which is of the plan's type.
func (a *assigner) value(n *plan, p unsafe.Pointer) bool {
	c := a.peek()
	if !n.direct {
		return a.delegate(n, p)
	}
	if c == 'n' && n.kind != planUnmarshaler && n.kind != planRaw {
		return a.null(n, p)
	}
	switch n.kind {
	case planStruct:
		return c == '{' && a.object(n, p)
	case planText:
		return c == '"' && a.string(p)
	case planPointer:
		to := *(*unsafe.Pointer)(p)
		if to == nil {
			to = n.elem.memory.UnsafeNew()
			*(*unsafe.Pointer)(p) = to
		}
		return a.value(n.elem, to)
	case planMap:
		return c == '{' && a.all(n, p)
	case planList:
		return c == '[' && a.list(n, p)
	case planBool:
		*(*bool)(p) = c == 't'
		return (c == 't' || c == 'f') && a.skip()
	case planInt, planUint:
		return a.integer(n, p, c)
	}
	return a.aside(n, p, c)
}

// null leaves a value as it is, or takes away what it refers to, as encoding/json has it.
func (a *assigner) null(n *plan, p unsafe.Pointer) bool {
	if !a.skip() {
		return false
	}
	switch n.kind {
	case planPointer, planMap:
		*(*unsafe.Pointer)(p) = nil
	case planList:
		*(*sliceHeader)(p) = sliceHeader{}
	case planAny:
		*(*any)(p) = nil
	}
	return true
}

// object reads the declared members and validates the others. Objects of a type resemble each other: what came behind a member
// the last time is looked for first.
func (a *assigner) object(n *plan, p unsafe.Pointer) bool {
	if !a.open() {
		return false
	}
	if a.peek() == '}' {
		return a.close('}')
	}
	last := &n.first
	for {
		i := int(last.Load())
		if i < len(n.fields) && bytes.HasPrefix(a.b[a.i:], n.fields[i].member) {
			a.i += len(n.fields[i].member)
		} else {
			key, ok := a.key()
			if !ok {
				return false
			}
			if i = n.field(key, i); i >= 0 {
				last.Store(int32(i))
			} else if !a.skipMember(len(key)) {
				return false
			}
		}
		if i >= 0 {
			f := &n.fields[i]
			last = &f.next
			if !a.value(f.plan, unsafe.Add(p, f.offset)) {
				return false
			}
		}
		if a.peek() != ',' {
			return a.close('}')
		}
		a.i++
	}
}

// open passes the bracket that begins here.
//
//go:noinline // as close
func (a *assigner) open() bool {
	a.depth++
	a.i++
	return a.depth <= HighestDepth
}

// close passes the bracket that is due.
//
//go:noinline // it is called from everywhere
func (a *assigner) close(bracket byte) bool {
	a.depth--
	a.i++
	return a.i <= len(a.b) && a.b[a.i-1] == bracket
}

// key passes the key that comes next and its colon, and returns its text, unescaped, valid until the next call.
func (a *assigner) key() ([]byte, bool) {
	if a.peek() != '"' {
		return nil, false
	}
	text, ok := a.quoted()
	if !ok || a.peek() != ':' {
		return nil, false
	}
	a.i++
	return text, true
}

// quoted passes the string that begins here and returns what it stands for, valid until the next call.
func (a *assigner) quoted() ([]byte, bool) {
	from := a.i + 1
	end, high := textEnd(a.b, from)
	if end < len(a.b) && a.b[end] == '"' && !high {
		a.i = end + 1
		return a.b[from:end], true
	}
	if end = a.v.text(a.b, end); end < 0 {
		return nil, false
	}
	a.i = end
	text := a.b[from : end-1]
	if plain(text) {
		return text, true
	}
	var ok bool
	a.text, ok = appendUnquoted(a.text[:0], text)
	return a.text, ok
}

func (a *assigner) string(p unsafe.Pointer) bool {
	text, ok := a.quoted()
	if ok {
		*(*string)(p) = a.words.string(text)
	}
	return ok
}

func (a *assigner) integer(n *plan, p unsafe.Pointer, c byte) bool {
	from := a.i
	if c != '-' && !isDigit(c) || !a.skip() {
		return false
	}
	value, ok := n.integer(a.b[from:a.i])
	switch n.bits {
	case 8:
		*(*uint8)(p) = uint8(value)
	case 16:
		*(*uint16)(p) = uint16(value)
	case 32:
		*(*uint32)(p) = uint32(value)
	default:
		*(*uint64)(p) = value
	}
	return ok
}

// aside reads a value that this package decodes whichever way it came.
func (a *assigner) aside(n *plan, p unsafe.Pointer, c byte) bool {
	from := a.i
	if n.owned && c == '{' {
		if text := a.texts.expected(a.b[from:], a.depth); text != nil {
			a.i += len(text)
			*(*[]byte)(p) = text
			return true
		}
	}
	if !n.takes(c) || !a.skipMember(len(n.name)) {
		return false
	}
	raw := a.b[from:a.i:a.i]
	if n.time && c == '"' {
		// As metav1.Time does, which goes through encoding/json.
		if t, err := time.Parse(time.RFC3339, string(raw[1:len(raw)-1])); err == nil {
			*(*time.Time)(p) = t.Local()
			return true
		}
	}
	if n.moment {
		return (*time.Time)(p).UnmarshalJSON(raw) == nil
	}
	if n.owned && c != 'n' {
		*(*[]byte)(p) = a.texts.bytes(raw, a.depth)
		return true
	}
	rule, _ := (&asideDecoder{n.kind, n.typ}).set(p, raw)
	return rule == ""
}

// delegate leaves one value to the pruner and json-iterator.
func (a *assigner) delegate(n *plan, p unsafe.Pointer) bool {
	from := a.i
	if !a.skip() {
		return false
	}
	a.prune.reset(a.b[from:a.i])
	if !a.prune.value(n) {
		return false
	}
	refused, failure := a.prune.iterate(a.api, reflect.NewAt(n.typ, p).Interface())
	fits := refused.rule == "" && failure == nil
	clear(a.prune.aside)
	if a.prune.in.b = nil; cap(a.prune.out) > keepPruned {
		a.prune.out = nil
	}
	return fits
}
