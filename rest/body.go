package rest

import (
	"io"
	"time"
)

// Body is a response body. Read and SetIdleTimeout belong to one goroutine at a time; Close may be called from another and ends a Read that waits.
type Body struct{}

// Read returns content as soon as any is there. io.EOF comes only at the end that the framing (and gzip) defines; a body that is cut is an *Error for
// which errors.Is(err, io.ErrUnexpectedEOF). Errors are final.
func (b *Body) Read(p []byte) (int, error) { return 0, io.EOF }

// Close gives the connection back if the body was complete, or closes it. It never waits for the peer. It returns nil.
func (b *Body) Close() error { return nil }

// SetIdleTimeout changes how long a read may wait for the next byte: zero is the client's IdleTimeout, negative is no limit. A Read that waits
// is bound by it from its own start.
func (b *Body) SetIdleTimeout(d time.Duration) {}
