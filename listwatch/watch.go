package listwatch

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

// Watch yields one watch request to its end, with o.List's parameters as they are: Added, Modified, Deleted, Bookmark and Problem. The bookmark that ends the
// initial events of a watch-list has the Reason Synced. Unless the loop is left it always ends with an error, a *StreamError once the watch had begun; see
// there for what ended it. Bookmarks are not asked for unless o.List says so; without them there is no idle deadline but a positive o.IdleTimeout.
func Watch(ctx context.Context, c *rest.Client, o Options) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		path, err := collectionPath(&o)
		if err != nil {
			yield(nil, err)
			return
		}
		q := watchRequest(&o)
		started := time.Now()
		s, err := ask(ctx, c, &o, path, q)
		if err != nil {
			yield(nil, err)
			return
		}
		defer s.close()
		w := &oneWatch{s: s, q: q, version: o.List.ResourceVersion, beat: heartbeat{fixed: q.idle}}
		w.initial = q.list.SendInitialEvents != nil && *q.list.SendInitialEvents || w.version == "" || w.version == "0"
		if q.idle == firstSilence {
			w.beat.fixed = o.IdleTimeout
		}
		w.run(started, yield)
	}
}

// watchRequest is what the caller asked for.
func watchRequest(o *Options) *request {
	q := &request{purpose: forWatch, list: o.List, idle: o.IdleTimeout, head: o.IdleTimeout}
	q.list.Watch = true
	if q.list.SendInitialEvents != nil && *q.list.SendInitialEvents {
		q.purpose = forWatchList
	}
	switch {
	case q.idle != 0:
	case q.list.AllowWatchBookmarks:
		q.idle, q.head = firstSilence, firstSilence
	default:
		q.idle = -1
	}
	if q.list.TimeoutSeconds > 0 {
		q.deadline = time.Duration(q.list.TimeoutSeconds)*time.Second + overdue
	}
	return q
}

// oneWatch is a watch under way.
type oneWatch struct {
	s       *stream
	q       *request
	version string
	initial bool // the initial events are coming
	frames  int64
	beat    heartbeat
}

func (w *oneWatch) run(started time.Time, yield func(*Event, error) bool) {
	var e Event
	for {
		in := w.s.next()
		if in.kind == inEnded {
			yield(nil, w.end(started, &in))
			return
		}
		w.frames++
		w.describe(&e, &in)
		if !yield(&e, nil) {
			return
		}
	}
}

// describe turns a frame into an event.
func (w *oneWatch) describe(e *Event, in *input) {
	*e = Event{Initial: w.initial}
	w.s.fill(e)
	switch in.kind {
	case inBad:
		e.Kind, e.Err, e.Reason = Problem, in.err, in.reason
		return
	case inAdded:
		e.Kind = Added
	case inModified:
		e.Kind = Modified
	case inDeleted:
		e.Kind = Deleted
	case inBookmark:
		e.Kind = Bookmark
		w.bookmark(e, in)
	}
	// Initial events come in no order of versions; the first other event ends those of a plain watch.
	if w.initial && in.kind != inAdded && w.q.purpose == forWatch {
		w.initial, e.Initial = false, false
	}
	if !w.initial && !older(in.version, w.version) {
		w.version = in.version
		e.Version = in.version
	}
}

func (w *oneWatch) bookmark(e *Event, in *input) {
	if in.marker {
		w.initial, e.Reason = false, ReasonSynced
	}
	if w.q.idle < 0 {
		return
	}
	limit := w.beat.limit()
	w.beat.bookmark(w.s.at)
	if changed := w.beat.limit(); changed != limit {
		w.s.response.Body.SetIdleTimeout(changed)
	}
}

// end says how it ended.
func (w *oneWatch) end(started time.Time, in *input) error {
	e := &StreamError{Reason: in.reason, Frames: w.frames, After: time.Since(started), Err: in.err}
	if in.err == nil {
		e.Err, e.Reason = io.EOF, ReasonEndedEarly
		switch {
		case w.s.response.Framing == rest.ContentLength:
			e.Reason = ReasonContentLength
		case w.q.list.TimeoutSeconds > 0 && e.After+time.Second >= time.Duration(w.q.list.TimeoutSeconds)*time.Second:
			e.Reason = ReasonTimeoutSeconds
		}
	}
	return e
}
