package status

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxExcerpt = 256      // bytes of a body that become a message
	maxPage    = 16 << 10 // bytes of a page in which its title is looked for
)

// oneLine is the beginning of a text with its white space, line ends included, drawn together.
func oneLine(text []byte) string {
	words := strings.Join(strings.Fields(strings.ToValidUTF8(string(text[:min(len(text), 4*maxExcerpt)]), "\uFFFD")), " ")
	short := cutText(words, maxExcerpt)
	if short != words || len(text) > 4*maxExcerpt {
		short += "..."
	}
	return short
}

// pageTitle is the text of an HTML page's title, or of its first heading when it has none.
func pageTitle(page []byte) string {
	page = page[:min(len(page), maxPage)]
	for _, name := range []string{"title", "h1"} {
		if text := elementText(page, name); len(text) > 0 {
			return oneLine([]byte(unescapeHTML(string(text))))
		}
	}
	return ""
}

// elementText is the text with which the first element of a name begins.
func elementText(page []byte, name string) []byte {
	lower := lowerASCII(page)
	for {
		at := bytes.Index(lower, []byte("<"+name))
		if at < 0 {
			return nil
		}
		page, lower = page[at+1+len(name):], lower[at+1+len(name):]
		if len(page) > 0 && (page[0] == '>' || isSpace(page[0])) { // not <titlebar>
			_, text, _ := bytes.Cut(page, []byte(">"))
			text, _, _ = bytes.Cut(text, []byte("<"))
			return bytes.TrimSpace(text)
		}
	}
}

func isSpace(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' }

// lowerASCII keeps every byte in its place, as bytes.ToLower does not.
func lowerASCII(b []byte) []byte {
	lower := bytes.Clone(b)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return lower
}

func unescapeHTML(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#34;", `"`, "&#39;", "'", "&nbsp;", " ", "&amp;", "&").Replace(s)
}

// cutText shortens s to at most limit bytes, between characters.
func cutText(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// printable escapes what is not printable and shortens: a peer's text can neither move a terminal's cursor nor forge a line.
func printable(s string, limit int) string {
	short := cutText(s, limit)
	var b strings.Builder
	for i, r := range short {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(short[i:], "\uFFFD"):
			b.WriteString(`\x` + strconv.FormatUint(uint64(short[i])|0x100, 16)[1:])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	if len(short) < len(s) {
		b.WriteString("...")
	}
	return b.String()
}
