package status

import (
	"net/http"
	"strings"
	"testing"
)

func TestErrorIsOnePrintableLine(t *testing.T) {
	for _, c := range []struct {
		name string
		err  Error
		want string
	}{
		{"a Status", Error{Code: 403, Reason: ReasonForbidden, Message: `pods is forbidden: User "x" cannot list resource`, HasStatus: true},
			`pods is forbidden: User "x" cannot list resource (403 Forbidden)`},
		{"a Status whose reason says more than its code", Error{Code: 410, Reason: ReasonExpired, Message: "too old resource version: 1 (2)", HasStatus: true},
			"too old resource version: 1 (2) (410 Expired)"},
		{"a Status without reason", Error{Code: 500, Message: "boom", HasStatus: true}, "boom (500 Internal Server Error)"},
		{"a Status without message", Error{Code: 404, Reason: ReasonNotFound, HasStatus: true}, "the server answered 404 NotFound"},
		{"an ERROR event without code", Error{Reason: ReasonExpired, Message: "old", HasStatus: true}, "old (Expired)"},
		{"an ERROR event without anything", Error{HasStatus: true}, "the server answered an error without code or reason"},
		{"a code that nobody knows", Error{Code: 599}, "the server answered 599"},
		{"a code alone", Error{Code: 502, Reason: ReasonUnknown}, "the server answered 502 Bad Gateway"},
		{"text", Error{Code: 404, Reason: ReasonNotFound, Message: "404 page not found", ContentType: "text/plain"},
			"the server answered 404 Not Found: 404 page not found"},
		{"a page", Error{Code: 503, Message: "Service down", ContentType: "text/html"},
			`the server answered 503 Service Unavailable with an HTML page, "Service down"`},
		{"a terminal's escapes and a forged line", Error{Code: 400, Reason: "a\x1b[2Jb", Message: "a\x1b[31m\r\nb\u202ec\u009b\x7f\xffd", HasStatus: true},
			`a\x1b[31m\r\nb\u202ec\u009b\x7f\xffd (400 a\x1b[2Jb)`},
		{"other scripts", Error{Code: 400, Message: "für 世界 \uFFFD", HasStatus: true}, "für 世界 \uFFFD (400 Bad Request)"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestErrorShortensWhatThePeerSaid(t *testing.T) {
	long := strings.Repeat("é", 100_000)
	e := Error{Code: 422, Reason: Reason(long), Message: "x" + long, HasStatus: true}
	const want = 1<<10 - 1 + 64
	if got := e.Error(); len(got) > want+20 || !strings.HasPrefix(got, "xéé") || strings.Contains(got, `\x`) || strings.Count(got, "...") != 2 {
		t.Errorf("%d bytes: %.40s ... %.80s", len(got), got, got[len(got)-80:])
	}
}

// Every code that has a reason has a text, and all texts are the usual ones.
func TestStatusTexts(t *testing.T) {
	for code := range 1000 {
		text := statusText(code)
		if text != "" && text != http.StatusText(code) {
			t.Errorf("%d is %q, not %q", code, text, http.StatusText(code))
		}
		if text == "" && reasonForCode(code) != ReasonUnknown {
			t.Errorf("%d has a reason and no text", code)
		}
	}
}
