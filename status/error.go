// Package status is the Kubernetes API's Status as a Go error.
//
// What the server said is kept in its own words; questions such as IsGone look through wrapped errors. Whatever a peer wrote is escaped and
// truncated when an error is printed, and only then.
package status

import (
	"strconv"
	"strings"
	"time"
)

// Error is a failure that a server reported: the body of a response other than 2xx, or the object of a watch's ERROR event. It is read-only once made.
type Error struct {
	// Code is the HTTP status. In an ERROR event it is what the Status says, and zero when it says nothing.
	Code int
	// Reason is the server's word, or the one that belongs to Code when the server sent no Status. It may be one that this package does not know.
	Reason Reason
	// Message is for people: the server's own words, as they came. Without a Status it is an excerpt of a text body, or empty.
	Message string
	// Details is nil when the server gave none.
	Details *Details

	// HasStatus says that the server sent a Status. Without one, the answer may have come from a proxy.
	HasStatus bool
	// ContentType is the media type of the response's body in lower case without parameters, empty if unknown or for an event.
	ContentType string

	// RetryAfter is how long the server asks to wait, if HasRetryAfter; never negative, at most MaxRetryAfter.
	RetryAfter    time.Duration
	HasRetryAfter bool
	// Warnings are the texts of the response's Warning fields (RFC 7234 5.5), unescaped: print them with care.
	Warnings []string
	// AuditID is the response's Audit-Id, by which the server's audit log knows the request.
	AuditID string
}

// Details says what a failure is about.
type Details struct {
	Name  string
	Group string
	// Kind is the kind of the object, or, as many servers have it, the resource.
	Kind              string
	UID               string
	Causes            []Cause
	RetryAfterSeconds int32
}

// Cause is one of a failure's reasons, often about one field.
type Cause struct {
	Type    CauseType
	Message string
	// Field is a path such as spec.containers[0].name.
	Field string
}

// How much of a peer's text an error prints, in bytes before escaping. Messages of the real server about invalid objects are long and worth it.
const (
	maxPrintedMessage = 1 << 10
	maxPrintedReason  = 64
)

// Error is one line of printable text: the message and the code.
func (e *Error) Error() string {
	message := printable(e.Message, maxPrintedMessage)
	answer := e.answer()
	switch {
	case message == "":
		return "the server answered " + answer
	case e.HasStatus:
		return message + " (" + answer + ")"
	case e.ContentType == "text/html":
		return "the server answered " + answer + ` with an HTML page, "` + message + `"`
	}
	return "the server answered " + answer + ": " + message
}

// answer is the code and what it is called.
func (e *Error) answer() string {
	reason := printable(string(e.Reason), maxPrintedReason)
	if !e.HasStatus || reason == "" {
		reason = statusText(e.Code)
	}
	switch {
	case e.Code == 0 && reason == "":
		return "an error without code or reason"
	case e.Code == 0:
		return reason
	}
	return strings.TrimSuffix(strconv.Itoa(e.Code)+" "+reason, " ")
}
