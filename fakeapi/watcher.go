package fakeapi

import (
	"net/http"
	"slices"
	"sync/atomic"
	"time"
)

// watcher is one open watch: changes go in under the server's mutex, the
// goroutine of its request takes them out.
type watcher struct {
	collection *collection
	request    *request
	selection  selection
	bookmarks  bool // the client asked for them
	limit      int  // of queue, 0 is none
	// controller can cut the write of a client that does not read.
	controller *http.ResponseController
	started    time.Time
	// from is the version the watch began at; nothing up to it is sent.
	from uint64
	// behind is the cache that feeds it.
	behind behind

	// From here on guarded by the server's mutex.
	queue []*change
	// bookmarkNow asks for a bookmark beside the periodic ones.
	bookmarkNow bool
	ended       bool
	endedAt     uint64
	// wake holds a token when there is something to take.
	wake chan struct{}

	// sent is the newest version the client was given.
	sent atomic.Uint64
}

// offer queues a change, or ends a watch that is too far behind: the real
// cache does not wait for a slow client either.
func (w *watcher) offer(ch *change) {
	if w.limit > 0 && len(w.queue) >= w.limit {
		w.queue = nil
		w.end(0) // what is dropped here must not be covered by a bookmark
		return
	}
	w.queue = append(w.queue, ch)
	w.signal()
}

// end lets the stream finish with a complete body once what is queued has
// been sent, which is everything up to version: changes after that go past it,
// so no later version may be in a bookmark.
func (w *watcher) end(version uint64) {
	if !w.ended {
		w.ended, w.endedAt = true, version
	}
	ws := w.collection.watchers
	if i := slices.Index(ws, w); i >= 0 {
		w.collection.watchers = slices.Delete(ws, i, i+1)
	}
	w.signal()
}

func (w *watcher) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}
