package status

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var jsonCases = []string{
	``, ` `, `null`, ` true `, `false`, `nul`, `nulL`, `0`, `-0`, `-`, `01`, `-7`, `1.5`, `1.`, `1e2`, `1E-2`, `1e+`, `1e`, `+1`, `.5`, `2147483647`,
	`2147483648`, `-2147483648`, `""`, `"a`, "\"\n\"", `"\x"`, `"\"\\\/\b\f\n\r\t"`, `"\u00e9\u00E9"`, `"\u12"`, `"\u12g4"`, `"\`, "\"\xff\xfe\xed\xa0\x80é\"",
	`"\ud83d\ude00"`, `"\ud83d"`, `"\ud83d\u0041"`, `"\ud83d\ud83d\ude00"`, `"\ude00"`, `"\ud83dxu0041"`, `"\ufffd"`,
	`{}`, `{ }`, `{"a":1,"a":null,"A":2}`, `{"\u0061":1,"a" : [ 2 ] }`, "{\"\xff\":1,\"\xfe\":2}", `{"a":1,}`, `{,}`, `{a:1}`, `{"a"}`, `{"a" 1}`, `{"a":}`, `{"a":1]`, `{} x`, `{}{}`,
	`[]`, `[ ]`, `[1, 2]`, `[1,]`, `[1 2]`, `[}`, `[null,{},{"a":{}}]`, `[{},1]`, `[[]]`, "\v1", "\u00a01",
	strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), strings.Repeat("[", maxDepth+1), strings.Repeat(`{"a":`, maxDepth) + "1" + strings.Repeat("}", maxDepth),
	strings.Repeat(`{"a":`, maxDepth+1) + "1",
}

func TestJSONIsReadAsEncodingJSONDoes(t *testing.T) {
	for _, in := range jsonCases {
		compareJSON(t, []byte(in))
		for i := range min(len(in), 100) {
			compareJSON(t, []byte(in[:i]))
		}
	}
}

// FuzzJSON holds the reader against encoding/json: its verdict, the offset, and each type it reads.
func FuzzJSON(f *testing.F) {
	for _, in := range jsonCases[:len(jsonCases)-4] { // without the deep ones
		f.Add([]byte(in))
	}
	f.Add([]byte(forbiddenPods))
	f.Fuzz(compareJSON)
}

func compareJSON(t *testing.T, in []byte) {
	t.Helper()
	v, offset := parseJSON(in)
	if (v != nil) != json.Valid(in) {
		t.Fatalf("%.100q: valid is %v, encoding/json says %v", in, v != nil, json.Valid(in))
	}
	if v == nil {
		bad, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(in, new(any)))
		if !ok || bad.Offset != int64(offset) {
			t.Fatalf("%.100q: offset %d, encoding/json: %+v", in, offset, bad)
		}
		return
	}
	compareRead(t, in, jsonValue.text, v)
	compareRead(t, in, jsonValue.integer, v)
	compareRead(t, in, func(v jsonValue) (map[string]json.RawMessage, bool) {
		f, ok := v.object()
		return rawMembers(f), ok
	}, v)
	compareRead(t, in, func(v jsonValue) (all []map[string]json.RawMessage, ok bool) {
		objects, ok := v.objects()
		if ok && !v.null() {
			all = []map[string]json.RawMessage{} // encoding/json tells [] from null, nothing here does
		}
		for _, f := range objects {
			all = append(all, rawMembers(f))
		}
		return all, ok
	}, v)
}

func compareRead[T any](t *testing.T, in []byte, read func(jsonValue) (T, bool), v jsonValue) {
	t.Helper()
	var want T
	err := json.Unmarshal(in, &want)
	got, ok := read(v)
	if ok != (err == nil) {
		t.Fatalf("%.100q: read is %v, encoding/json: %v", in, ok, err)
	}
	if diff := cmp.Diff(want, got); ok && diff != "" {
		t.Fatalf("%.100q:\n%s", in, diff)
	}
}

func rawMembers(f fields) map[string]json.RawMessage {
	if f == nil {
		return nil
	}
	all := map[string]json.RawMessage{}
	for key, value := range f {
		all[key] = json.RawMessage(value)
	}
	return all
}
