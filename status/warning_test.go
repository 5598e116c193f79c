package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

func TestParseWarnings(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []string
		want []string
	}{
		{"none", nil, nil},
		{"as API servers send it", []string{`299 - "policy/v1beta1 PodSecurityPolicy is deprecated in v1.21+"`}, []string{"policy/v1beta1 PodSecurityPolicy is deprecated in v1.21+"}},
		{"several fields", []string{`299 - "a"`, `299 - "b"`}, []string{"a", "b"}},
		{"several in one field", []string{`299 - "a", 199 host:80 "b" ,299 - "c"`}, []string{"a", "b", "c"}},
		{"empty elements of a list", []string{`, ,299 - "a",,`}, []string{"a"}},
		{"comma, quote and backslash in the text", []string{`299 - "a, \"b\" \\ c", 299 - "d"`}, []string{`a, "b" \ c`, "d"}},
		{"a date", []string{`299 - "a" "Fri, 21 Aug 2026 12:00:00 GMT", 299 - "b"`}, []string{"a", "b"}},
		{"an empty text", []string{`299 - "", 299 - "b"`}, []string{"b"}},
		{"a code of four digits", []string{`2999 - "a"`}, nil},
		{"a code of letters", []string{`abc - "a"`}, nil},
		{"no agent", []string{`299 "a"`}, nil},
		{"an empty agent", []string{`299  "a"`}, nil},
		{"no text", []string{`299 -`, `299 - `, `299 - a`, `299`, ``}, nil},
		{"a text that does not end", []string{`299 - "a`, `299 - "a\`, `299 - "b"`}, []string{"b"}},
		{"a date that does not end", []string{`299 - "a" "Fri`}, nil},
		{"something after it", []string{`299 - "a" b`, `299 - "a"x, 299 - "b"`}, nil},
		{"good before bad", []string{`299 - "a", 299 - b, 299 - "c"`}, []string{"a"}},
	} {
		if diff := cmp.Diff(c.want, ParseWarnings(c.in)); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// What apimachinery writes, we read.
func TestWarningsOfApimachinery(t *testing.T) {
	for _, text := range []string{"a", `quote " and backslash \`, "comma, semicolon;", "für 世界", " blanks "} {
		value, err := utilnet.NewWarningHeader(299, "-", text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{text, text}, ParseWarnings([]string{value + ", " + value})); diff != "" {
			t.Errorf("%s:\n%s", value, diff)
		}
	}
}
