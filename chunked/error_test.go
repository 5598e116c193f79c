package chunked

import "testing"

// A NUL is a byte like another: it is shown. What is no byte's fault shows none.
func TestErrorShowsTheByteThatBrokeTheRule(t *testing.T) {
	for want, e := range map[string]*Error{
		`chunked body: a rule, found "\x00" at byte 7 (RFC 9112 7.1)`: {Offset: 7, Rule: "a rule", Section: "RFC 9112 7.1"},
		`chunked body: a rule, found "\xff" at byte 0 (RFC 9112 7.1)`: {Found: 0xff, Rule: "a rule", Section: "RFC 9112 7.1"},
		`chunked body: a limit, at byte 9 (RFC 9110 17.5)`:            {Offset: 9, Found: -1, Rule: "a limit", Section: "RFC 9110 17.5"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
