package chunked

import (
	"bufio"
	"io"
)

// DefaultMaxOverhead is a stub.
const DefaultMaxOverhead = 16 << 10

// Reader decodes one body.
type Reader struct{ br *bufio.Reader }

// NewReader returns a Reader of the body that begins at the next byte of br.
func NewReader(br *bufio.Reader, o Options) *Reader { return &Reader{br} }

func (r *Reader) Read(p []byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Complete reports that the final CRLF has been read: the next byte of the bufio.Reader belongs to another message.
func (r *Reader) Complete() bool { return false }

// Error is a breach.
type Error struct {
	Offset  int64
	Rule    string
	Section string
	Err     error
}

func (e *Error) Error() string { return e.Rule }
func (e *Error) Unwrap() error { return e.Err }
