package fidelity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// member is one "key": value of an object, in the order of the wire.
type member struct {
	key   string
	value any
}

// object keeps its members' order, because two servers that answer with other
// orders are different for a reader that streams.
type object []member

func (o object) get(path ...string) any {
	for _, m := range o {
		if m.key != path[0] {
			continue
		}
		if len(path) == 1 {
			return m.value
		}
		inner, _ := m.value.(object)
		return inner.get(path[1:]...)
	}
	return nil
}

func (o object) text(path ...string) string {
	if v := o.get(path...); v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

func (o object) keys() []string {
	keys := make([]string, len(o))
	for i, m := range o {
		keys[i] = m.key
	}
	return keys
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, _ := json.Marshal(m.key)
		b.Write(key)
		b.WriteByte(':')
		value, err := marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// parse reads all JSON values of data, with objects as type object.
func parse(data []byte) ([]any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var all []any
	for {
		v, err := parseValue(d)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, v)
	}
}

func parseValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := object{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			o = append(o, member{key.(string), value})
		}
		_, err := d.Token()
		return o, err
	case json.Delim('['):
		a := []any{}
		for d.More() {
			value, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			a = append(a, value)
		}
		_, err := d.Token()
		return a, err
	}
	return token, nil
}

func join(keys []string) string { return strings.Join(keys, " ") }
