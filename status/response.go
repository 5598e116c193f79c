package status

import (
	"bytes"
	"strings"
	"time"
)

// Headers are the fields of a response that an Error keeps.
type Headers struct {
	RetryAfter string    // Retry-After
	Warnings   []string  // texts of Warning, as ParseWarnings returns them
	AuditID    string    // Audit-Id
	Now        time.Time // when the response came: what a date in RetryAfter is relative to
}

// FromResponse makes the error of a response other than 2xx. The body may be anything, cut or empty: a Status is taken as it is, though its code gives
// way to the response's; of plain text an excerpt is kept, of an HTML page its
// title; of anything else nothing, for it may be an object. The result shares
// no memory with body. Retry-After has precedence over the Status.
func FromResponse(code int, contentType string, body []byte, h Headers) *Error {
	media := mediaType(contentType)
	e, err := Parse(body)
	if err != nil {
		e = &Error{Reason: reasonForCode(code), Message: excerpt(media, body)}
	}
	e.Code, e.ContentType, e.Warnings, e.AuditID = code, media, h.Warnings, h.AuditID
	if d, ok := ParseRetryAfter(h.RetryAfter, h.Now); ok {
		e.RetryAfter, e.HasRetryAfter = d, true
	}
	return e
}

// mediaType is the type and subtype of a Content-Type (RFC 9110 8.3.1), empty when it is not one.
func mediaType(contentType string) string {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.ToLower(strings.Trim(media, " \t"))
	kind, subtype, ok := strings.Cut(media, "/")
	if !ok || !isToken(kind) || !isToken(subtype) || len(media) > 127 {
		return ""
	}
	return media
}

func isToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

// excerpt is what a text body has to say to people. JSON that goes by the name of text is none, and of the kinds of text only the plain one and pages are: YAML
// may be an object.
func excerpt(media string, body []byte) string {
	body = bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\uFEFF")), " \t\r\n")
	switch {
	case bytes.HasPrefix(body, []byte("{")), bytes.HasPrefix(body, []byte("[")):
		return ""
	case media == "text/html", media == "text/plain" && bytes.HasPrefix(body, []byte("<")):
		return pageTitle(body)
	case media == "text/plain":
		return oneLine(body)
	}
	return ""
}
