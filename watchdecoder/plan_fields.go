package watchdecoder

import (
	"reflect"
	"strings"
	"unicode"
)

// candidate is a member of a struct or of a struct embedded in it, before names are compared.
type candidate struct {
	name   string
	tagged bool
	depth  int
	typ    reflect.Type
	quoted bool
	allocs bool    // inside an embedded pointer
	offset uintptr // in the outermost struct, unless allocs
}

// fieldsOf finds the members of a struct by the rules of encoding/json: fields of embedded structs count as those of the
// outer one; of several of a name the least deep one stands, of those the tagged one, and none if there are still several.
func (p planner) fieldsOf(t reflect.Type) []planField {
	all := candidates(t, 0, nil)
	fields := make([]planField, len(all))
	n := 0
	for _, c := range all {
		if c.dominates(all) {
			f := &fields[n]
			n++
			f.name, f.quoted, f.allocs, f.offset = c.name, c.quoted, c.allocs, c.offset
			f.member = append(appendQuoted(nil, []byte(c.name)), ':')
			f.plan = p.of(c.typ)
		}
	}
	return fields[:n]
}

// dominates says that no other candidate of the name stands before or beside c.
func (c *candidate) dominates(all []*candidate) bool {
	for _, other := range all {
		if other == c || other.name != c.name {
			continue
		}
		if other.depth < c.depth || other.depth == c.depth && (other.tagged || !c.tagged) {
			return false
		}
	}
	return true
}

// candidates lists a struct's members in the order of its fields. around holds the structs that it is embedded in.
func candidates(t reflect.Type, depth int, around []reflect.Type) []*candidate {
	for _, outer := range around {
		if outer == t {
			return nil
		}
	}
	around = append(around, t)
	var all []*candidate
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if tag == "-" {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if !validName(name) {
			name = ""
		}
		inner := f.Type
		if inner.Kind() == reflect.Pointer && inner.Name() == "" {
			inner = inner.Elem()
		}
		switch {
		case f.Anonymous && inner.Kind() == reflect.Struct && name == "":
			for _, c := range candidates(inner, depth+1, around) {
				c.allocs = c.allocs || f.Type.Kind() == reflect.Pointer
				c.offset += f.Offset
				all = append(all, c)
			}
		case f.IsExported():
			c := &candidate{name: name, tagged: name != "", depth: depth, typ: f.Type, offset: f.Offset, quoted: hasString(options) && canQuote(inner)}
			if name == "" {
				c.name = f.Name
			}
			all = append(all, c)
		}
	}
	return all
}

func hasString(options string) bool {
	return strings.Contains(","+options+",", ",string,")
}

// canQuote says that the option string means anything for a type.
func canQuote(t reflect.Type) bool {
	switch kindOf(t) {
	case planText, planBool, planInt, planUint, planFloat:
		return true
	}
	return false
}

// validName says that encoding/json takes a name in a tag for one.
func validName(name string) bool {
	for _, c := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return true
}
