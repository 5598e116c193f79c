package listwatch

import "time"

// watchListing: the state comes as a watch, up to the marker (KEP-3157).
type watchListing struct {
	since    time.Time // of the request
	version  string    // sent
	timeout  int64     // seconds
	accepted bool
	counted  bool
	objects  int64
}

func (*watchListing) name() string { return "watch-list" }

func (s *watchListing) step(m *machine, now time.Time, in *input) {
	switch in.kind {
	case inAccepted:
		s.accepted, s.counted = true, in.counted
		m.throttled.good(now)
		if s.counted {
			m.enter(s, ReasonContentLength, nil)
		}
		m.yield(ReplaceBegin, "", m.reason, nil)
	case inAdded, inModified:
		s.objects++
		m.item(now, s.objects)
	case inDeleted:
		m.yield(ReplaceRemove, "", "", nil)
	case inBad:
		m.repeat.bad = true
		m.yield(Problem, "", in.reason, in.err)
	case inBookmark:
		s.bookmark(m, now, in)
	case inEnded:
		s.ended(m, now, in)
	case inFailed:
		m.lost = true
	}
}

// bookmark: a server that speaks watch-list marks the first one it sends.
func (s *watchListing) bookmark(m *machine, now time.Time, in *input) {
	if !in.marker {
		m.emit(actClose)
		s.fallBack(m, now, &input{reason: ReasonNoWatchList})
		return
	}
	if err := m.behind(in.version); err != nil {
		m.restart(now, err, true)
		return
	}
	m.lessons.forget(m.o.collection)
	m.complete(now, in.version)
	if m.lostItem(now, true) {
		return
	}
	w := &watching{since: s.since, timeout: s.timeout, accepted: true, counted: s.counted, frames: 1, beat: heartbeat{fixed: m.o.idle}}
	m.watches.good(now)
	m.enter(w, ReasonSynced, nil)
	m.emit(actIdle).wait = w.beat.limit()
}

// fallBack lists at once, and remembers why.
func (s *watchListing) fallBack(m *machine, now time.Time, in *input) {
	m.lessons.learn(m.o.collection, in.reason, now)
	s.listInstead(m, in)
}

func (s *watchListing) listInstead(m *machine, in *input) {
	m.unmarked = 0
	if s.accepted {
		m.yield(ReplaceAbort, "", in.reason, in.err)
	}
	m.requestList(in, false)
}

// ended decides what an end before the marker teaches. A refusal that any request could meet teaches nothing.
func (s *watchListing) ended(m *machine, now time.Time, in *input) {
	if in.err == nil {
		in.reason = ReasonEndedEarly
		if s.counted {
			in.reason = ReasonContentLength
		}
	}
	switch in.reason {
	case ReasonUnsupported: // 400, 405, 422
		s.fallBack(m, now, in)
		return
	case ReasonIdle:
		in.reason = ReasonSilent
		s.fallBack(m, now, in)
		return
	case ReasonExpired, ReasonTooLarge, ReasonThrottled, ReasonConfig:
		m.again(now, s.accepted, s.version, in)
		return
	}
	if s.accepted {
		if m.unmarked++; m.unmarked == 2 {
			s.endedTwice(m, now, in)
			return
		}
	}
	m.again(now, s.accepted, s.version, in)
}

// endedTwice: whatever the reason, a list may fare better. ERROR events are the word of a server that speaks watch-list, and teach nothing.
func (s *watchListing) endedTwice(m *machine, now time.Time, in *input) {
	if in.status {
		s.listInstead(m, in)
		return
	}
	in.reason = ReasonNoMarker
	s.fallBack(m, now, in)
}
