package fuzz

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// documents are JSON texts, good and bad: those of testdata/json.txt, each of which once separated two parsers.
func documents(t testing.TB) (all [][]byte) {
	t.Helper()
	for _, d := range judged(t) {
		all = append(all, d.text)
	}
	return all
}

// A judgedText is a line of testdata/json.txt.
type judgedText struct {
	accept bool
	text   []byte
}

func judged(t testing.TB) (all []judgedText) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", "json.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(file))
	for lines.Scan() {
		verdict, quoted, _ := strings.Cut(lines.Text(), " ")
		if verdict == "#" {
			continue
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		all = append(all, judgedText{verdict == "y", []byte(text)})
	}
	if len(all) < 300 {
		t.Fatalf("only %d documents", len(all))
	}
	return all
}
