package watchdecoder

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// Rules of a [FrameError] that end the stream.
const (
	RuleCut           = "the stream was cut" // FrameError.Err is io.ErrUnexpectedEOF
	RuleSyntax        = "malformed JSON (RFC 8259)"
	RuleNUL           = "a NUL byte where JSON was due"
	RuleByteOrderMark = "a byte order mark (RFC 8259 section 8.1)"
	RuleHTML          = "HTML where JSON was due: not the API server, or a proxy before it, answered"
	RuleListNotEvents = "a list where watch events were due: the server ignored watch=1"
	RuleTable         = "a Table where objects were due: the server was asked for as=Table"
	RuleNotList       = "no list: an object with items was due"
	RuleNotArray      = "not an array"
	RuleNotNumber     = "not an integer"
	RuleListText      = "a string in the list's metadata, or a key beside it, of more than 64 KiB"
	RuleTrailing      = "bytes behind the list"
)

// Rules of a [FrameError] that cost one watch event or list item. In what surrounds the items of a list some of them end it.
const (
	RuleTooLarge     = "larger than Options.MaxBytes"
	RuleTooDeep      = "nested deeper than Options.MaxDepth"
	RuleDuplicateKey = "duplicate key"
	RuleNotObject    = "not an object"
	RuleNotString    = "not a string"
	RuleBadString    = "malformed string (RFC 8259 section 7)"
	RuleNoType       = "a watch event without type"
	RuleUnknownType  = "a watch event of unknown type"
	RuleNoObject     = "a watch event without object"
	RuleNoName       = "an object without name"
	RuleNoVersion    = "an object without resourceVersion"
	RuleKind         = "an object of another kind or apiVersion"
	RuleErrorStatus  = "an ERROR event without a Status"
)

// FrameError says which rule a watch event, a list item or the stream around them breaks, and where. It never holds any part
// of the object but its key.
type FrameError struct {
	Offset int64                // in the body, of the byte that breaks the rule
	Start  int64                // in the body, of the first byte of the frame, item or list; Offset where there is none
	Rule   string               // one of the Rule constants
	Detail string               // what exactly, such as the name of the key; may be ""
	Key    types.NamespacedName // of the object, as far as it was known
	Type   EventType            // of the frame, Unknown if not known
	Err    error                // cause, nil if none

	lost bool // the stream cannot go on
}

// Recoverable says that only this frame or item is lost: the next call continues behind it.
func (e *FrameError) Recoverable() bool { return !e.lost }

// Unwrap returns the cause.
func (e *FrameError) Unwrap() error { return e.Err }

// Error names the rule, the detail, the offset, and what it happened to.
func (e *FrameError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "watchdecoder: %s", e.Rule)
	if e.Detail != "" {
		fmt.Fprintf(&b, ": %s", e.Detail)
	}
	fmt.Fprintf(&b, ", at offset %d", e.Offset)
	if e.Type != Unknown {
		fmt.Fprintf(&b, ", in an event of type %s", e.Type)
	}
	switch {
	case e.Key.Namespace != "":
		fmt.Fprintf(&b, ", object %s", excerpt(e.Key.String()))
	case e.Key.Name != "":
		fmt.Fprintf(&b, ", object %s", excerpt(e.Key.Name))
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// IsRecoverable says whether err is, or wraps, a [FrameError] after which the stream goes on.
func IsRecoverable(err error) bool {
	frame, ok := errors.AsType[*FrameError](err)
	return ok && frame.Recoverable()
}

// excerpt quotes what a peer sent, cut short.
func excerpt[T ~string | ~[]byte](text T) string {
	const most = 80
	if len(text) > most {
		return fmt.Sprintf("%q...", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
