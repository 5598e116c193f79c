package load

import (
	"slices"
	"time"
)

// distinct is how many pods are updated in turns.
const distinct = 20_000

// each lets all watchers do something, at the same time, and waits for them.
func (s *Server) each(do func(*watcher) (goOn bool)) {
	s.mu.Lock()
	watchers := slices.Clone(s.watchers)
	s.mu.Unlock()
	done := make(chan struct{}, len(watchers))
	for _, w := range watchers {
		w.todo <- func(w *watcher) bool {
			defer func() { done <- struct{}{} }()
			return do(w)
		}
	}
	for range watchers {
		<-done
	}
}

// Burst updates m pods as fast as the clients read, and returns when it began.
func (s *Server) Burst(m int) (start time.Time) {
	before := s.snapshot()
	turns := min(distinct, len(before.versions))
	start = time.Now()
	s.each(func(w *watcher) bool {
		for k := range m {
			i := k % turns
			if i%w.page.step == w.page.first%w.page.step && !w.send(&w.bodies.of(i).modified, i, before.current+1+uint64(k)) {
				return false
			}
		}
		s.flush(w)
		return true
	})
	s.updated(before.current, turns, m)
	return start
}

// Steady updates count pods at a rate per second and returns when each was written.
func (s *Server) Steady(rate, count int) []time.Time {
	before := s.snapshot()
	turns := min(distinct, len(before.versions))
	written := make([]time.Time, count)
	s.each(func(w *watcher) bool {
		start := time.Now()
		for k := range count {
			time.Sleep(time.Until(start.Add(time.Duration(k) * time.Second / time.Duration(rate))))
			written[k] = time.Now()
			if !w.send(&w.bodies.of(k%turns).modified, k%turns, before.current+1+uint64(k)) {
				return false
			}
			s.flush(w)
		}
		return true
	})
	s.updated(before.current, turns, count)
	return written
}

// Expire ends all watches with "410 Gone", so that the clients list again.
func (s *Server) Expire() {
	s.each(func(w *watcher) bool {
		s.watcherReady(w, false)
		w.expired()
		s.flush(w)
		return false
	})
}

// updated writes down what m updates in turns have come to.
func (s *Server) updated(from uint64, turns, m int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := max(0, m-turns); k < m; k++ {
		s.state.versions[k%turns] = from + 1 + uint64(k)
	}
	s.state.current = from + uint64(m)
}
