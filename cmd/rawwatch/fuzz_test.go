package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Whatever a server sends, a terminal gets printable text; and text that is printable already is not touched.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"web-1", "größe", "a\x1b[2Jb", "\xff\xfe", "\u202e\u009b", "\U000e0001", strings.Repeat("é", 40)} {
		f.Add(s, 16)
	}
	f.Fuzz(func(t *testing.T, s string, most int) {
		if most < 0 || most > 1<<10 {
			return
		}
		printable := func(s string) bool {
			return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
		}
		got := escape(s)
		if !printable(got) {
			t.Fatalf("%q became %q", s, got)
		}
		if printable(s) && got != s {
			t.Fatalf("%q was changed to %q", s, got)
		}
		if cut := escapeMax(s, most); !printable(cut) || len(s) > most && !strings.HasSuffix(cut, "...") {
			t.Fatalf("%q at %d became %q", s, most, cut)
		}
	})
}

// encoding/json is the judge: one line means what all of them meant.
func FuzzOneLine(f *testing.F) {
	f.Add([]byte("{\n  \"a\": [1,\r\n2], \"b\": \"\\n\"\n}"))
	f.Add([]byte("\n1\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want, got bytes.Buffer
		if json.Compact(&want, raw) != nil {
			return
		}
		line := appendOneLine(nil, raw)
		if bytes.ContainsAny(line, "\r\n") {
			t.Fatalf("%q became %q", raw, line)
		}
		if err := json.Compact(&got, line); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Fatalf("%q became %q: %v", raw, line, err)
		}
	})
}
