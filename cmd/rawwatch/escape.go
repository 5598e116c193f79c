package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape makes what a server sent harmless to a terminal: control characters, invalid UTF-8 and what reorders or hides text are written as \x1b or
// \u202e. Printable text, the usual case, is returned as it is.
func escape(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += n
	}
	return b.String()
}

// escapeMax is escape for what may be long: past max bytes the rest is left out.
func escapeMax(s string, max int) string {
	if len(s) <= max {
		return escape(s)
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return escape(s[:max]) + "..."
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
