package fakeapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// selection is what a list or watch is about within its resource.
type selection struct {
	namespace string // "" is all
	labels    labels.Selector
	fields    fields.Selector
}

// everything says that no selector was given; the namespace is not one.
func (s *selection) everything() bool { return s.labels.Empty() && s.fields.Empty() }

func (s *selection) matches(o *object) bool {
	if o == nil || s.namespace != "" && o.meta.Namespace != s.namespace {
		return false
	}
	return s.labels.Matches(o.labels()) && (s.fields.Empty() || s.fields.Matches(o.selectable()))
}

// lazyFields are computed once for a state, if anybody selects by them.
type lazyFields struct {
	once sync.Once
	set  fields.Set
}

// selectable returns the values that field selectors see.
func (o *object) selectable() fields.Set {
	o.fields.once.Do(func() { o.fields.set = o.draft.selectable() })
	return o.fields.set
}

func (d *draft) selectable() fields.Set {
	set := fields.Set{"metadata.name": d.meta.Name}
	if d.kind.Namespaced {
		set["metadata.namespace"] = d.meta.Namespace
	}
	tree := make(map[string]map[string]json.RawMessage) // parsed once per object
	for _, f := range d.kind.fields {
		set[f.label] = f.value(d, tree)
	}
	return set
}

func (f selectable) value(d *draft, tree map[string]map[string]json.RawMessage) string {
	raw := d.get(f.path[0])
	for i, name := range f.path[1:] {
		at := strings.Join(f.path[:i+1], ".")
		if _, parsed := tree[at]; !parsed {
			var m map[string]json.RawMessage
			_ = json.Unmarshal(raw, &m) // what is no object has no fields
			tree[at] = m
		}
		raw = tree[at][name]
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return f.zero
	}
	switch v := v.(type) {
	case string:
		return v
	case bool, float64:
		return string(raw)
	default: // null, or a shape that no selector reads
		return f.zero
	}
}

// checkFields refuses a selector on a field the kind does not offer, in the
// words of its real conversion function.
func (k *kind) checkFields(s fields.Selector) error {
	for _, r := range s.Requirements() {
		if !k.selects(r.Field) {
			if len(k.fields) == 0 && !k.custom {
				return badRequest(fmt.Sprintf("%q is not a known field selector: only %q, %q", r.Field, "metadata.name", "metadata.namespace"))
			}
			return badRequest("field label not supported: " + r.Field)
		}
	}
	return nil
}

func (k *kind) selects(label string) bool {
	if label == "metadata.name" || label == "metadata.namespace" {
		return true
	}
	for _, f := range k.fields {
		if f.label == label {
			return true
		}
	}
	return false
}
