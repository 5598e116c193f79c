package informer

import "time"

// resyncTimer says when a subscription is to be shown everything again.
type resyncTimer struct {
	period time.Duration
	timer  *time.Timer // nil when off
	due    bool
}

// resyncTimer starts a handler's timer: its own period, or else the informer's.
func (i *Informer[T]) resyncTimer(period time.Duration) *resyncTimer {
	if period == 0 {
		period = i.options.Resync
	}
	t := &resyncTimer{period: period}
	if period > 0 {
		t.timer = time.NewTimer(period)
	}
	return t
}

func (t *resyncTimer) c() <-chan time.Time {
	if t.timer == nil {
		return nil
	}
	return t.timer.C
}

func (t *resyncTimer) restart() {
	t.due = false
	t.timer.Reset(t.period)
}

func (t *resyncTimer) stop() {
	if t.timer != nil {
		t.timer.Stop()
	}
}

// resync shows every object once more, and reports whether it did: not while anything is waiting, for then the store
// is ahead of what the handler has seen. ok is false when deliver wants no more.
func (s *Subscription[T]) resync(buffer *[]Event[T], deliver func([]Event[T]) bool) (shown, ok bool) {
	i := s.informer
	i.publishing.Lock()
	s.mu.Lock()
	behind := len(s.initial) > 0 || s.reader.Depth() > 0
	s.mu.Unlock()
	if behind {
		i.publishing.Unlock()
		return false, true
	}
	snapshot := i.store.Snapshot()
	i.publishing.Unlock()
	defer snapshot.Close()
	return true, s.show(initial[T]{snapshot: snapshot}, Resync, buffer, deliver)
}
