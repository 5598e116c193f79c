package fakeapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// preTimeout is how long before the end of a watch its last bookmark is sent.
const preTimeout = 2 * time.Second

func (s *Server) serveWatch(w http.ResponseWriter, q *request) error {
	o, err := s.parseListOptions(q)
	if err != nil {
		return err
	}
	version, err := parseVersion(o.resourceVersion)
	if err != nil {
		return &StatusError{Code: http.StatusInternalServerError, Message: err.Error()}
	}
	if err := q.accept.form(q, q.accept.as == "PartialObjectMetadataList"); err != nil {
		return err
	}
	if o.timeoutSeconds < 0 { // over before it began; the real server says so in the stream
		s.refuseWatch(w, q, o, &StatusError{Code: http.StatusInternalServerError, Reason: "InternalError", Message: "context deadline exceeded"})
		return nil
	}
	return s.runWatch(w, q, o, version)
}

// runWatch serves a watch whose parameters are in order.
func (s *Server) runWatch(w http.ResponseWriter, q *request, o *listOptions, version uint64) error {
	timeout := s.watchTimeout(o)
	ctx, cancel := q.http.Context(), func() {}
	if timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, timeout)
	}
	defer cancel()
	started := time.Now()
	watch, initial, err := s.startWatch(w, q, o, version)
	refused, isStatus := err.(*StatusError)
	switch {
	case err != nil && !isStatus:
		return err
	case isStatus && refused.Code == http.StatusGone && s.options.GoneStatus:
		return err
	}
	if refused != nil {
		s.refuseWatch(w, q, o, refused)
		return nil
	}
	stream := s.newStream(w, q, o)
	defer stream.close()
	defer s.stopWatch(watch)
	if s.options.WatchList == WatchListSilent && o.marked() {
		s.waitOut(ctx)
		return nil
	}
	t := newBookmarkTimer(started, timeout, s.options.BookmarkInterval)
	defer t.stop()
	stream.initial(initial, watch, o.marked() && s.options.WatchList != WatchListUnmarked)
	s.pump(ctx, watch, stream, t)
	return nil
}

// refuseWatch tells in the stream what keeps a watch from starting, once it has
// been let in: the answer is 200 and one ERROR event.
func (s *Server) refuseWatch(w http.ResponseWriter, q *request, o *listOptions, e *StatusError) {
	stream := s.newStream(w, q, o)
	defer stream.close()
	stream.send(Event{Type: "ERROR", Object: mustJSON(e)})
	stream.flush()
}

// watchTimeout is random where the client does not name a time, so that not
// all watches of a server end together.
func (s *Server) watchTimeout(o *listOptions) time.Duration {
	if o.timeoutSeconds > 0 {
		return time.Duration(o.timeoutSeconds) * time.Second
	}
	return time.Duration(float64(s.options.WatchTimeout) * (1 + s.timing.fraction()))
}

// start is what a watch sends before the changes that happen after it began.
type start struct {
	state   []*object // each as ADDED
	changes []*change
	version uint64 // both are complete up to here
}

// startWatch decides where a watch begins and enters it, in one step, so that
// no change is missed or sent twice.
func (s *Server) startWatch(w http.ResponseWriter, q *request, o *listOptions, version uint64) (*watcher, *start, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := q.collection
	if o.initial() {
		wanted := version
		if o.resourceVersion == "" {
			wanted = s.version // the newest, as of now
		}
		if err := s.awaitCache(q.http.Context(), q.behind, c, wanted); err != nil {
			return nil, nil, err
		}
	}
	height := q.behind.at(c, s.version)
	st := &start{version: height}
	switch {
	case o.initial(), version == 0 && o.sendInitial == nil:
		st.state = c.at(height, o.namespace, "")
	case version == 0: // sendInitialEvents=false: from now on
	case version > s.version:
		// Accepted, as by the real server, and silent until the server gets
		// there: a client cannot learn of an etcd restore this way.
		st.version = version
	case version < c.floor:
		return nil, nil, expired(fmt.Sprintf("too old resource version: %d (%d)", version, c.floor))
	default:
		st.changes, st.version = c.since(version), version
	}
	watch := &watcher{
		collection: c, request: q, selection: o.selection, bookmarks: o.bookmarks, limit: s.options.WatchBuffer,
		controller: http.NewResponseController(w), started: time.Now(), wake: make(chan struct{}, 1),
	}
	watch.from = st.version
	watch.sent.Store(version)
	if height < s.version {
		watch.behind = behind{height, q.behind.caughtUp}
		watch.queue = c.since(max(height, version))
		st.changes = slices.DeleteFunc(st.changes, func(ch *change) bool { return ch.version > height })
	}
	c.watchers = append(c.watchers, watch)
	return watch, st, nil
}

func (s *Server) stopWatch(w *watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.end(s.version)
}

// abortWatches breaks the writes of watches on connections that are not ours.
func (s *Server) abortWatches() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.order {
		for _, w := range c.watchers {
			_ = w.controller.SetWriteDeadline(time.Now()) // best effort: not every writer has deadlines
		}
	}
}

// take empties a watch's queue. The version is one the queue is complete to.
func (s *Server) take(w *watcher) (queue []*change, version uint64, bookmark, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue, w.queue = w.queue, nil
	bookmark, w.bookmarkNow = w.bookmarkNow, false
	version = s.version
	if w.ended {
		version = w.endedAt
	}
	return queue, version, bookmark, w.ended
}

// pump sends changes and bookmarks until the watch ends.
func (s *Server) pump(ctx context.Context, w *watcher, stream *stream, t *bookmarkTimer) {
	if !s.hold(ctx, w, stream, t) {
		return
	}
	for !stream.broken {
		due := false
		select {
		case <-w.wake:
		case <-t.C():
			due = true
		case <-ctx.Done():
			return
		case <-s.draining:
			return
		}
		queue, version, asked, ended := s.take(w)
		for _, ch := range queue {
			stream.change(ch, w)
		}
		if w.bookmarks && (due || asked) {
			stream.bookmark(version, w, false)
		}
		if due {
			t.next(time.Now())
		}
		if ended {
			return
		}
	}
}

func (s *Server) waitOut(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-s.draining:
	}
}

// bookmarkTimer fires at an interval and once shortly before the deadline.
type bookmarkTimer struct {
	timer    *time.Timer
	interval time.Duration
	last     time.Time // when the one before the deadline is due; zero is none
}

func newBookmarkTimer(now time.Time, timeout, interval time.Duration) *bookmarkTimer {
	t := &bookmarkTimer{interval: interval}
	if interval <= 0 {
		return t
	}
	if timeout >= preTimeout {
		t.last = now.Add(timeout - preTimeout)
	}
	t.next(now)
	return t
}

func (t *bookmarkTimer) next(now time.Time) {
	wait := t.interval
	if until := t.last.Sub(now); !t.last.IsZero() && until > 0 {
		wait = min(wait, until)
	}
	if t.timer == nil {
		t.timer = time.NewTimer(wait)
		return
	}
	t.timer.Reset(wait)
}

func (t *bookmarkTimer) C() <-chan time.Time {
	if t.timer == nil {
		return nil
	}
	return t.timer.C
}

func (t *bookmarkTimer) stop() {
	if t.timer != nil {
		t.timer.Stop()
	}
}

// Watch describes an open watch.
type Watch struct {
	Resource  string
	Namespace string
	Query     url.Values
	Started   time.Time
	// Version is the newest version its client was sent, or began from.
	Version uint64
}

// Watches returns the open watches, oldest first.
func (s *Server) Watches() []Watch {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Watch
	for _, c := range s.order {
		for _, w := range c.watchers {
			all = append(all, Watch{
				Resource: c.Name(), Namespace: w.selection.namespace, Query: w.request.query,
				Started: w.started, Version: w.sent.Load(),
			})
		}
	}
	slices.SortStableFunc(all, func(a, b Watch) int { return a.Started.Compare(b.Started) })
	return all
}
