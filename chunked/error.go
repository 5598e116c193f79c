package chunked

import "fmt"

// Error is a body that breaks the transfer coding, or one that ends before its end. The latter is the only one that has a cause: errors.Is finds
// io.ErrUnexpectedEOF in it (RFC 9112 section 8: an incomplete message is never taken for a complete one).
type Error struct {
	// Offset is that of the first byte that breaks the rule, counted from the first byte of the body; for a cut, the bytes received.
	Offset int64
	// Rule is what was broken, in words of this package alone: nothing of the peer is in it.
	Rule string
	// Section is where the rule stands, such as "RFC 9112 7.1".
	Section string
	// Found is the byte at Offset, where a byte broke the rule; negative for limits and cuts.
	Found int
	// Err is nil but for a cut, where it is or wraps io.ErrUnexpectedEOF.
	Err error
}

// Error is the rule, the byte that broke it, where it stood and the section.
func (e *Error) Error() string {
	if e.Found < 0 {
		return fmt.Sprintf("chunked body: %s, at byte %d (%s)", e.Rule, e.Offset, e.Section)
	}
	return fmt.Sprintf("chunked body: %s, found %q at byte %d (%s)", e.Rule, []byte{byte(e.Found)}, e.Offset, e.Section)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// rule is a requirement and where it stands.
type rule struct{ text, section string }

// The sections, as errors name them.
const (
	framing    = "RFC 9112 7.1"
	extensions = "RFC 9112 7.1.1"
	trailers   = "RFC 9112 7.1.2"
	fieldLines = "RFC 9112 5"
	fieldValue = "RFC 9110 5.5"
	forbidden  = "RFC 9110 6.5.1"
	limits     = "RFC 9112 7.1, RFC 9110 17.5"
)
