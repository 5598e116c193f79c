package listwatch

import (
	"context"
	"iter"

	"github.com/rawwatch/rawwatch/rest"
)

// Reflector follows one collection for as long as it is iterated over.
type Reflector struct {
	client  *rest.Client
	options Options
}

// New returns a reflector. It sends nothing before Events is iterated over.
func New(c *rest.Client, o Options) *Reflector { return &Reflector{client: c, options: o} }

// Events yields the collection: a complete state, framed by ReplaceBegin and ReplaceEnd, then changes, then another complete state whenever that cannot be
// avoided. It goes on through every failure; Status and Options.Observe show them. It ends without an error when ctx ends, and with one that nothing can
// be done about (a configuration that is not valid; see Options.FailUntilSynced).
//
// Events may be iterated over again after the loop was left, and goes on at the applied version. Two loops at a time are ErrBusy.
func (r *Reflector) Events(ctx context.Context) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {}
}

// Applied says that everything up to a version, one of the Version of the events yielded, needs not be sent again (Options.ManualApply). It is safe for
// concurrent use.
func (r *Reflector) Applied(version string) {}

// Failed says that something yielded has been lost since the loop body returned: a worker could not use it, a disk is full. The watch is resumed at the
// applied version; where that does not help, everything is listed again, at most once in Options.BadFrameRelist. It is safe for concurrent use.
func (r *Reflector) Failed(err error) {}

// Status returns the present state. It is safe for concurrent use.
func (r *Reflector) Status() Status { return Status{} }
