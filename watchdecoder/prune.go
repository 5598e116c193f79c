package watchdecoder

import (
	"bytes"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// pruner copies the declared parts of one object to out, for json-iterator: members of declared names, compared byte by byte
// after unescaping, whose values have been found to be of the declared shape. So nothing is left on which its key matching by
// hash, its number grammar and its skipping could go wrong (DESIGN.md, "json-iterator"). What this package decodes itself -
// floats, any, types that unmarshal themselves - is set aside, and its number stands in its place.
type pruner struct {
	in    cursor
	out   []byte
	aside []asideValue

	rule string // that was broken, at in.i
}

func (p *pruner) reset(raw []byte) {
	p.in = cursor{b: raw}
	p.out = p.out[:0]
	p.aside = p.aside[:0]
	p.rule = ""
}

// Rules of a DecodeError.
const (
	ruleNotJSON  = "not valid JSON"
	ruleRefused  = "refused by its UnmarshalJSON or UnmarshalText"
	rulePanic    = "a panic"
	ruleNotFloat = "a number out of range"
)

//go:noinline // as scanner.bad
func (p *pruner) fail(rule string) bool {
	if p.rule == "" {
		p.rule = rule
	}
	return false
}

// mismatch notes that the value here is not of the declared type.
func (p *pruner) mismatch(n *plan) bool {
	return p.fail(found(p.in.peek()) + " where " + n.name + " is declared")
}

func found(first byte) string {
	switch first {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// value copies the value that comes next.
func (p *pruner) value(n *plan) bool {
	c := p.in.peek()
	if c == 'n' && n.kind != planUnmarshaler && n.kind != planRaw {
		p.out = append(p.out, "null"...)
		return p.in.skip()
	}
	switch n.kind {
	case planPointer:
		return p.value(n.elem)
	case planStruct:
		return p.object(n, c)
	case planMap:
		return p.all(n, c)
	case planList:
		return p.list(n, c)
	case planText:
		return p.text(n, c)
	case planBytes:
		if c == '[' {
			return p.list(&plan{elem: &plan{kind: planUint, bits: 8, name: "uint8"}}, c)
		}
		return p.text(n, c)
	case planBool:
		return p.scalar(n, c == 't' || c == 'f')
	case planInt, planUint:
		return p.integer(n)
	case planNever:
		return p.mismatch(n)
	}
	return p.setAside(n, c)
}

// object copies the declared members of an object.
func (p *pruner) object(n *plan, c byte) bool {
	if c != '{' {
		return p.mismatch(n)
	}
	p.in.i++
	p.out = append(p.out, '{')
	next := 0
	for key, ok := p.in.key(true); ok; key, ok = p.in.key(false) {
		name := key
		if !plain(key) {
			name, _ = appendUnquoted(nil, key)
		}
		i := n.field(name, next)
		if i < 0 {
			if !p.in.skip() {
				return p.fail(ruleNotJSON)
			}
			continue
		}
		next = i + 1
		if !p.member(&n.fields[i]) {
			return false
		}
	}
	return p.closed('}')
}

func (p *pruner) member(f *planField) bool {
	c := p.in.peek()
	if c == 'n' && f.plan.ignoresNull() && !f.allocs {
		return p.in.skip() || p.fail(ruleNotJSON)
	}
	p.out = append(p.out, f.member...)
	switch {
	case !f.quoted || c == 'n':
		return p.value(f.plan) && p.comma()
	case c == '"':
		return p.quoted(f.plan) && p.comma()
	}
	return p.mismatch(f.plan)
}

// ignoresNull says that null leaves such a value as it is, as encoding/json has it.
func (n *plan) ignoresNull() bool {
	switch n.kind {
	case planPointer, planMap, planList, planBytes, planAny, planRaw, planUnmarshaler:
		return false
	}
	return true
}

func (p *pruner) comma() bool {
	p.out = append(p.out, ',')
	return true
}

// closed ends an object or array behind its bracket, in place of the last comma.
func (p *pruner) closed(bracket byte) bool {
	if p.in.b[p.in.i-1] != bracket {
		return p.fail(ruleNotJSON)
	}
	if last := len(p.out) - 1; p.out[last] == ',' {
		p.out[last] = bracket
	} else {
		p.out = append(p.out, bracket)
	}
	return true
}

// all copies all members of an object.
func (p *pruner) all(n *plan, c byte) bool {
	if c != '{' {
		return p.mismatch(n)
	}
	p.in.i++
	p.out = append(p.out, '{')
	for key, ok := p.in.key(true); ok; key, ok = p.in.key(false) {
		p.string(key)
		p.out = append(p.out, ':')
		if !p.value(n.elem) {
			return false
		}
		p.comma()
	}
	return p.closed('}')
}

// list copies an array.
func (p *pruner) list(n *plan, c byte) bool {
	if c != '[' {
		return p.mismatch(n)
	}
	p.in.i++
	p.out = append(p.out, '[')
	if p.in.take(']') {
		return p.closed(']')
	}
	for {
		if !p.value(n.elem) {
			return false
		}
		p.comma()
		if !p.in.take(',') {
			break
		}
	}
	if !p.in.take(']') {
		return p.fail(ruleNotJSON)
	}
	return p.closed(']')
}

func (p *pruner) text(n *plan, c byte) bool {
	if c != '"' {
		return p.mismatch(n)
	}
	text, ok := p.in.text()
	if !ok {
		return p.fail(ruleNotJSON)
	}
	p.string(text)
	return true
}

// string copies a string such that json-iterator and encoding/json read the same: those with escapes it writes anew.
func (p *pruner) string(text []byte) {
	if plain(text) || bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
		p.out = append(p.out, '"')
		p.out = append(p.out, text...)
		p.out = append(p.out, '"')
		return
	}
	clean, _ := appendUnquoted(nil, text)
	p.out = appendQuoted(p.out, clean)
}

func (p *pruner) scalar(n *plan, fits bool) bool {
	if !fits {
		return p.mismatch(n)
	}
	from := p.in.i
	if !p.in.skip() {
		return p.fail(ruleNotJSON)
	}
	p.out = append(p.out, p.in.b[from:p.in.i]...)
	return true
}

func (p *pruner) integer(n *plan) bool {
	c := p.in.peek()
	if c != '-' && !isDigit(c) {
		return p.mismatch(n)
	}
	from := p.in.i
	if !p.in.skip() {
		return p.fail(ruleNotJSON)
	}
	if digits := p.in.b[from:p.in.i]; !n.holds(digits) {
		p.in.i = from
		return p.fail("a number that is no " + n.name)
	} else {
		p.out = append(p.out, digits...)
	}
	return true
}

// holds says that a number is an integer of the plan's size, written as one.
func (n *plan) holds(number []byte) bool {
	_, ok := n.integer(number)
	return ok
}

// integer reads an integer of the plan's size; a negative one is returned in two's complement.
func (n *plan) integer(number []byte) (value uint64, ok bool) {
	limit := uint64(1)<<(n.bits-1) - 1 // of signed ones
	negative := false
	if n.kind == planUint {
		limit = limit<<1 | 1
	} else if number[0] == '-' {
		number = number[1:]
		negative = true
		limit++
	}
	for _, c := range number {
		high, low := bits.Mul64(value, 10)
		sum, carry := bits.Add64(low, uint64(c-'0'), 0)
		if !isDigit(c) || high|carry != 0 || sum > limit {
			return 0, false
		}
		value = sum
	}
	if negative {
		value = -value
	}
	return value, len(number) > 0
}

// quoted copies the value inside a string of a field with the option string.
func (p *pruner) quoted(n *plan) bool {
	from := p.in.i
	text, ok := p.in.text()
	if !ok {
		return p.fail(ruleNotJSON)
	}
	inner, _ := unescaped(text)
	sub := pruner{in: cursor{b: inner}, aside: p.aside}
	if validate(inner) != nil || isSpace(inner[0]) || isSpace(inner[len(inner)-1]) || !sub.value(n.pointee()) {
		p.in.i = from
		return p.fail("a string that holds no " + n.name)
	}
	for i := len(p.aside); i < len(sub.aside); i++ {
		sub.aside[i].at = from
	}
	p.aside = sub.aside
	if n.kind == planText {
		p.out = appendQuoted(p.out, sub.out)
		return true
	}
	p.out = append(p.out, '"')
	p.out = append(p.out, sub.out...)
	p.out = append(p.out, '"')
	return true
}

// setAside keeps the value that comes next for this package to decode.
func (p *pruner) setAside(n *plan, c byte) bool {
	if !n.takes(c) {
		return p.mismatch(n)
	}
	from := p.in.i
	if !p.in.skip() {
		return p.fail(ruleNotJSON)
	}
	p.out = strconv.AppendInt(p.out, int64(len(p.aside)), 10)
	p.aside = append(p.aside, asideValue{p.in.b[from:p.in.i:p.in.i], from})
	return true
}

// takes says that a value which begins with c may be decoded by this package.
func (n *plan) takes(c byte) bool {
	switch n.kind {
	case planFloat:
		return c == '-' || isDigit(c)
	case planNumber:
		return c == '-' || isDigit(c) || c == '"'
	case planTexter:
		return c == '"'
	}
	return true
}
