package fakeapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/labels"
)

// Object is one state of one object.
type Object struct {
	Namespace, Name, UID string
	// ResourceVersion is the version at which this state was written.
	ResourceVersion uint64
	// JSON is the object as the server sends it, kind and apiVersion
	// included. It is shared: do not modify.
	JSON []byte
}

// object is a state at rest, immutable once stored.
type object struct {
	draft
	version uint64
	json    []byte
	fields  *lazyFields
}

// draft is an object before it has a version.
type draft struct {
	kind *kind
	meta objectMeta
	// content are the top-level fields beside apiVersion, kind and metadata:
	// in the order given for a built-in kind, sorted at every depth for a
	// custom one.
	content []field
}

type field struct {
	name  string
	value json.RawMessage
}

// parseObject reads an object of kind k. What apiVersion and kind say, if
// anything, has to be right.
func parseObject(k *kind, data []byte) (*draft, error) {
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	top, err := parseFields(data)
	if err != nil {
		return nil, badRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", k.Kind, k.APIVersion(), k.Kind, err))
	}
	d := &draft{kind: k}
	for _, f := range top {
		if err := d.set(f); err != nil {
			return nil, err
		}
	}
	// Every built-in Go type has its spec first and its status last.
	slices.SortStableFunc(d.content, func(a, b field) int { return a.rank() - b.rank() })
	return d, nil
}

func (f field) rank() int {
	switch f.name {
	case "spec":
		return 0
	case "status":
		return 2
	}
	return 1
}

func (d *draft) set(f field) error {
	k := d.kind
	switch f.name {
	case "apiVersion", "kind":
		want := k.Kind
		if f.name == "apiVersion" {
			want = k.APIVersion()
		}
		var got string
		if err := json.Unmarshal(f.value, &got); err != nil || got != want && got != "" {
			return badRequest(fmt.Sprintf("the %s in the data (%.80s) does not match the expected %s (%s)", f.name, f.value, f.name, want))
		}
	case "metadata":
		d.meta = objectMeta{}
		if err := json.Unmarshal(f.value, &d.meta); err != nil {
			return badRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", k.Kind, k.APIVersion(), k.Kind, err))
		}
	default:
		value, err := canonical(f.value, k.custom)
		if err != nil {
			return badRequest(err.Error())
		}
		d.put(f.name, value)
	}
	return nil
}

// put replaces a field of the content or adds it; null removes it.
func (d *draft) put(name string, value json.RawMessage) {
	i := slices.IndexFunc(d.content, func(f field) bool { return f.name == name })
	null := string(value) == "null"
	switch {
	case i < 0 && !null:
		d.content = append(slices.Clip(d.content), field{name, value})
	case i >= 0 && null:
		d.content = slices.Delete(slices.Clone(d.content), i, i+1)
	case i >= 0:
		d.content = slices.Clone(d.content)
		d.content[i].value = value
	}
}

func (d *draft) get(name string) json.RawMessage {
	for _, f := range d.content {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

// at renders the draft as it is stored at a version.
func (d *draft) at(version uint64) *object {
	o := &object{draft: *d, version: version}
	o.meta.ResourceVersion = strconv.FormatUint(version, 10)
	o.json, o.fields = o.render(), &lazyFields{}
	return o
}

// at renders the same state under another version, as a DELETED event does.
func (o *object) at(version uint64) *object {
	c := *o
	c.version = version
	c.meta.ResourceVersion = strconv.FormatUint(version, 10)
	c.json = c.render() // the fields are the same
	return &c
}

func (o *object) public() Object {
	return Object{Namespace: o.meta.Namespace, Name: o.meta.Name, UID: o.meta.UID, ResourceVersion: o.version, JSON: o.json}
}

func (o *object) labels() labels.Set { return o.meta.Labels }

// item is the object as an element of a list: built-in kinds leave out what
// the list already says.
func (o *object) item() (head string, tail []byte) {
	if o.kind.custom {
		return "", o.json
	}
	return "{", o.json[len(o.kind.typeMeta()):]
}

// typeMeta is how an object of a built-in kind begins.
func (k *kind) typeMeta() string {
	return `{"kind":"` + k.Kind + `","apiVersion":"` + k.APIVersion() + `",`
}

func (d *draft) render() []byte {
	if d.kind.custom {
		return d.renderSorted()
	}
	b := []byte(d.kind.typeMeta())
	b = append(b, `"metadata":`...)
	b = append(b, mustJSON(&d.meta)...)
	for _, f := range d.content {
		b = append(b, ',')
		b = append(b, mustJSON(f.name)...)
		b = append(b, ':')
		b = append(b, f.value...)
	}
	return append(b, '}')
}

func (d *draft) renderSorted() []byte {
	var meta map[string]json.RawMessage
	if err := json.Unmarshal(mustJSON(&d.meta), &meta); err != nil {
		panic(err) // it was marshalled a line above
	}
	all := map[string]any{"apiVersion": d.kind.APIVersion(), "kind": d.kind.Kind, "metadata": meta}
	for _, f := range d.content {
		all[f.name] = f.value
	}
	return mustJSON(all)
}

// parseFields reads a JSON object's members in their order. Of several with
// one name the last counts.
func parseFields(data []byte) ([]field, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil {
		return nil, err
	} else if t != json.Delim('{') {
		return nil, fmt.Errorf("not a JSON object")
	}
	var all []field
	index := make(map[string]int) // a million members are no reason for a quadrillion steps
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		f := field{name: name.(string)} // the decoder allows no other token here
		if err := d.Decode(&f.value); err != nil {
			return nil, err
		}
		if i, again := index[f.name]; again {
			all[i].value = f.value
			continue
		}
		index[f.name] = len(all)
		all = append(all, f)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("data after the JSON object")
	}
	return all, nil
}

// canonical rewrites a valid JSON value without white space and with HTML
// escaped, as encoding/json in the real server does; sorted also orders keys.
func canonical(value json.RawMessage, sorted bool) (json.RawMessage, error) {
	if sorted {
		d := json.NewDecoder(bytes.NewReader(value))
		d.UseNumber() // a number keeps its digits
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		return json.Marshal(v)
	}
	var compact, escaped bytes.Buffer
	if err := json.Compact(&compact, value); err != nil {
		return nil, err
	}
	json.HTMLEscape(&escaped, compact.Bytes())
	return escaped.Bytes(), nil
}

// mustJSON marshals values that cannot fail: strings, maps of strings and
// JSON that was checked before.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
