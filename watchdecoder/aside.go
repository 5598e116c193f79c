package watchdecoder

import (
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	jsoniter "github.com/json-iterator/go"
	"github.com/modern-go/reflect2"
)

// asides tells json-iterator which types this package decodes, and a name.
type asides struct{ jsoniter.DummyExtension }

func (*asides) CreateDecoder(typ reflect2.Type) jsoniter.ValDecoder {
	t := typ.Type1()
	if kind := kindOf(t); kind.ours() {
		return &asideDecoder{kind, t}
	}
	return nil
}

// UpdateStructDescriptor has fields whose tag is no name go by their own, as in encoding/json.
func (*asides) UpdateStructDescriptor(d *jsoniter.StructDescriptor) {
	for _, b := range d.Fields {
		name, _, _ := strings.Cut(b.Field.Tag().Get("json"), ",")
		if !validName(name) && len(b.FromNames) > 0 {
			b.FromNames = []string{b.Field.Name()}
		}
	}
}

// asideDecoder decodes values of one type that the pruner has set aside. The iterator's Attachment is the *aside.
type asideDecoder struct {
	kind planKind
	typ  reflect.Type
}

// aside is what asideDecoders share during one decoding.
type aside struct {
	values []asideValue
	at     int // of the value that was refused
	rule   string
	err    error
}

// asideValue is a value and its offset in the object.
type asideValue struct {
	raw []byte
	at  int
}

// Decode sets the value at p, which is of the decoder's type.
func (d *asideDecoder) Decode(p unsafe.Pointer, iter *jsoniter.Iterator) {
	if iter.ReadNil() {
		if d.kind == planAny {
			*(*any)(p) = nil
		}
		return
	}
	a := iter.Attachment.(*aside)
	value := a.values[iter.ReadInt()]
	if rule, err := d.set(p, value.raw); rule != "" {
		a.at, a.rule, a.err = value.at, rule, err
		iter.ReportError("decode", rule)
	}
}

func (d *asideDecoder) set(p unsafe.Pointer, raw []byte) (rule string, err error) {
	switch d.kind {
	case planAny:
		*(*any)(p), rule = decodeAny(raw)
	case planRaw:
		*(*[]byte)(p) = append((*(*[]byte)(p))[:0], raw...)
	case planFloat:
		f, err := strconv.ParseFloat(string(raw), d.typ.Bits())
		if err != nil {
			return ruleNotFloat, nil
		}
		reflect.NewAt(d.typ, p).Elem().SetFloat(f)
	case planNumber:
		text, _ := unescaped(trimQuotes(raw))
		if !isNumber(text) {
			return "a string that is no number", nil
		}
		*(*string)(p) = string(text)
	case planUnmarshaler:
		err = reflect.NewAt(d.typ, p).Interface().(json.Unmarshaler).UnmarshalJSON(raw)
	case planTexter:
		text, _ := unescaped(trimQuotes(raw))
		err = reflect.NewAt(d.typ, p).Interface().(encoding.TextUnmarshaler).UnmarshalText(text)
	}
	if err != nil {
		rule = ruleRefused
	}
	return rule, err
}

func trimQuotes(raw []byte) []byte {
	if raw[0] == '"' {
		return raw[1 : len(raw)-1]
	}
	return raw
}

func isNumber(text []byte) bool {
	return len(text) > 0 && (text[0] == '-' || isDigit(text[0])) && validate(text) == nil && !isSpace(text[len(text)-1])
}

// decodeAny decodes a valid value into nil, bool, string, int64, float64, []any or map[string]any: an integer that fits an
// int64 exactly, as sigs.k8s.io/json does.
func decodeAny(raw []byte) (any, string) {
	c := cursor{b: raw}
	v, err := c.any()
	switch {
	case errors.Is(err, strconv.ErrRange):
		return nil, ruleNotFloat
	case err != nil:
		return nil, ruleNotJSON
	}
	return v, ""
}

var errNotJSON = errors.New(ruleNotJSON)

func (c *cursor) any() (any, error) {
	switch c.peek() {
	case '{':
		return c.anyObject()
	case '[':
		return c.anyList()
	case '"':
		text, ok := c.text()
		if !ok {
			return nil, errNotJSON
		}
		text, _ = unescaped(text)
		return string(text), nil
	}
	from := c.i
	if !c.skip() {
		return nil, errNotJSON
	}
	switch text := string(c.b[from:c.i]); text {
	case "null":
		return nil, nil
	case "true", "false":
		return text == "true", nil
	default:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
		f, err := strconv.ParseFloat(text, 64)
		return f, err
	}
}

func (c *cursor) anyObject() (any, error) {
	c.i++
	m := map[string]any{}
	for key, ok := c.key(true); ok; key, ok = c.key(false) {
		name, _ := unescaped(key)
		v, err := c.any()
		if err != nil {
			return nil, err
		}
		m[string(name)] = v
	}
	return m, nil
}

func (c *cursor) anyList() (any, error) {
	c.i++
	list := []any{}
	for !c.take(']') {
		v, err := c.any()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if !c.take(',') && c.peek() != ']' {
			return nil, errNotJSON
		}
	}
	return list, nil
}
