package status

import "strings"

// ParseWarnings returns the texts of Warning field values (RFC 7234 5.5), in order: each value is a list of a code of three digits, an agent, a text and
// perhaps a date. Escapes in the text are undone. A value is read as far as it is well formed, the rest of it is skipped; empty texts are left out.
func ParseWarnings(values []string) []string {
	var texts []string
	for _, v := range values {
		for {
			text, rest, ok := cutWarning(v)
			if !ok {
				break
			}
			if text != "" {
				texts = append(texts, text)
			}
			v = rest
		}
	}
	return texts
}

// cutWarning takes the first warning-value off a list.
func cutWarning(list string) (text, rest string, ok bool) {
	list = strings.TrimLeft(list, " \t,") // a list may have empty elements (RFC 9110 5.6.1.2)
	code, list, ok := strings.Cut(list, " ")
	if !ok || len(code) != 3 || strings.Trim(code, "0123456789") != "" {
		return "", "", false
	}
	agent, list, ok := strings.Cut(list, " ")
	if !ok || agent == "" || strings.ContainsAny(agent, "\",") {
		return "", "", false
	}
	text, list, ok = cutQuoted(list)
	if !ok {
		return "", "", false
	}
	if date, found := strings.CutPrefix(list, " \""); found { // a date; what it says does not matter
		if _, list, found = strings.Cut(date, "\""); !found {
			return "", "", false
		}
	}
	list = strings.TrimLeft(list, " \t")
	if list != "" && list[0] != ',' {
		return "", "", false
	}
	return text, list, true
}

// cutQuoted takes a quoted-string (RFC 9110 5.6.4) off s and undoes its escapes.
func cutQuoted(s string) (text, rest string, ok bool) {
	s, ok = strings.CutPrefix(s, `"`)
	if !ok {
		return "", "", false
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], true
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}
