package watchdecoder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type assigned struct {
	Metadata struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		NodeName   string `json:"nodeName"`
		Containers []struct {
			Name  string `json:"name"`
			Image string `json:"image"`
		} `json:"containers"`
	} `json:"spec"`
}

// assignedBy is the fast way alone.
func assignedBy[T any](c *jsonCodec[T], raw []byte) *T {
	value := new(T)
	if !c.assign(unsafe.Pointer(value), raw) {
		return nil
	}
	return value
}

func podTemplate(tb testing.TB) []byte {
	tb.Helper()
	indented, err := os.ReadFile("testdata/pod.json")
	if err != nil {
		tb.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, indented); err != nil {
		tb.Fatal(err)
	}
	return compact.Bytes()
}

// Whatever the fast way does not take is decoded all the same: only the price would show that it takes nothing.
func TestOrdinaryObjectsAreAssigned(t *testing.T) {
	pod := podTemplate(t)
	var indented bytes.Buffer
	if err := json.Indent(&indented, pod, "\r\n", "\t "); err != nil {
		t.Fatal(err)
	}
	for _, raw := range [][]byte{pod, indented.Bytes()} {
		if assignedBy(newJSONCodec[assigned](), raw) == nil || assignedBy(newJSONCodec[described](), raw) == nil {
			t.Error("a pod goes the slow way")
		}
	}
	a, plan := new(assigner), newJSONCodec[assigned]().plan // not through the pool, which drops things under the race detector
	// The object, two strings that are not shared with the one before at most, a map and its group, a list.
	if n := testing.AllocsPerRun(100, func() { a.document(pod, plan, unsafe.Pointer(new(assigned))) }); n > 6 {
		t.Errorf("%v allocations for five fields of a pod", n)
	}
}

// What objects have in common is in memory once.
func TestStringsAreShared(t *testing.T) {
	var w words
	for _, text := range []string{"", "a", "team-007", "kube-system", "a-name-that-is-longer-than-a-word"} {
		first := w.string([]byte(text))
		if first != text {
			t.Fatalf("%q became %q", text, first)
		}
		bytes := []byte(text)
		if n := testing.AllocsPerRun(10, func() { w.string(bytes) }); n != 0 {
			t.Errorf("%q: %v allocations for a string that was seen", text, n)
		}
	}
}

// An array that is written over keeps what encoding/json keeps, and memory taken in expectation is given back.
func TestShortListAfterLongOnesTakesNoRoom(t *testing.T) {
	codec := newJSONCodec[[][100]byte]()
	long, short := []byte("["+string(bytes.Repeat([]byte("[],"), 15))+"[]]"), []byte("[[]]")
	for range 2 {
		if v := assignedBy(codec, long); v == nil || len(*v) != 16 {
			t.Fatal("a list goes the slow way")
		}
	}
	if v := assignedBy(codec, short); v == nil || len(*v) != 1 || cap(*v) != 1 {
		t.Errorf("length and capacity %d, %d", len(*v), cap(*v))
	}
}

func TestFieldOwnershipIsInMemoryOnce(t *testing.T) {
	type owned struct {
		Metadata struct {
			ManagedFields []metav1.ManagedFieldsEntry `json:"managedFields"`
		} `json:"metadata"`
	}
	entry := func(fields string) []byte {
		return fmt.Appendf(nil, `{"metadata":{"managedFields":[{"manager":"a","fieldsV1":%s}]}}`, fields)
	}
	c := newJSONCodec[owned]()
	a := new(assigner)
	decode := func(raw []byte) *metav1.FieldsV1 {
		o := new(owned)
		if !a.document(raw, c.plan, unsafe.Pointer(o)) {
			t.Fatalf("%s goes the slow way", raw)
		}
		slow := new(owned)
		if err := json.Unmarshal(raw, slow); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(slow, o); diff != "" {
			t.Errorf("against encoding/json (-want +got):\n%s", diff)
		}
		return o.Metadata.ManagedFields[0].FieldsV1
	}
	first, other, again := decode(entry(`{"f:a":{}}`)), decode(entry(`{"f:b":{}}`)), decode(entry(`{"f:a":{}}`))
	if &first.GetRawBytes()[0] != &again.GetRawBytes()[0] || string(other.GetRawBytes()) != `{"f:b":{}}` {
		t.Errorf("%s, %s and %s", first.GetRawBytes(), other.GetRawBytes(), again.GetRawBytes())
	}
	if _ = append(first.GetRawBytes(), 'x'); string(again.GetRawBytes()) != `{"f:a":{}}` || cap(again.GetRawBytes()) != len(again.GetRawBytes()) {
		t.Error("what is appended to one is in the other")
	}
	if f := decode(entry("null")); f != nil {
		t.Errorf("null is %s", f.GetRawBytes())
	}
	long := entry(`{"f:a":"` + strings.Repeat("x", textLength) + `"}`)
	if one, two := decode(long), decode(long); &one.GetRawBytes()[0] == &two.GetRawBytes()[0] {
		t.Error("what is long is kept for ever")
	}
}

// A text that is expected is taken for what it is only where the input is valid with it: whatever comes behind it, or in its place, is judged as ever.
func TestExpectedFieldOwnershipChangesNoVerdict(t *testing.T) {
	type nested struct {
		Fields *metav1.FieldsV1 `json:"fields"`
		Inner  *nested          `json:"inner"`
	}
	c := newJSONCodec[nested]()
	documents := []string{
		`{"fields":{"f:a":{}}}`, `{"fields":{"f:a":{}},"inner":{"fields":{"f:b":{}}}}`, `{"fields":{"f:a":{}}}`, `{"fields":{"f:a":{}} }`,
		`{"fields":{"f:a":{}}}}`, `{"fields":{"f:a":{}}x}`, `{"fields":{"f:a":{}`, `{"fields":{"f:a":{}}`, `{"fields":{"f:a":{ }}}`, `{"fields":{"f:a":{}},}`,
		`{"fields":7}`, `{"fields":77}`, `{"fields":[]}`, `{"fields":{}}`, `{"fields":null}`,
	}
	for _, first := range documents {
		for _, second := range documents {
			for _, third := range documents {
				a := new(assigner)
				for _, raw := range []string{first, second, third} {
					got, want := new(nested), new(nested)
					ok := a.document([]byte(raw), c.plan, unsafe.Pointer(got))
					if err := json.Unmarshal([]byte(raw), want); ok != (err == nil) {
						t.Fatalf("%s behind %s and %s: valid: %v, encoding/json: %v", raw, first, second, ok, err)
					}
					if diff := cmp.Diff(want, got); ok && diff != "" {
						t.Fatalf("%s behind %s and %s (-encoding/json +got):\n%s", raw, first, second, diff)
					}
				}
			}
		}
	}
	deep := func(n int) []byte {
		return []byte(strings.Repeat(`{"inner":`, n) + `{"fields":{"a":{"b":{}}}}` + strings.Repeat("}", n))
	}
	a := new(assigner)
	for n := HighestDepth - 6; n < HighestDepth; n++ {
		got := a.document(deep(n), c.plan, unsafe.Pointer(new(nested)))
		if want := Valid(deep(n)) == nil; got != want {
			t.Errorf("nested %d deep: %v, want %v: what was valid at another depth says nothing about this one", n+4, got, want)
		}
	}
}

func TestExpectedIsWhatCameBehindTheLastOne(t *testing.T) {
	var seen texts
	x, y := []byte(`{"f:x":{}}`), []byte(`{"f:y":{}}`)
	for range 2 {
		seen.bytes(x, 3)
		seen.bytes(y, 3)
	}
	if got := seen.expected([]byte(`{"f:y":{}},"time":"T"}`), 3); got != nil {
		t.Errorf("behind y came x, and what is expected is %s", got)
	}
	got := seen.expected([]byte(`{"f:x":{}},"time":"T"}`), 3)
	if string(got) != string(x) || cap(got) != len(got) {
		t.Errorf("behind y came %s, want x, and nothing to append to", got)
	}
	if got := seen.expected(y, 3); string(got) != string(y) {
		t.Errorf("behind x came %s, want y", got)
	}
}

// A map's member is in memory that is used again; what was put into a map before, or into the map around, is not in there.
func TestMapsOfAnythingShareNothing(t *testing.T) {
	type tree map[string]tree
	type maps struct {
		Trees tree                          `json:"trees"`
		Lists map[string][]int              `json:"lists"`
		Deep  map[string]map[string][]int   `json:"deep"`
		Named map[string]struct{ A, B int } `json:"named"`
	}
	c := newJSONCodec[maps]()
	a := new(assigner)
	var all []*maps
	documents := []string{
		`{"trees":{"a":{"b":{"c":null},"d":{}},"e":{"f":{"g":{}}}},"lists":{"a":[1,2,3],"b":[4],"c":[]}}`,
		`{"named":{"a":{"A":1,"B":2},"b":{"B":3},"c":{}},"lists":{"b":null,"c":[5,6]},"deep":{"a":{"b":[1]},"c":{},"d":{"b":[2,3]}}}`,
		`{"trees":{"a":{"b":{"c":null},"d":{}}},"trees":{"a":{},"h":{"i":{}}},"deep":{"a":null}}`,
	}
	for range 3 {
		for _, raw := range documents {
			value := new(maps)
			if !a.document([]byte(raw), c.plan, unsafe.Pointer(value)) {
				t.Fatalf("%s goes the slow way", raw)
			}
			all = append(all, value)
		}
	}
	for i, got := range all { // after all of them, as one could write into another
		want := new(maps)
		if err := json.Unmarshal([]byte(documents[i%len(documents)]), want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-encoding/json +got):\n%s", documents[i%len(documents)], diff)
		}
	}
}
