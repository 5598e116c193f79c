package watchdecoder

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
)

// FrameError says which rule a watch event, a list item or the stream around them breaks, and where. It never holds any part
// of the object but its key.
type FrameError struct {
	Offset int64                // in the body, of the byte that breaks the rule
	Start  int64                // in the body, of the first byte of the frame or item; that of Offset outside of one
	Rule   string               // one of the Rule constants
	Detail string               // what exactly, such as the name of a duplicate key; may be ""
	Key    types.NamespacedName // of the object, as far as it was known; zero if not at all
	Type   EventType            // of the frame, Unknown if not known
	Err    error                // cause, nil if none: io.ErrUnexpectedEOF where the stream was cut

	lost bool // the stream cannot go on
}

// Recoverable says that only this frame or item is lost: the next call continues behind it.
func (e *FrameError) Recoverable() bool { return !e.lost }

// Unwrap returns the cause.
func (e *FrameError) Unwrap() error { return e.Err }

// Error names the rule, the detail, the offset and the key.
func (e *FrameError) Error() string {
	return fmt.Sprintf("watchdecoder: %s at offset %d", e.Rule, e.Offset)
}

// IsRecoverable says whether err, or an error that it wraps, is a [FrameError] after which the stream goes on.
func IsRecoverable(err error) bool {
	var frame *FrameError
	return errors.As(err, &frame) && frame.Recoverable()
}
