package watchdecoder

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever marks, the definition is this.
func markBytes(p *block) (m blockMarks) {
	for i, c := range p {
		bit := uint64(1) << i
		switch {
		case c == '"':
			m.quote |= bit
		case c == '\\':
			m.escape |= bit
		case c == ',':
			m.comma |= bit
		case c == ':':
			m.colon |= bit
		case c == '{':
			m.braceOpen |= bit
		case c == '[':
			m.listOpen |= bit
		case c == '}':
			m.braceEnd |= bit
		case c == ']':
			m.listEnd |= bit
		case c < ' ':
			m.control = 1
		}
	}
	m.within = within(m.quote)
	return m
}

func TestMarkBlocks(t *testing.T) {
	if !canMark() {
		t.Skip("not on this processor")
	}
	r := rand.New(rand.NewPCG(3, 4))
	var all [denseBlocks * blockSize]byte
	for n := range 5000 {
		for i := range all {
			all[i] = "\"\\,:{}[]\x1f\x00 !0a;=<\xa2\xdb\xff"[r.IntN(20)]
			switch {
			case n < 256:
				all[i] = byte(n + i)
			case n%2 == 0 && all[i] < ' ':
				all[i] = 'x'
			}
		}
		var got [denseBlocks]blockMarks
		blocks := 1 + n%denseBlocks
		markBlocks(&all[0], blocks, &got)
		for i := range blocks {
			want := markBytes((*block)(all[i*blockSize:]))
			if got[i].control != 0 {
				got[i].control = 1
			}
			if diff := cmp.Diff(want, got[i], cmp.AllowUnexported(blockMarks{})); diff != "" {
				t.Fatalf("block %d: %s", i, diff)
			}
		}
		for i := blocks; i < denseBlocks; i++ {
			if got[i] != (blockMarks{}) {
				t.Fatalf("it wrote behind block %d", blocks)
			}
		}
	}
}

// What is said of the objects that servers send must come from here, or all of this is for nothing.
func TestDenseTakesOrdinaryObjects(t *testing.T) {
	if !canMark() {
		t.Skip("not on this processor")
	}
	for _, name := range []string{"pod.json", "plan.json"} {
		indented, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if validDense(indented) {
			t.Errorf("%s: taken with white space", name)
		}
		object, err := json.Marshal(json.RawMessage(indented))
		if err != nil {
			t.Fatal(err)
		}
		if !validDense(object) || !validDense(append(object, " \r\n"...)) {
			t.Errorf("%s: not taken", name)
		}
	}
}

// Each text stands at every place of a block, and across every border: the verdict is that of encoding/json.
func TestDenseAtEveryOffset(t *testing.T) {
	values := []string{
		`1`, `-1.5e+3`, `01`, `1.`, `-`, `1x`, `tru`, `true`, `truex`, `null`, `nul`, `""`, `"a"`, `"a`, `a"`, `"a""b"`, `"a"b`, `"\""`, `"\\"`, `"\\\""`, `"\`, `"\"`, `"\x"`,
		`"\u12aF"`, `"\u12a"`, `"\u"`, `\"a"`, `{}`, `[]`, `{]`, `[}`, `{`, `}`, `[`, `]`, `{"a":1}`, `{"a"}`, `{"a",1}`, `{"a":}`, `{"a":1,}`, `{,}`, `{1:1}`, `{"a":1,"b"}`, `{"a":1,2}`, `{"a":1,{}}`,
		`{"a":1,[]}`, `{"a":"b":"c"}`, `{"a"::1}`, `{"a":1"b":2}`, `{"a":{}"b":2}`, `{"a":1,"b":2}`, `{"a":"b","c":"d"}`, `{"a":{},"b":[]}`, `[1,2]`, `[1,"a"]`, `["a":1]`, `["a","b":1]`, `[1,]`, `[,1]`,
		`[[],{},[1]]`, `[{"a":[{"b":{}}]}]`, `[{"a":[{"b":{}}}]]`, `1,"x":2`, `1,2`, `1:2`, `"a":"b"`, `{}{}`, `[][]`, `{}[]`, `"a"1`, `1"a"`, `1{}`, `{}1`, `""{}`, `[1}`, `{"a":1]`, `1 `, ` 1`, "\t1", "\"\t\"",
		`"é"`, "\"\xff\"", "\xff", `"` + strings.Repeat("x", 200) + `"`, `"` + strings.Repeat(`\"`, 70) + `"`, strings.Repeat("7", 130), strings.Repeat("[", 70) + strings.Repeat("]", 70),
	}
	for depth := range 5 {
		values = append(values, strings.Repeat(`{"a":`, 60+depth)+"1"+strings.Repeat("}", 60+depth), strings.Repeat(`[`, 60+depth)+"{}"+strings.Repeat("]", 60+depth))
	}
	for _, value := range values {
		for shift := range 2 * blockSize {
			pad := strings.Repeat("p", shift)
			for _, form := range []string{`{"%s":%s}`, `{"x":"%s","v":%s}`, `{"x":["%s",%s]}`, `{"%s":%s,"z":[]}`, `{"v":"%s"}%s`, `["%s",%s]`, `{},"%s":%s`, "{\"%s\":%s}\n", `{"%s":1},"v":%s`, `{"%s":[%s`} {
				raw := fmt.Sprintf(form, pad, value)
				if want := json.Valid([]byte(raw)); (Valid([]byte(raw)) == nil) != want {
					t.Fatalf("%s: want %v", raw, want)
				}
				if validDense([]byte(raw)) && !json.Valid([]byte(raw)) {
					t.Fatalf("%s: taken", raw)
				}
			}
		}
	}
}

// FuzzDense looks at what stands inside an object of any length.
func FuzzDense(f *testing.F) {
	for _, seed := range []string{`1`, `"\u12aF\\"`, `{"a":[{"b":{}}],"c":"d"}`, `[1,"a",null,-0.5e3]`, `1,"x":2`, `{"a"::1}`} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(50))
	}
	f.Fuzz(func(t *testing.T, value []byte, shift uint8) {
		for _, form := range []string{`{"%s":%s}`, `{"%s":1}%s`} {
			raw := fmt.Appendf(nil, form, strings.Repeat("p", int(shift)), value)
			if want := json.Valid(raw); (Valid(raw) == nil) != want {
				t.Fatalf("%q: want %v", raw, want)
			}
		}
	})
}
