package fakeapi

import (
	"context"
	"net/http"
	"time"
)

// Replica lets f say which requests meet another API server of the same etcd,
// whose watch cache has fallen behind: it stands at height until caughtUp is
// closed. A nil channel is the server itself. It goes on until remove is
// called; watches that began behind stay there until caughtUp.
//
// Reads from the cache are answered as of height; a list not older than a
// version above it waits as FreshWait says, and is refused; a watch sends what
// is above it when the cache gets there. Lists without a resourceVersion, and
// exact ones, are served by etcd. f is asked once for each request for a
// collection, one request at a time.
func (s *Server) Replica(f func(r *http.Request) (height uint64, caughtUp <-chan struct{})) (remove func()) {
	return add(&s.hooks, &s.hooks.replicas, replica(f))
}

type replica func(*http.Request) (uint64, <-chan struct{})

// behind is the cache that a request meets; the zero value is one that is up to
// date.
type behind struct {
	height   uint64
	caughtUp <-chan struct{}
}

func (h *hooks) meets(r *http.Request) behind {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.replicas {
		if height, caughtUp := e.value(r); caughtUp != nil {
			return behind{height, caughtUp}
		}
	}
	return behind{}
}

// at returns the version that the cache of a collection stands at. The mutex is
// held.
func (b behind) at(c *collection, newest uint64) uint64 {
	if b.caughtUp == nil || isClosed(b.caughtUp) {
		return newest
	}
	return min(max(b.height, c.floor), newest)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// awaitCache returns once the cache has reached a version, or refuses after a
// while. The mutex is held on entry and return, not between.
func (s *Server) awaitCache(ctx context.Context, b behind, c *collection, version uint64) error {
	if err := s.awaitVersion(ctx, version, s.options.FreshWait); err != nil {
		return err
	}
	if version <= b.at(c, s.version) {
		return nil
	}
	s.mu.Unlock()
	defer s.mu.Lock()
	deadline := time.NewTimer(s.options.FreshWait)
	defer deadline.Stop()
	select {
	case <-b.caughtUp:
		return nil
	case <-deadline.C:
		return tooLarge(version, b.height)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// hold keeps a watch at the height of its cache until that has caught up; false
// when the watch is over.
func (s *Server) hold(ctx context.Context, w *watcher, stream *stream, t *bookmarkTimer) bool {
	if w.behind.caughtUp == nil {
		return true
	}
	defer w.signal() // for what has queued up meanwhile
	for !stream.broken {
		select {
		case <-w.behind.caughtUp:
			return true
		case <-w.wake:
			if s.hasEnded(w) {
				return false
			}
		case <-t.C():
			if w.bookmarks {
				stream.bookmark(w.behind.height, w, false)
			}
			t.next(time.Now())
		case <-ctx.Done():
			return false
		case <-s.draining:
			return false
		}
	}
	return false
}

func (s *Server) hasEnded(w *watcher) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return w.ended
}
