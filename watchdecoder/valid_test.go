package watchdecoder_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// invalidCases name a rule and the offset at which it is broken.
var invalidCases = []struct {
	raw    string
	offset int64
	rule   string
}{
	{``, 0, "too early"},
	{` `, 1, "too early"},
	{`{`, 1, "too early"},
	{`{"a"`, 4, "too early"},
	{`{"a":`, 5, "too early"},
	{`{"a":1`, 6, "too early"},
	{`[1`, 2, "too early"},
	{`[1,`, 3, "too early"},
	{`"abc`, 4, "too early"},
	{`"a\`, 3, "too early"},
	{`"a\u12`, 6, "too early"},
	{`tru`, 3, "too early"},
	{`-`, 1, "too early"},
	{`1.`, 2, "too early"},
	{`1e+`, 3, "too early"},
	{`{} {}`, 3, "section 2"},
	{"123\x00", 3, "section 2"},
	{`[01]`, 2, "section 5"},
	{`x`, 0, "section 3"},
	{`[,]`, 1, "section 3"},
	{`[1,]`, 3, "section 3"},
	{`+1`, 0, "section 3"},
	{`.5`, 0, "section 3"},
	{`nulL`, 3, "section 3"},
	{`{a:1}`, 1, "section 4"},
	{`{"a" 1}`, 5, "section 4"},
	{`{"a":1,}`, 7, "section 4"},
	{`{"a":1]`, 6, "section 4"},
	{`{"a":1 "b":2}`, 7, "section 4"},
	{`[1}`, 2, "section 5"},
	{`[1 2]`, 3, "section 5"},
	{`-a`, 1, "section 6"},
	{`[1.x]`, 3, "section 6"},
	{`[1e]`, 3, "section 6"},
	{"\"12345678\n\"", 9, "section 7"},
	{"\"\x01\"", 1, "section 7"},
	{`"\x"`, 2, "section 7"},
	{`"12345678\u00g0"`, 13, "section 7"},
	{strings.Repeat("[", 10_001), 10_000, "section 9"},
	{strings.Repeat(`{"a":`, 10_001), 50_000, "section 9"},
}

var validCases = []string{
	`0`, `-0`, `-0.5e-39`, `1e309`, `123456789012345678901234567890`, `0E+0`, `true`, `false`, `null`, `""`, " \t\r\n[ ]\n", `{}`,
	`{"a":{"b":[1,"2",null,{"c":[]}]},"a":1}`, `"\"\\\/\b\f\n\r\t\u00Af\ud800"`, "\"\x7f\u00e9\xff\xed\xa0\x80\"", `"123456\"8901234\\6"`,
	strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat(`{"a":[`, 40) + strings.Repeat("]}", 40),
}

func TestValidNamesOffsetAndRule(t *testing.T) {
	for _, c := range invalidCases {
		err := watchdecoder.Valid([]byte(c.raw))
		bad, ok := errors.AsType[*watchdecoder.SyntaxError](err)
		if !ok || bad.Offset != c.offset || !strings.Contains(bad.Rule, c.rule) {
			t.Errorf("%.40q: got %v, want %q at %d", c.raw, err, c.rule, c.offset)
		}
		if json.Valid([]byte(c.raw)) {
			t.Errorf("%.40q: encoding/json accepts it", c.raw)
		}
	}
	for _, raw := range validCases {
		if err := watchdecoder.Valid([]byte(raw)); err != nil || !json.Valid([]byte(raw)) {
			t.Errorf("%.40q: %v", raw, err)
		}
	}
}

// The error prints nothing of what it is about.
func TestSyntaxErrorPrintsNoContent(t *testing.T) {
	err := watchdecoder.Valid([]byte(`{"password":"hunter2`))
	if text := err.Error(); strings.Contains(text, "hunter2") || strings.Contains(text, "password") || !strings.Contains(text, "offset 20") {
		t.Error(text)
	}
}

// vectors finds the shared test data.
func vectors(t *testing.T, name string) string {
	root := os.Getenv("RAWWATCH_VECTORS")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	path := filepath.Join(root, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no test vectors: %v (RAWWATCH_VECTORS names their folder)", err)
	}
	return path
}

// JSONTestSuite: what must be accepted, what must be refused, and as encoding/json where either will do.
func TestValidOnJSONTestSuite(t *testing.T) {
	root := vectors(t, "jsontestsuite")
	for _, folder := range []string{"test_parsing", "test_transform"} {
		files, err := os.ReadDir(filepath.Join(root, folder))
		if err != nil || len(files) < 20 {
			t.Fatalf("%s: %d files, %v", folder, len(files), err)
		}
		for _, f := range files {
			raw, err := os.ReadFile(filepath.Join(root, folder, f.Name()))
			if err != nil {
				t.Fatal(err)
			}
			want := json.Valid(raw)
			switch {
			case strings.HasPrefix(f.Name(), "y_"):
				want = true
			case strings.HasPrefix(f.Name(), "n_"):
				want = false
			}
			if err := watchdecoder.Valid(raw); (err == nil) != want {
				t.Errorf("%s: valid is %v, but: %v", f.Name(), want, err)
			}
		}
	}
}

// Each byte of each case is replaced, removed and doubled: the verdict stays that of encoding/json.
func TestValidOnMutations(t *testing.T) {
	replacements := []byte("\x00\x1f\x7f\x80\xff \"\\{}[],:-+.0e1atfnu/")
	pod := string(template(t, "plan.json"))
	for _, raw := range append(validCases[:len(validCases)-2], validCases[len(validCases)-1], pod[:1500]+pod[1500:]) {
		for i := range len(raw) {
			if len(raw) > 1000 && i%7 != 0 {
				continue
			}
			for _, c := range replacements {
				checkValid(t, raw[:i]+string(c)+raw[i+1:])
				checkValid(t, raw[:i]+string(c)+raw[i:])
			}
			checkValid(t, raw[:i])
			checkValid(t, raw[:i]+raw[i+1:])
		}
	}
	a := author{rand.New(rand.NewPCG(5, 6))}
	for range 3000 {
		raw := []byte(a.value(5))
		checkValid(t, string(raw))
		raw[a.IntN(len(raw))] = replacements[a.IntN(len(replacements))]
		checkValid(t, string(raw))
	}
}

func checkValid(t *testing.T, raw string) {
	t.Helper()
	err := watchdecoder.Valid([]byte(raw))
	if (err == nil) != json.Valid([]byte(raw)) {
		t.Fatalf("%q: we say %v, encoding/json says valid is %v", raw, err, json.Valid([]byte(raw)))
	}
	if err == nil {
		return
	}
	// What stands before the offset can be continued to a valid document: so the offset is the first bad byte.
	bad, _ := errors.AsType[*watchdecoder.SyntaxError](err)
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal([]byte(raw), new(any)), &syntax) && bad.Offset != syntax.Offset-1 && bad.Offset != int64(len(raw)) {
		t.Fatalf("%q: we blame offset %d, encoding/json %d", raw, bad.Offset, syntax.Offset-1)
	}
}

func TestValidDoesNotAllocate(t *testing.T) {
	raw := template(t, "plan.json")
	if n := testing.AllocsPerRun(100, func() {
		if watchdecoder.Valid(raw) != nil {
			t.Fatal("invalid")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzValid(f *testing.F) {
	for _, c := range invalidCases[:len(invalidCases)-2] {
		f.Add([]byte(c.raw))
	}
	for _, raw := range validCases[:len(validCases)-2] {
		f.Add([]byte(raw))
	}
	for _, c := range watchCases {
		f.Add([]byte(c.body))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { checkValid(t, string(raw)) })
}
