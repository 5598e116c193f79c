package rest

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const maxErrorText = 512 // bytes of a foreign error's text that are repeated

// quoteBytes is quote for bytes of the peer.
//
//go:noinline // it is called from everywhere
func quoteBytes(b []byte) string {
	return quote(string(b[:min(len(b), maxQuoted+1)]))
}

// printable escapes everything that is not printable ASCII and truncates, so that a peer's text can neither move a terminal's cursor nor forge a line.
func printable(s string, limit int) string {
	cut := len(s) > limit
	if cut {
		s = s[:limit]
		for len(s) > 0 && !utf8.ValidString(s[max(0, len(s)-utf8.UTFMax):]) && limit-len(s) < utf8.UTFMax {
			s = s[:len(s)-1]
		}
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		default:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	if cut {
		b.WriteString("...")
	}
	return b.String()
}

// equalFold compares ASCII without case: field names and tokens are ASCII, and the Kelvin sign is no k.
//
//go:noinline // it is called from everywhere
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && equalFold(s[:len(prefix)], prefix)
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// trimOWS strips optional white space: SP and HTAB only (RFC 9110 5.6.3).
func trimOWS(s string) string { return strings.Trim(s, " \t") }
