package listwatch

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

// Reflector follows one collection for as long as it is iterated over.
type Reflector struct {
	client  *rest.Client
	options Options
	path    string
	err     error // of the configuration
	wake    chan struct{}

	// Of the iteration under way; touched by its goroutine only.
	budget           int64 // bytes of the list that are left
	apiVersion, kind string

	mu      sync.Mutex
	machine *machine
	status  Status
	busy    bool
	failure error  // from Failed, not yet taken
	unblock func() // ends what the loop waits for: a head, or a read of a body
	cut     bool   // it did
}

// New returns a reflector. It sends nothing before Events is iterated over.
func New(c *rest.Client, o Options) *Reflector {
	r := &Reflector{client: c, options: o, wake: make(chan struct{}, 1), apiVersion: o.APIVersion, kind: o.Kind}
	r.path, r.err = collectionPath(&o)
	lessons := o.Lessons
	if lessons == nil {
		lessons = NewLessons()
	}
	r.machine = newMachine(settingsOf(&o, r.path), lessons, randomOf(&o))
	r.status = Status{State: r.machine.state.name(), Since: time.Now()}
	return r
}

// Events yields the collection: a complete state, framed by ReplaceBegin and ReplaceEnd, then changes, then another complete state whenever that cannot be
// avoided. It goes on through every failure; Status and Options.Observe show them. It ends without an error when ctx ends, and with one that nothing can
// be done about (a configuration that is not valid; see Options.FailUntilSynced).
//
// Events may be iterated over again after the loop was left, and goes on at the applied version. Two loops at a time are ErrBusy.
func (r *Reflector) Events(ctx context.Context) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		if r.err != nil {
			yield(nil, r.err)
			return
		}
		if !r.take() {
			yield(nil, ErrBusy)
			return
		}
		(&driver{r: r, ctx: ctx, yield: yield}).run()
	}
}

func (r *Reflector) take() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy {
		return false
	}
	r.busy = true
	return true
}

// leave ends an iteration.
func (r *Reflector) leave() {
	r.mu.Lock()
	_, stopped := r.machine.state.(*idle)
	r.mu.Unlock()
	if !stopped {
		now := time.Now()
		for _, a := range r.step(now, input{kind: inStop}) {
			r.transition(now, &a)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy, r.failure = false, nil
}

// step is a step of the machine. What it decided shows in Status before any of it is performed.
func (r *Reflector) step(now time.Time, in input) []action {
	r.mu.Lock()
	defer r.mu.Unlock()
	actions := r.machine.step(now, in)
	r.show()
	return actions
}

// show copies what the machine knows. Called with the lock held.
func (r *Reflector) show() {
	m := r.machine
	r.status.Received, r.status.Applied, r.status.Epoch, r.status.Synced = m.received, m.applied, m.epoch, m.synced
}

// Applied says that everything up to a version, one of the Version of the events yielded, needs not be sent again (Options.ManualApply). It is safe for
// concurrent use.
func (r *Reflector) Applied(version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.machine.apply(version)
	r.show()
}

var errInterrupted = errors.New("listwatch: interrupted by Reflector.Failed")

// Failed says that something yielded has been lost since the loop body returned: a worker could not use it, a disk is full. The watch is resumed at the
// applied version; where that does not help, everything is listed again, at most once in Options.BadFrameRelist. It is safe for concurrent use.
func (r *Reflector) Failed(err error) {
	if err == nil {
		err = errInterrupted
	}
	r.mu.Lock()
	r.failure = err
	unblock := r.unblock
	r.cut = r.cut || unblock != nil
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
	if unblock != nil { // a quiet watch would keep the loop waiting
		unblock()
	}
}

// takeFailure returns what Failed left.
func (r *Reflector) takeFailure() (input, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.failure
	r.failure = nil
	return input{kind: inFailed, err: err, reason: ReasonConsumer}, err != nil
}

// block notes that the loop is about to wait, and how to end that.
func (r *Reflector) block(unblock func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unblock = unblock
}

// unblocked notes that the wait is over, and reports whether Failed ended it.
func (r *Reflector) unblocked() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	cut := r.cut
	r.unblock, r.cut = nil, false
	return cut
}

// Status returns the present state. It is safe for concurrent use.
func (r *Reflector) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status.clone(r.machine.lessons.holds(r.machine.o.collection, time.Now()))
}
