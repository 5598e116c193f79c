package fakeapi

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// markerAnnotation tells the bookmark that ends the initial events.
const markerAnnotation = "k8s.io/initial-events-end"

// stream writes the frames of one watch. A broken one swallows what follows.
type stream struct {
	server  *Server
	request *request
	plain   io.Writer    // the response
	out     io.Writer    // plain, or through gzip
	gzip    *gzip.Writer // nil: not compressed
	// member says that the gzip writer has something to finish.
	member  bool
	flusher *http.ResponseController
	rows    bool // a Table with its columns was sent
	broken  bool
}

// newStream sends the head. A watch-list may be compressed for all its life,
// an ordinary watch never is.
func (s *Server) newStream(w http.ResponseWriter, q *request, o *listOptions) *stream {
	st := &stream{server: s, request: q, plain: w, out: w, flusher: http.NewResponseController(w)}
	w.Header().Set("Content-Type", "application/json")
	if o.marked() && s.options.CompressOver > 0 && acceptsGzip(q.http) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Add("Vary", "Accept-Encoding")
		st.gzip = newGzip(w)
		st.out = st.gzip
	}
	w.WriteHeader(http.StatusOK)
	st.flushOut()
	return st
}

// initial sends what was there when the watch began, in one flush unless there
// are rewriters.
func (st *stream) initial(s *start, w *watcher, marker bool) {
	for _, o := range s.state {
		if w.selection.matches(o) {
			w.sent.Store(s.version) // all of the state or nothing
			st.send(Event{Type: "ADDED", Object: st.object(o)})
		}
	}
	for _, ch := range s.changes {
		if e, ok := st.event(ch, w); ok {
			w.sent.Store(ch.version)
			st.send(e)
		}
	}
	if marker {
		st.bookmark(s.version, w, true)
	}
	st.flush()
}

// change sends one change in a flush of its own.
func (st *stream) change(ch *change, w *watcher) {
	if ch.version <= w.from {
		return // the client was told so by the version it began from
	}
	e, ok := st.event(ch, w)
	if !ok {
		return
	}
	w.sent.Store(ch.version)
	st.send(e)
	st.flush()
}

// event is what a change means to a watch: an object that moves into the
// selection is added, one that moves out is deleted, in its last state inside
// at the version of the move.
func (st *stream) event(ch *change, w *watcher) (Event, bool) {
	was, is := w.selection.matches(ch.before), w.selection.matches(ch.after)
	switch {
	case is && was:
		return Event{Type: "MODIFIED", Object: st.object(ch.after)}, true
	case is:
		return Event{Type: "ADDED", Object: st.object(ch.after)}, true
	case was && ch.after == nil:
		return Event{Type: "DELETED", Object: st.object(ch.gone)}, true
	case was:
		return Event{Type: "DELETED", Object: st.object(ch.before.at(ch.version))}, true
	}
	return Event{}, false
}

// bookmark sends a version without an object. One that the client is ahead of
// is not sent.
func (st *stream) bookmark(version uint64, w *watcher, marker bool) {
	if version < w.from {
		return
	}
	o := w.collection.blank(version)
	if marker {
		o.meta.Annotations = map[string]string{markerAnnotation: "true"}
		o.json = o.render()
	}
	w.sent.Store(version)
	st.send(Event{Type: "BOOKMARK", Object: st.object(o), Marker: marker})
	st.flush()
}

// blank is the object of a bookmark: nothing but type and version, and what
// the kind's Go type prints even when it is empty.
func (k *kind) blank(version uint64) *object {
	d := &draft{kind: k}
	if k.empty != "" {
		content, err := parseFields([]byte("{" + k.empty + "}"))
		if err != nil {
			panic(err) // a mistake in the table of built-in resources
		}
		d.content = content
	}
	o := &object{draft: *d, version: version}
	o.meta.ResourceVersion = strconv.FormatUint(version, 10)
	o.json = o.render()
	return o
}

func (st *stream) object(o *object) []byte {
	q := st.request
	if q.accept.as == "Table" {
		t := q.accept.table(q, []*object{o}, listMeta{ResourceVersion: o.meta.ResourceVersion}, !st.rows)
		st.rows = true
		return t
	}
	return q.accept.single(q, o)
}

// send writes a frame after the rewriters have seen it, unflushed.
func (st *stream) send(e Event) {
	if st.request.accept.as == "PartialObjectMetadataList" && e.Type != "ERROR" {
		st.broken = true // no event is a list: the real server ends the stream
	}
	if st.broken {
		return
	}
	events, asked := st.server.hooks.rewrite(st.request.http, e)
	for _, e := range events {
		frame := e.Raw
		if frame == nil {
			frame = make([]byte, 0, len(e.Object)+40)
			frame = append(frame, `{"type":"`+e.Type+`","object":`...)
			frame = append(frame, e.Object...)
			frame = append(frame, "}\n"...)
		}
		if _, err := st.out.Write(frame); err != nil {
			st.broken = true
			return
		}
		st.member = true
	}
	if asked {
		st.flush() // the next one may be waited with
	}
}

// flush pushes frames to the client; a gzip member ends with it.
func (st *stream) flush() {
	st.endMember()
	st.flushOut()
}

func (st *stream) flushOut() {
	if err := st.flusher.Flush(); err != nil {
		st.broken = true
	}
}

func (st *stream) endMember() {
	if st.gzip == nil || !st.member {
		return
	}
	// The real server flushes the member before it ends it. Readers notice: compress/gzip keeps what came with the end of
	// a member to itself until the next one begins.
	if err := errors.Join(st.gzip.Flush(), st.gzip.Close()); err != nil {
		st.broken = true
	}
	st.gzip.Reset(st.plain)
	st.member = false
}

func (st *stream) close() {
	st.endMember()
	if st.gzip != nil {
		freeGzip(st.gzip)
		st.gzip = nil
	}
}
