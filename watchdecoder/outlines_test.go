package watchdecoder

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unsafe"
)

type named struct {
	Name string `json:"name"`
}

// What is compared is judged as what is read: whatever stands in place of a part of a text that was seen before.
func TestWhatIsNotDeclaredIsJudgedAsEver(t *testing.T) {
	seen := `{"x":[{"manager":"a","time":"2026-01-01T00:00:00Z","f":{"k:{\"uid\":\"1\"}":{},".":[1,true,null,"",{}]}}],"name":"n"}`
	plan := newJSONCodec[named]().plan
	judge := func(a *assigner, raw string) {
		t.Helper()
		got, want := new(named), new(named)
		ok := a.document([]byte(raw), plan, unsafe.Pointer(got))
		if err := json.Unmarshal([]byte(raw), want); ok != (err == nil) {
			t.Fatalf("%s is valid: %v, encoding/json: %v", raw, ok, err)
		}
		if ok && *got != *want {
			t.Fatalf("%s: got %q, want %q", raw, got.Name, want.Name)
		}
	}
	for at := range seen {
		for _, put := range []string{"", `"`, `\`, `\"`, `\\`, `\u12`, `\ud83d\ude00`, "long and longer", "1", "{", "}", "[", "]", ",", ":", " ", "\x00", "\xff"} {
			for _, cut := range []int{0, 1, 2, 9} {
				if at+cut > len(seen) {
					continue
				}
				a := new(assigner)
				judge(a, seen)
				judge(a, seen[:at]+put+seen[at+cut:])
				judge(a, seen[:at]+put)
				judge(a, seen)
			}
		}
	}
}

func TestWhatIsNotDeclaredMayBeAsDeepAsEver(t *testing.T) {
	type nested struct {
		Inner *nested `json:"inner"`
	}
	c := newJSONCodec[nested]()
	deep := func(n int) []byte {
		return []byte(strings.Repeat(`{"inner":`, n) + `{"x":{"a":{"b":"` + strings.Repeat("x", outlineShort) + `"}}}` + strings.Repeat("}", n))
	}
	a := new(assigner)
	for n := HighestDepth - 6; n < HighestDepth; n++ {
		got := a.document(deep(n), c.plan, unsafe.Pointer(new(nested)))
		if want := Valid(deep(n)) == nil; got != want {
			t.Errorf("nested %d deep: %v, want %v", n+3, got, want)
		}
	}
}

func TestOutlinesAreFoundAgain(t *testing.T) {
	plan := newJSONCodec[named]().plan
	a := new(assigner)
	decode := func(raw string) {
		t.Helper()
		if !a.document([]byte(raw), plan, unsafe.Pointer(new(named))) {
			t.Fatalf("%s goes the slow way", raw)
		}
	}
	alike := func(i int) string {
		return fmt.Sprintf(`{"managedFields":[{"manager":"%d","time":"%d","fieldsV1":{"f:%d":{}}}]}`, i, i*i, i*i*i)
	}
	for i := range 100 {
		decode(alike(i))
	}
	first := &a.outlines[len("managedFields")%outlineTable]
	if want := alike(0)[len(`{"managedFields":`) : len(alike(0))-1]; string(first.ways[1].text) != want {
		t.Errorf("what came first is remembered as %s", first.ways[1].text)
	}
	for i := range 1000 { // of as many kinds
		decode(fmt.Sprintf(`{"managedFields":[%s"a value that is long enough"]}`, strings.Repeat("[],", i)))
	}
	for range 1000 {
		decode(alike(1))
	}
	if first.doubt != 0 {
		t.Errorf("after values that were unlike each other nothing is found again")
	}
	for _, o := range first.ways {
		if len(o.text) > textLength {
			t.Errorf("%d bytes are remembered", len(o.text))
		}
	}
}

// Whatever stands in place of a part of an object that was seen before, the verdict is that of encoding/json.
func TestObjectsAreJudgedAsEver(t *testing.T) {
	seen := `{"kind":"A","metadata":{"name":"a\"b\u0041","n":-1.5,"x":[true,null,"",{}]},"y":{}}`
	for at := range seen {
		for _, put := range []string{"", `"`, `\`, `\"`, `\\`, `\u12`, "long and longer", "1", "{", "}", "[", "]", ",", ":", " ", "\x00", "\xff"} {
			for _, cut := range []int{0, 1, 2, 9} {
				if at+cut > len(seen) {
					continue
				}
				var known outlines
				for _, raw := range []string{seen, seen[:at] + put + seen[at+cut:], seen[:at] + put, seen + put, seen} {
					if err := known.valid([]byte(raw)); (err == nil) != json.Valid([]byte(raw)) {
						t.Fatalf("%s behind %s: %v", raw, seen, err)
					}
				}
			}
		}
	}
}

func TestObjectsAreFoundAgain(t *testing.T) {
	var known outlines
	judge := func(format string, i int) {
		t.Helper()
		if err := known.valid(fmt.Appendf(nil, format, i, i*i)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		judge(`{"metadata":{"name":"%d","uid":"%d"}}`, i)
		judge(`{"metadata":{"name":"%d","labels":{"a":"%d"}}}`, i)
	}
	if known.doubt != 0 {
		t.Errorf("what is found again is doubted %d times", known.doubt)
	}
	for i := range 1000 { // of as many kinds
		judge(`{"metadata":{"name":"%d","generation":%d}}`, i)
	}
	for i := range 1000 {
		judge(`{"metadata":{"name":"%d","uid":"%d"}}`, i)
	}
	if known.doubt != 0 {
		t.Errorf("after objects that were unlike each other nothing is found again")
	}
	large := `{"a":"` + strings.Repeat("x", textLength) + `"}`
	for range 100 {
		if err := known.valid([]byte(large)); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range known.ways {
		if len(o.text) > textLength {
			t.Errorf("%d bytes are remembered", len(o.text))
		}
	}
}
