package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
)

// health is whether a watch is well: what decides the exit code when its time is up.
type health struct {
	synced  bool  // the state at the beginning was complete
	failure error // what keeps the watch from going on; nil while it does
	since   time.Time

	watching bool        // the request under way is a watch
	streamed bool        // a watch was answered with a stream
	head     atomic.Bool // an answer began
	relists  uint64
	stop     context.CancelCauseFunc
}

// awaitAnswer ends the watch unless an answer begins within --request-timeout. A watch's head may come late without anything being wrong - some proxies
// hold it back until the first event - so there is no limit of this kind without the flag.
func (f *follower) awaitAnswer(stop context.CancelCauseFunc) (cancel func() bool) {
	if f.session.patience <= 0 {
		return func() bool { return true }
	}
	return time.AfterFunc(f.session.patience, func() {
		if !f.health.head.Load() {
			stop(&silenceError{f.session.patience})
		}
	}).Stop
}

// silenceError is --request-timeout run out.
type silenceError struct{ limit time.Duration }

func (e *silenceError) Error() string {
	return fmt.Sprintf("no answer within --request-timeout (%s): the server is overloaded, or something on the way swallows the bytes; try again", gap(e.limit))
}
func (e *silenceError) Unwrap() error { return context.DeadlineExceeded }

// sent notes what is being asked.
func (f *follower) sent(r rest.RequestSent) {
	f.health.watching = len(r.Lines) > 0 && strings.Contains(r.Lines[0], "watch=true")
}

// answered looks at each head. A watch that is answered with a counted body has been collected by something on the way: it shows nothing until it is over.
func (f *follower) answered(h rest.HeadReceived) {
	if h.Code < 200 || h.Code > 299 {
		return
	}
	f.health.head.Store(true)
	f.health.failure = nil
	f.health.streamed = f.health.streamed || f.health.watching && h.Framing != rest.ContentLength
	if !f.health.watching || h.Framing != rest.ContentLength || !hasField(h.Lines, "Content-Type", "application/json") {
		return // a page of another kind is told for what it is
	}
	f.health.fail(&listwatch.StreamError{Reason: listwatch.ReasonContentLength}, h.Time)
	if !f.once && !f.health.streamed {
		f.health.stop(f.health.failure)
	}
}

func (h *health) fail(err error, at time.Time) {
	if h.failure == nil {
		h.since = at
	}
	h.failure = err
}

// observe tells of what happens between the events.
func (f *follower) observe(t listwatch.Transition) {
	if t.Err != nil {
		f.health.fail(t.Err, t.Time)
	}
	status := f.reflector.Status()
	if f.session.tracer != nil {
		f.session.tracer.state(status.Conn, t)
	}
	if t.Reason == listwatch.ReasonSynced && !f.health.synced {
		f.health.synced = true
		f.held = append(f.held, fmt.Sprintf("in sync at version %s: %s", t.Version, count(f.objects, "object")))
	}
	text := tell(t, f.health.synced, f.relistBegan(status.Relists))
	if text != "" {
		f.held = append(f.held, text)
	}
	// What is tried another way at once, at the beginning, is worth a line if that works; if not, the error is enough.
	if !f.health.synced && t.Delay == 0 {
		return
	}
	for _, text := range f.held {
		f.say("%s", text)
	}
	f.held = nil
}

// relistBegan reports whether a relist was decided on since it was asked last.
func (f *follower) relistBegan(relists map[string]uint64) bool {
	var sum uint64
	for _, n := range relists {
		sum += n
	}
	began := sum != f.health.relists
	f.health.relists = sum
	return began
}

// unfinished is what was wrong when the time was up: a watch that was broken then, or that never came to show anything.
func (f *follower) unfinished() error {
	switch {
	case f.health.failure != nil:
		return &unfinishedError{f.target.label, fmt.Sprintf("the watch had been broken for %s", gap(time.Since(f.health.since))), f.health.failure}
	case !f.health.synced && !f.once:
		return &unfinishedError{f.target.label, "the state at the beginning was not complete", context.DeadlineExceeded}
	case !f.health.head.Load():
		return &unfinishedError{f.target.label, "no answer had begun", context.DeadlineExceeded}
	}
	return nil
}

// unfinishedError is a watch that ended in time but not well.
type unfinishedError struct {
	label, text string
	err         error
}

func (e *unfinishedError) Error() string {
	text := "when the time was up, " + e.text
	if e.label == "" {
		return text
	}
	return e.label + ": " + text
}
func (e *unfinishedError) Unwrap() error { return e.err }
