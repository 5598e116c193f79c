package status

import (
	"strings"
	"testing"
)

func TestMediaType(t *testing.T) {
	for in, want := range map[string]string{
		"application/json":                 "application/json",
		" Text/HTML\t; charset=utf-8":      "text/html",
		"a!#$%&'*+-.^_`|~09az/Z":           "a!#$%&'*+-.^_`|~09az/z",
		"":                                 "",
		"text":                             "",
		"text/":                            "",
		"/plain":                           "",
		"text/pl ain":                      "",
		"te xt/plain":                      "",
		"text/plain/x":                     "",
		"te(xt/plain":                      "",
		"text/pl@in":                       "",
		"text/[x]":                         "",
		"text/{x}":                         "",
		"text/caf\u00e9":                   "",
		"text/\x1b[2J":                     "",
		"text/" + strings.Repeat("x", 122): "text/" + strings.Repeat("x", 122),
		"text/" + strings.Repeat("x", 123): "",
	} {
		if got := mediaType(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Dots stand for something that was left out, and only for that.
func TestExcerptsShowWhereTheyEnd(t *testing.T) {
	word := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct{ in, want string }{
		{word(255), word(255)},
		{word(256), word(256)},
		{word(257), word(256) + "..."},
		{word(255) + "é", word(255) + "..."},
		{word(3) + strings.Repeat(" ", 1021), word(3)},
		{word(3) + strings.Repeat(" ", 1022), word(3) + "..."}, // what follows was not looked at
	} {
		if got := oneLine([]byte(c.in)); got != c.want {
			t.Errorf("%d bytes: got %d, want %d", len(c.in), len(got), len(c.want))
		}
	}
}

func TestTitlesWithAttributesAfterAnyBlank(t *testing.T) {
	for _, blank := range []string{" ", "\t", "\n", "\r", "\f"} {
		if got := pageTitle([]byte("<title" + blank + "x=y>T</title>")); got != "T" {
			t.Errorf("%q: %q", blank, got)
		}
	}
}

func TestPrintableIsShortenedBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "abc..."},
		{"abé", 3, "ab..."},
		{"é", 1, "..."},
		{"\x80\x80\x80", 1, `...`}, // no character begins there
	} {
		if got := printable(c.in, c.limit); got != c.want {
			t.Errorf("%q: %s, want %s", c.in, got, c.want)
		}
	}
}
