package listwatch

import (
	"context"
	"io"
	"time"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// stream is one response under way: a page of a list, or a watch.
type stream struct {
	cancel   context.CancelFunc
	release  func() // of the driver's, nil if there is none
	response *rest.Response
	list     *watchdecoder.ListDecoder // of a list
	watch    *watchdecoder.Decoder     // of a watch

	item  *watchdecoder.Item // what was read last
	frame *watchdecoder.Frame
	err   *watchdecoder.FrameError // why that is bad
	at    time.Time                // when

	// left is how many bytes may still be read, of most; negative is no bound.
	left, most  int64
	onRead      func(now time.Time)
	unblock     func() // interrupt
	interrupted bool   // from outside
	initial     bool   // the marker has not come: the versions of single objects mean nothing yet

	apiVersion, kind string // of the first object of a watch-list
}

// ask sends one request; accept is the media type of a single object.
func ask(ctx context.Context, c *rest.Client, o *Options, path string, q *request) (*stream, error) {
	r := rest.Request{
		Method: "GET", Path: path, Query: q.list.Query(), Accept: o.Accept,
		Gzip: o.Gzip && q.purpose != forWatch, IdleTimeout: q.idle, HeadTimeout: q.head, Trace: o.Trace,
	}
	watch := q.purpose == forWatch || q.purpose == forWatchList
	if !watch {
		r.Accept = watchdecoder.ListAccept(o.Accept)
	}
	cancel := context.CancelFunc(func() {})
	if q.deadline > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, q.deadline, errOverdue)
	}
	response, err := c.Do(ctx, r)
	if err == nil {
		err = response.ExpectMediaType("application/json")
	}
	if err != nil {
		cancel()
		return nil, err
	}
	s := &stream{cancel: cancel, response: response, left: -1, initial: q.purpose == forWatchList}
	s.unblock = s.interrupt
	decoding := watchdecoder.Options{MaxBytes: o.MaxFrameBytes, MaxDepth: o.MaxDepth, APIVersion: o.APIVersion, Kind: o.Kind}
	if watch {
		s.watch = watchdecoder.NewDecoder(s, decoding)
	} else {
		s.list = watchdecoder.NewListDecoder(s, decoding)
	}
	return s, nil
}

// Read is what the decoders read from.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.response.Body.Read(p)
	if n > 0 && s.onRead != nil {
		s.onRead(time.Now())
	}
	if s.left >= 0 {
		if s.left -= int64(n); s.left < 0 {
			return 0, &LimitError{Limit: "MaxBytes", Value: s.most}
		}
	}
	return n, err
}

// close ends the stream, whole or not. The connection is kept if it was whole.
func (s *stream) close() {
	s.response.Body.Close()
	s.cancel()
	if s.release != nil {
		s.release()
	}
}

// interrupt makes a read that waits, and every later one, return. It may be called by another goroutine.
func (s *stream) interrupt() { s.response.Body.Close() }

// next reads on to the next input.
func (s *stream) next() input {
	if s.list != nil {
		return s.nextItem()
	}
	return s.nextFrame()
}

func (s *stream) nextItem() input {
	item, err := s.list.Next()
	s.item, s.err, s.at = item, nil, time.Now()
	switch {
	case err == nil:
		return input{kind: inItem}
	case err == io.EOF:
		meta := s.list.Meta()
		return input{kind: inPageEnd, version: meta.ResourceVersion, token: meta.Continue}
	}
	return s.failure(err)
}

func (s *stream) nextFrame() input {
	frame, err := s.watch.Next()
	s.frame, s.err, s.at = frame, nil, time.Now()
	switch {
	case err == nil:
		if s.kind == "" {
			s.apiVersion, s.kind = string(frame.Identity.APIVersion), string(frame.Identity.Kind)
		}
		in := input{kind: frameKinds[frame.Type], marker: frame.InitialEventsEnd}
		s.initial = s.initial && !in.marker
		if !s.initial || in.kind == inBookmark {
			in.version = string(frame.Identity.ResourceVersion)
		}
		return in
	case err == io.EOF:
		return input{kind: inEnded}
	}
	return s.failure(err)
}

var frameKinds = [...]inputKind{
	watchdecoder.Added: inAdded, watchdecoder.Modified: inModified, watchdecoder.Deleted: inDeleted, watchdecoder.Bookmark: inBookmark,
}

// failure is a frame or item that could not be read, or the end.
func (s *stream) failure(err error) input {
	if bad, ok := err.(*watchdecoder.FrameError); ok && bad.Recoverable() {
		s.err = bad
		return input{kind: inBad, err: err, reason: bad.Rule}
	}
	if api, ok := err.(*status.Error); ok { // in the stream; one that answered a request has been seen to
		api.Message = s.response.Hide(api.Message)
	}
	return classify(err)
}

// fill describes what was read last in an event.
func (s *stream) fill(e *Event) {
	e.Conn, e.Received = s.response.Conn, s.at
	switch {
	case s.frame != nil:
		e.Identity, e.Object, e.Raw, e.Offset = s.frame.Identity, s.frame.Object, s.frame.Raw, s.frame.Offset
	case s.item != nil:
		e.Identity, e.Object, e.Offset = s.item.Identity, s.item.Object, s.item.Offset
	case s.err != nil: // too large or too deep to be held
		e.Identity = watchdecoder.Identity{Namespace: []byte(s.err.Key.Namespace), Name: []byte(s.err.Key.Name)}
		e.Offset = s.err.Start
	}
}
