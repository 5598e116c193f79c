package watchdecoder

import (
	"encoding/json"
	"fmt"
	"testing"
)

// Every \uXXXX, in small and in large letters, is what encoding/json takes it for; any other byte in its place is refused.
func TestUnicodeEscapesAreThoseOfEncodingJSON(t *testing.T) {
	texts := make([]string, 0, 2<<16+256)
	for code := range 1 << 16 {
		texts = append(texts, fmt.Sprintf(`\u%04x`, code), fmt.Sprintf(`\u%04X`, code))
	}
	for c := range 256 {
		texts = append(texts, `\u00`+string([]byte{byte(c)})+"0")
	}
	for _, text := range texts {
		var want string
		err := json.Unmarshal([]byte(`"`+text+`"`), &want)
		got, ok := appendUnquoted(nil, []byte(text))
		if ok != (err == nil) || ok && string(got) != want {
			t.Fatalf("%q: got %q, %v; encoding/json %q, %v", text, got, ok, want, err)
		}
	}
}

// What is quoted is JSON of the same text, with escapes for nothing but what needs them (RFC 8259 section 7).
func TestQuotedTextIsJSON(t *testing.T) {
	for c := range rune(0x100) {
		text := "a" + string(c) + "b"
		quoted := appendQuoted(nil, []byte(text))
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil || back != text {
			t.Errorf("%q became %s: %q, %v", text, quoted, back, err)
		}
		if plain := c >= ' ' && c != '"' && c != '\\'; plain != (string(quoted) == `"`+text+`"`) {
			t.Errorf("%q became %s", text, quoted)
		}
	}
}
