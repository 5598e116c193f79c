package fuzz

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// count is how many of something a test does: what the environment says, or less.
func count(t testing.TB, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// pieces are what a mutation puts into a document: every byte that means something to a JSON parser, and what has confused one.
var pieces = strings.Fields(`{ } [ ] : , " \ / 0 1 - + . e E 00 -0 1e309 0.5e39 1e-400 9007199254740993 null true false nul \" \\ \u \u00 \u0000 \ud800 \udc00 \ud83d\ude00 {} [] "" "a" "metadata" "name" "resourceVersion" "kind" "items" ,"a":1 {"a": [[ ]] :: ,,`)

var rawPieces = []string{"\x00", "\x01", "\x1f", "\x7f", "\x80", "\xff", "\xc3", "\xc3\xa9", "\xed\xa0\x80", "\xef\xbb\xbf", "\xe2\x80\xa8", " ", "\t", "\n", "\r", "\x0b", "\x0c", "\xa0"}

// mutate changes a document in one place, or in a few.
func mutate(r *rand.Rand, document []byte, others [][]byte) []byte {
	b := append([]byte(nil), document...)
	for range 1 + r.IntN(3)*r.IntN(2) {
		at := r.IntN(len(b) + 1)
		end := min(len(b), at+r.IntN(8))
		var put []byte
		switch r.IntN(8) {
		case 0, 1, 2:
			put = []byte(pieces[r.IntN(len(pieces))])
		case 3:
			put = []byte(rawPieces[r.IntN(len(rawPieces))])
		case 4: // takes away
		case 5:
			put = []byte{byte(r.Uint32())}
		case 6: // twice
			put = append(append([]byte(nil), b[at:end]...), b[at:end]...)
		case 7: // a part of another document
			other := others[r.IntN(len(others))]
			from := r.IntN(len(other) + 1)
			put = other[from:min(len(other), from+r.IntN(40))]
		}
		if r.IntN(2) == 0 && len(put) > 0 {
			end = at
		}
		b = append(b[:at:at], append(append([]byte(nil), put...), b[end:]...)...)
	}
	return b
}

// Mutated documents: each is judged as encoding/json judges it, by Valid, by every codec, and where no field is declared. RAWWATCH_MUTATIONS sets how many;
// go test -run MutatedDocuments ./fuzz with ten million is the long run of docs/reliability.md.
func TestMutatedDocumentsAreJudgedAsByEncodingJSON(t *testing.T) {
	all := documents(t)
	n := count(t, "RAWWATCH_MUTATIONS", 200_000)
	r := rand.New(rand.NewPCG(8259, uint64(n)))
	var c classes
	var good [][]byte
	for _, d := range judged(t) {
		if d.accept {
			good = append(good, d.text)
		}
	}
	for i := range n {
		from := good
		if i%4 == 0 {
			from = all
		}
		c.judge(t, mutate(r, from[r.IntN(len(from))], all))
	}
	t.Logf("%d documents valid, %d not; meant: %d valid ones with invalid UTF-8, which becomes U+FFFD", c.valid, c.invalid, c.invalidUTF8)
	if c.valid < n/20 || c.invalid < n/20 {
		t.Errorf("%d valid and %d invalid documents: too few of either to mean anything", c.valid, c.invalid)
	}
}

// The table of this folder, and JSONTestSuite where it is at hand: what must be accepted, what must be refused, by Valid and by every codec.
func TestJSONTextsAreJudgedAsTheTableSays(t *testing.T) {
	var c classes
	for _, d := range judged(t) {
		if json.Valid(d.text) != d.accept {
			t.Errorf("%q: the table says %v, encoding/json does not", d.text, d.accept)
		}
		c.judge(t, d.text)
	}
}

func TestJSONTestSuiteIsJudgedByEveryCodec(t *testing.T) {
	root := os.Getenv("RAWWATCH_VECTORS")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	seen := 0
	for _, folder := range []string{"test_parsing", "test_transform"} {
		files, err := os.ReadDir(filepath.Join(root, "jsontestsuite", folder))
		if err != nil {
			t.Skipf("vectors not there (set RAWWATCH_VECTORS): %v", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(filepath.Join(root, "jsontestsuite", folder, file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if must := file.Name()[0]; must == 'y' && !json.Valid(text) || must == 'n' && json.Valid(text) && folder == "test_parsing" {
				t.Errorf("%s: encoding/json errs", file.Name())
			}
			new(classes).judge(t, text)
			seen++
		}
	}
	t.Logf("%d files", seen)
	if seen < 300 {
		t.Errorf("only %d files", seen)
	}
}
