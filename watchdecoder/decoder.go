package watchdecoder

import (
	"io"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rawwatch/rawwatch/status"
)

// Decoder reads the frames of a watch: JSON objects {"type": ..., "object": ...} one after another, white space between them
// or none (API concepts, "Efficient detection of changes"). It is not safe for concurrent use.
type Decoder struct {
	unit  unit
	frame Frame
	err   error // that ended the stream
}

// NewDecoder returns a decoder that reads from r, in reads as large as its buffer has room.
func NewDecoder(r io.Reader, o Options) *Decoder {
	d := new(Decoder)
	d.unit.open(r, &o)
	return d
}

// Expect sets the apiVersion and kind that objects must be of from the next frame on, as learned from a list; "" is not checked.
func (d *Decoder) Expect(apiVersion, kind string) { d.unit.expect(apiVersion, kind) }

// Next returns the next frame as soon as its closing brace was read. The frame is valid until the next call.
//
// The error is
//   - io.EOF if the stream ended between two frames, never otherwise;
//   - a *status.Error, beside the frame, for an event of type ERROR;
//   - a *[FrameError] that is Recoverable if only this frame is bad: the frame is returned beside it where it was read whole,
//     nil where it was too large or too deep, and the next call goes on behind it;
//   - a *[FrameError] that is not Recoverable if the bytes are not a watch: malformed, cut (then errors.Is io.ErrUnexpectedEOF),
//     HTML, a list, a Table; a *status.Error if they are a Status;
//   - the reader's error otherwise, after all frames that came before it.
//
// An error that ends the stream is returned by all later calls as well.
func (d *Decoder) Next() (*Frame, error) {
	if d.err != nil {
		return nil, d.err
	}
	if d.err = d.read(); d.err != nil {
		return nil, d.err
	}
	if !d.unit.held {
		return nil, d.fault(d.unit.lost.key, d.unit.lost.typ)
	}
	return d.judge()
}

// read finds the end of the next frame.
func (d *Decoder) read() error {
	u := &d.unit
	c, err := u.next()
	if err != nil {
		return err
	}
	u.start = u.src.offset
	if c != '{' {
		return u.strange(c)
	}
	stop, err := u.read(levelEvent, 1)
	if err == nil && stop == scanItems {
		return u.fatal(RuleListNotEvents, u.scan.pos-1, "")
	}
	return err
}

// judge says what is wrong with a frame that was read whole.
func (d *Decoder) judge() (*Frame, error) {
	u, f := &d.unit, &d.frame
	*f = Frame{Type: u.eventType(), Raw: u.src.bytes()[:u.size], Offset: u.start, Identity: u.identity()}
	if object := u.scan.spans[fieldObject]; u.scan.found&(1<<fieldObject) != 0 {
		f.Object = f.Raw[object.from:object.to]
	}
	if u.scan.seen&(1<<fieldType|1<<fieldObject) == 0 && u.scan.seen&(1<<fieldEventKind) != 0 {
		return d.noEvent()
	}
	d.checkEvent(f)
	if u.scan.fault.rule != "" {
		return f, d.fault(f.Identity.Key(), f.Type)
	}
	if f.Type == Error {
		failure, err := status.Parse(f.Object)
		if err != nil {
			u.scan.bad(RuleErrorStatus, u.at(fieldObject), "")
			u.scan.fault.cause = err
			return f, d.fault(f.Identity.Key(), f.Type)
		}
		return f, failure
	}
	return f, nil
}

// checkEvent holds the frame to what an event of its type must have.
func (d *Decoder) checkEvent(f *Frame) {
	u := &d.unit
	switch {
	case u.scan.seen&(1<<fieldType) == 0:
		u.scan.bad(RuleNoType, 0, "")
	case f.Type == Unknown:
		text, _ := u.text(fieldType)
		u.scan.bad(RuleUnknownType, u.at(fieldType), excerpt(text))
	case u.scan.seen&(1<<fieldObject) == 0:
		u.scan.bad(RuleNoObject, 0, "")
	case f.Type == Error:
	default:
		u.inherit(&f.Identity, u.apiVersion, u.kind)
		u.checkKind(&f.Identity)
		u.checkIdentity(&f.Identity, f.Type != Bookmark)
		f.InitialEventsEnd = f.Type == Bookmark && u.endsInitialEvents()
	}
}

// noEvent is for an object that stands where an event was due.
func (d *Decoder) noEvent() (*Frame, error) {
	u := &d.unit
	kind, _ := u.text(fieldEventKind)
	switch string(kind) {
	case "Status":
		if failure, err := status.Parse(d.frame.Raw); err == nil {
			d.err = failure
			return nil, d.err
		}
	case "Table":
		d.err = u.fatal(RuleTable, u.at(fieldEventKind), "")
		return nil, d.err
	}
	u.scan.bad(RuleNoType, 0, "of kind "+excerpt(kind))
	return &d.frame, d.fault(d.frame.Identity.Key(), Unknown)
}

// fault is the error for what costs this frame alone - but for a Table: no frame of this watch will hold an object.
func (d *Decoder) fault(key types.NamespacedName, typ EventType) error {
	e := d.unit.faultError(key)
	e.Type = typ
	if e.lost {
		d.err = e
	}
	return e
}
