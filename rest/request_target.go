package rest

import (
	"net/url"
	"strings"
)

// escapePath makes an absolute path fit for a request line (RFC 9112 3.2.1, RFC 3986 3.3): what a path cannot hold is escaped, a %XX stays as it is.
// Dot segments are refused, escaped ones too: somebody on the way would resolve them, and an object named ".." must not reach another collection.
func escapePath(path string) (string, error) {
	switch {
	case !strings.HasPrefix(path, "/"):
		return "", badTarget("the path must begin with /", path)
	case strings.HasPrefix(path, "//"):
		return "", badTarget("a path that begins with // could be taken for a host", path)
	}
	for segment := range strings.SplitSeq(path, "/") {
		plain := segment
		if strings.Contains(plain, "%") {
			var err error
			if plain, err = url.PathUnescape(segment); err != nil {
				return "", badTarget("a % that begins no escape", path)
			}
		}
		if plain == "." || plain == ".." {
			return "", badTarget("a dot segment in the path", path)
		}
		if strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return "", badTarget("a control character in the path", path)
		}
	}
	var b []byte
	for i := range len(path) {
		switch c := path[i]; {
		case c == '?' || c == '#':
			return "", badTarget("a query or fragment in the path (parameters go into Query)", path)
		case isPathByte(c):
			b = append(b, c)
		default:
			b = appendEscape(b, c)
		}
	}
	return string(b), nil
}

// appendEscape writes a byte as %XX (RFC 3986 2.1).
func appendEscape(b []byte, c byte) []byte {
	const hex = "0123456789ABCDEF"
	return append(b, '%', hex[c>>4], hex[c&15])
}

// isPathByte is pchar of RFC 3986 3.3, slash and percent.
func isPathByte(c byte) bool {
	switch l := lower(c); {
	case 'a' <= l && l <= 'z', isDigit(c):
		return true
	}
	return strings.IndexByte("-._~!$&'()*+,;=:@/%", c) >= 0
}

//go:noinline // it is called from everywhere
func badTarget(rule, path string) error {
	return &Error{Phase: PhaseConfig, Rule: rule + ", " + quotePath(path), Section: "RFC 9112 3.2.1"}
}
