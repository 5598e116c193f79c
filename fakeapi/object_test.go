package fakeapi

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// decodeAny reads JSON with encoding/json, numbers as they are written.
func decodeAny(data []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var m map[string]any
	err := d.Decode(&m)
	return m, err
}

// Whatever a client sends, what is stored is JSON that encoding/json reads as
// the same content, and storing that again changes nothing.
func FuzzObjectsKeepTheirContent(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"metadata":{"name":"a"}}`, `{"spec":{"a":1.50,"b":[null,true,"<&>\u2028"]},"status":{},"data":{"x":"y"}}`,
		`{"metadata":{"labels":{"a":"b"}},"a":1,"a":2}`, `{"a":null}`, `{"spec":1e999}`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, ` { "kind" : "Pod" } `,
		`{"metadata":null}`, `{"":0}`, `{"Metadata":{"name":"x"},"SPEC":{}}`, `{"a":{"b":1,"b":2}}`, `{"a":-0,"b":1E+2,"c":9007199254740993}`,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	pods := builtins[8].build()
	f.Fuzz(func(t *testing.T, data []byte, custom bool) {
		k := pods
		if custom {
			k = newCustom(widgets)
		}
		d, err := parseObject(k, data)
		if err != nil {
			return
		}
		o := d.at(7)
		if !utf8.Valid(o.json) || !json.Valid(o.json) {
			t.Fatalf("%q became %q", data, o.json)
		}
		sent, err := decodeAny(bytes.ToValidUTF8(data, []byte("\uFFFD")))
		if err != nil {
			t.Fatalf("accepted %q, which encoding/json does not: %v", data, err)
		}
		stored, err := decodeAny(o.json)
		if err != nil {
			t.Fatal(err)
		}
		if stored["kind"] != k.Kind || stored["apiVersion"] != k.APIVersion() || stored["metadata"].(map[string]any)["resourceVersion"] != "7" {
			t.Fatalf("%q became %s", data, o.json)
		}
		for _, m := range []map[string]any{sent, stored} {
			delete(m, "metadata")
			delete(m, "kind")
			delete(m, "apiVersion")
		}
		for name, value := range sent {
			if value == nil {
				delete(sent, name) // a field of null is a field that is not there
			}
		}
		if diff := cmp.Diff(sent, stored); diff != "" {
			t.Fatalf("%q became %s\n%s", data, o.json, diff)
		}
		again, err := parseObject(k, o.json)
		if err != nil {
			t.Fatalf("%s is not accepted again: %v", o.json, err)
		}
		if twice := again.at(7); !bytes.Equal(twice.json, o.json) {
			t.Fatalf("%s became %s", o.json, twice.json)
		}
		head, tail := o.item()
		if item := head + string(tail); !json.Valid([]byte(item)) || !custom && strings.HasPrefix(item, `{"kind"`) {
			t.Fatalf("the item of %s is %s", o.json, item)
		}
	})
}
