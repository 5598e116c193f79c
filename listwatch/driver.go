package listwatch

import (
	"context"
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

// driver performs what the machine decides, in the goroutine of one iteration.
type driver struct {
	r     *Reflector
	ctx   context.Context
	yield func(*Event, error) bool

	now     time.Time // of the input under way
	request *request  // to be sent
	waiting bool
	until   time.Time
	stream  *stream
	event   Event // reused
}

// run is the loop: an input, the actions that follow from it, the next input.
func (d *driver) run() {
	defer d.close()
	in := input{kind: inStart}
	d.now = time.Now()
	for {
		if !d.perform(d.r.step(d.now, in)) {
			return
		}
		if d.ctx.Err() != nil {
			return
		}
		in, d.now = d.next()
		if d.ctx.Err() != nil { // whatever ended, this ended it
			return
		}
	}
}

// close leaves nothing behind, also when the loop body panics.
func (d *driver) close() {
	d.closeStream()
	d.r.leave()
}

// next waits for what happens next, and says when it did.
func (d *driver) next() (input, time.Time) {
	in, failed := d.r.takeFailure()
	switch {
	case failed:
	case d.request != nil:
		in = d.send()
	case d.waiting:
		in = d.sleep()
	default:
		s := d.stream
		return d.read(), s.at
	}
	return in, time.Now()
}

// sleep waits, and can be woken.
func (d *driver) sleep() input {
	timer := time.NewTimer(time.Until(d.until))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-d.ctx.Done():
	case <-d.r.wake:
		if in, ok := d.r.takeFailure(); ok {
			return in
		}
		return d.sleep() // it was about something else, which is over
	}
	d.waiting = false
	return input{kind: inTimer}
}

// send makes a request and waits for its head.
func (d *driver) send() input {
	q := d.request
	d.request = nil
	d.closeStream()
	d.r.note(func(s *Status) { s.count(q) })
	full := *q
	full.list = d.r.parameters(q.list)
	ctx, cancel := context.WithCancelCause(d.ctx)
	d.r.block(func() { cancel(errInterrupted) })
	s, err := ask(ctx, d.r.client, &d.r.options, d.r.path, &full)
	interrupted := d.r.unblocked()
	if err != nil {
		cancel(nil)
		if failed, ok := d.r.takeFailure(); ok && interrupted {
			d.request = q // to be sent again, unless the machine wants something else now
			return failed
		}
		return classify(err)
	}
	s.release, s.interrupted = func() { cancel(nil) }, interrupted
	d.open(s, q.purpose)
	return input{kind: inAccepted, counted: s.watch != nil && s.response.Framing == rest.ContentLength}
}

func (d *driver) open(s *stream, p purpose) {
	if most := d.r.options.MaxBytes; most > 0 && p != forWatch && p != forProbe {
		if p != forPage {
			d.r.budget = most
		}
		s.left, s.most = d.r.budget, most
	}
	s.onRead = d.r.sawByte
	d.stream = s
	d.r.opened(s)
	if p == forWatch {
		s.watch.Expect(d.r.apiVersion, d.r.kind)
	}
}

// read waits for the stream's next frame or item.
func (d *driver) read() input {
	s := d.stream
	d.r.block(s.unblock)
	in := s.next()
	s.interrupted = d.r.unblocked() || s.interrupted
	if in.kind == inEnded && s.interrupted {
		if failed, ok := d.r.takeFailure(); ok {
			return failed // the machine decides whether it needed that; reading on gives the same end again
		}
		in = input{kind: inEnded, err: errInterrupted, reason: ReasonConsumer}
	}
	switch in.kind {
	case inPageEnd:
		d.r.budget = s.left
		d.r.learnKind(s)
		d.closeStream()
	case inEnded:
		d.closeStream()
	case inBookmark:
		if in.marker {
			d.r.learnKind(s)
			s.left = -1
		}
	}
	return in
}

func (d *driver) closeStream() {
	if d.stream != nil {
		d.stream.close()
		d.r.opened(nil)
		d.stream = nil
	}
}

// perform reports whether to go on.
func (d *driver) perform(actions []action) bool {
	for i := range actions {
		a := &actions[i]
		switch a.kind {
		case actRequest:
			d.request = a.request
		case actWait:
			d.waiting, d.until = true, d.now.Add(a.wait)
		case actClose:
			d.request = nil
			d.closeStream()
		case actIdle:
			if d.stream != nil {
				d.stream.response.Body.SetIdleTimeout(a.wait)
			}
		case actYield:
			if !d.emit(a) {
				return false
			}
		case actRelist:
			d.r.note(func(s *Status) { s.relisted(a.reason) })
		case actTransition:
			d.r.transition(d.now, a)
		case actFail:
			d.yield(nil, a.err)
			return false
		}
	}
	return true
}

// emit yields one event. What the loop body has returned from is applied, unless the caller says so himself.
func (d *driver) emit(a *action) bool {
	e := &d.event
	*e = Event{Kind: a.event, Version: a.version, Initial: a.initial, Err: a.err, Reason: a.reason, Received: d.now}
	switch {
	case d.stream == nil:
	case a.event == ReplaceBegin, a.event == ReplaceEnd, a.event == ReplaceAbort:
		e.Conn = d.stream.response.Conn
	default:
		d.stream.fill(e)
	}
	d.r.note(func(s *Status) { s.saw(e) })
	if !d.yield(e, nil) {
		return false
	}
	if a.version != "" && !d.r.options.ManualApply {
		d.r.Applied(a.version)
	}
	return true
}
