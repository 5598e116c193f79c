package listwatch

import "time"

const (
	// tooShort is a watch that never was one: a front end that drops it, or a version that the server does not say it cannot serve.
	tooShort = time.Second
	// healthyWatch is how long a watch must have lasted for its end to be an accident.
	healthyWatch = 10 * time.Second
	// internalQuiet begins a new window for ERROR events of reason InternalError.
	internalQuiet = time.Minute
)

// watching: changes come as they happen.
type watching struct {
	since    time.Time // of the request: a proxy may hold the head back until the first event
	timeout  int64     // seconds
	accepted bool
	counted  bool // the body has a length
	spread   bool // the request came after a random wait
	frames   int64
	beat     heartbeat
}

func (*watching) name() string { return "watching" }

// requestWatch asks for what came after the received version.
func (m *machine) requestWatch(now time.Time, in *input) {
	q := m.newWatch(forWatch, m.received)
	s := &watching{since: now, timeout: q.list.TimeoutSeconds, spread: m.spread, beat: heartbeat{fixed: m.o.idle}}
	m.spread = false
	q.idle, q.head, q.resume = s.beat.limit(), s.beat.limit(), in.reason != ReasonSynced
	m.enter(s, in.reason, in.err)
	m.send(q)
}

func (s *watching) step(m *machine, now time.Time, in *input) {
	switch in.kind {
	case inAccepted:
		s.wasAccepted(m, now, in)
	case inAdded:
		s.change(m, Added, in)
	case inModified:
		s.change(m, Modified, in)
	case inDeleted:
		s.change(m, Deleted, in)
	case inBookmark:
		s.bookmark(m, now, in)
	case inBad:
		s.frames++
		m.yield(Problem, "", in.reason, in.err)
		if m.badMayRelist(now, ReasonBadFrame) {
			m.abandon(now, ReasonBadFrame, in.err)
		}
	case inEnded:
		s.ended(m, now, in)
	case inFailed:
		s.failed(m, now, in)
	}
	if m.state == s && m.repeat.due(now) {
		m.abandon(now, ReasonBadItem, nil)
	}
	if lost := m.repeat.lost; m.state == s && lost != "" && m.badMayRelist(now, lost) {
		m.abandon(now, lost, nil)
	}
}

func (s *watching) wasAccepted(m *machine, now time.Time, in *input) {
	s.accepted, s.counted = true, in.counted
	m.refusals = 0
	m.watches.good(now)
	m.throttled.good(now)
	m.synced = true // or the consumer came with a state of its own
	if s.counted {
		m.enter(s, ReasonContentLength, nil)
	}
}

// change yields one. Events of several objects may carry one version (an etcd lease that expires), and a version below the received one moves nothing back.
func (s *watching) change(m *machine, k Kind, in *input) {
	s.frames++
	m.short = 0
	if follows(m.received, in.version) {
		m.received = in.version
	}
	m.yield(k, m.received, "", nil)
}

// bookmark: it says that everything up to its version was sent, so it cannot be below what was sent (KEP-956).
func (s *watching) bookmark(m *machine, now time.Time, in *input) {
	s.frames++
	m.short = 0
	if err := m.behind(in.version); err != nil {
		m.abandon(now, ReasonVersion, err)
		return
	}
	m.received = in.version
	limit := s.beat.limit()
	s.beat.bookmark(now)
	m.yield(Bookmark, m.received, "", nil)
	if changed := s.beat.limit(); changed != limit {
		m.emit(actIdle).wait = changed
	}
}

// ended decides between going on where we were and listing again. Whatever the transport does, going on is right: the version says what is missing.
func (s *watching) ended(m *machine, now time.Time, in *input) {
	if in.err == nil {
		s.endedWhole(m, now, in)
		return
	}
	switch in.reason {
	case ReasonExpired, ReasonTooLarge, ReasonNotFound, ReasonStoreReadError, ReasonUnsupported:
		m.spread = s.spread && s.frames == 0 && now.Sub(s.since) < tooShort // the first answer
		m.relist(now, in)
	case ReasonInternalError:
		s.internal(m, now, in)
	case ReasonThrottled:
		s.resume(m, now, in)
	default:
		s.broke(m, now, in)
	}
}

// endedWhole: the server ended the body as HTTP has it.
func (s *watching) endedWhole(m *machine, now time.Time, in *input) {
	lasted := now.Sub(s.since)
	switch {
	case lasted+time.Second >= time.Duration(s.timeout)*time.Second: // as agreed
		in.reason = ReasonTimeoutSeconds
		m.requestWatch(now, in)
		return
	case s.counted:
		in.reason, in.err = ReasonContentLength, &StreamError{Reason: ReasonContentLength, Frames: s.frames, After: lasted}
	case lasted < tooShort && s.frames == 0:
		in.reason = ReasonShortWatch
	default:
		in.reason = ReasonEndedEarly
	}
	if lasted < tooShort && s.frames == 0 {
		if m.short++; m.short == 2 {
			m.short = 0
			m.relist(now, in)
			return
		}
	}
	m.probe = true // nobody announced it: a server that goes down may come back as another one
	s.resume(m, now, in)
}

// broke: the stream or the attempt failed.
func (s *watching) broke(m *machine, now time.Time, in *input) {
	switch {
	case s.accepted && in.status: // an ERROR event that is none of those known to pass
		m.relist(now, in)
		return
	case s.accepted && (in.reason == ReasonMalformed || in.reason == ReasonContent):
		if m.malformed == m.received {
			m.malformed = ""
			m.relist(now, in)
			return
		}
		m.malformed = m.received
	}
	if in.reason != ReasonConsumer && (!in.status || in.reason == ReasonServerError) {
		m.probe = true
	}
	s.resume(m, now, in)
}

// internal: the server stumbles over something on its way to us. It may pass; a list does not go that way.
func (s *watching) internal(m *machine, now time.Time, in *input) {
	if m.internalLast.IsZero() || now.Sub(m.internalLast) > internalQuiet {
		m.internalSince = now
	}
	m.internalLast = now
	if m.o.internalWindow < 0 || now.Sub(m.internalSince) >= max(m.o.internalWindow, 1) {
		m.internalLast = time.Time{}
		m.relist(now, in)
		return
	}
	m.probe = true
	s.resume(m, now, in)
}

// resume goes on soon after an accident, and by the ladder when the watch had not been well.
func (s *watching) resume(m *machine, now time.Time, in *input) {
	if m.gaveUp(in) {
		return
	}
	healthy := s.accepted && !s.counted && now.Sub(s.since) >= healthyWatch
	if healthy && in.retryAfter == 0 && in.reason != ReasonThrottled {
		m.wait(m.soon(), thenResume, in)
		m.spread = true
		return
	}
	m.wait(m.delay(&m.watches, now, in), thenResume, in)
}

// failed reads again what the consumer lost, once; then only a list can help.
func (s *watching) failed(m *machine, now time.Time, in *input) {
	if m.applied != "" && m.applied != m.received && m.applied != m.failed {
		m.failed, m.received = m.applied, m.applied
		m.emit(actClose)
		m.wait(m.soon(), thenResume, &input{reason: ReasonConsumer, err: in.err})
		return
	}
	if m.badMayRelist(now, ReasonConsumer) {
		m.abandon(now, ReasonConsumer, in.err)
	}
}
