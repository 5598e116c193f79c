package listwatch

import "time"

// machine is the protocol: what follows from what happened. It performs nothing, reads no clock, and is used by one goroutine at a time.
type machine struct {
	o       settings
	rand    func() float64
	lessons *Lessons
	state   state
	actions []action // of the step under way; reused
	in      input    // of the step under way: here it costs no allocation

	synced   bool   // a complete state has been yielded, or the consumer brought one
	received string // the version of what has been yielded; "" is none in this epoch
	applied  string // the version the consumer is done with; never newer than received
	epoch    uint64

	reason      string // of the complete state under way
	versionless bool   // the server refused a list at our version: ask without
	paged       bool   // the server pages lists from its cache, so it has none: go on paging
	unmarked    int    // watch-lists in a row that ended without a marker
	probe       bool   // the server may have been replaced behind our back
	spread      bool   // what comes next comes after a random wait of its own
	refusals    int    // of the probe since a watch was accepted
	short       int    // watches in a row that ended at once
	malformed   string // the version at which bytes were malformed last
	failed      string // the applied version at which the consumer lost something last
	lost        bool   // the consumer lost something while a complete state was under way

	internalSince, internalLast time.Time // ERROR events of reason InternalError
	badRelist                   time.Time // the last relist that bad objects caused
	repeat                      repeat

	lists, watches, throttled ladder
}

// settings are the options that matter to the machine, with their defaults in place.
type settings struct {
	collection      string // under which lessons are kept
	start           string // version
	timeoutSeconds  int64  // zero is random
	watchList       bool
	silence         time.Duration
	consistent      bool
	pageSize        int64 // zero is no pages
	maxPages        int
	maxObjects      int64 // zero is no bound
	idle            time.Duration
	backoff         Backoff
	internalWindow  time.Duration
	badFrameRelist  time.Duration // negative never
	failUntilSynced bool
}

// state is one of the machine's states. step handles the inputs that the state can meet; any other is a mistake of the driver and changes nothing.
type state interface {
	name() string
	step(m *machine, now time.Time, in *input)
}

func newMachine(o settings, lessons *Lessons, random func() float64) *machine {
	return &machine{o: o, lessons: lessons, rand: random, state: &idle{}}
}

// step returns the actions that follow from an input. They are valid until the next call.
func (m *machine) step(now time.Time, in input) []action {
	clear(m.actions)
	m.actions = m.actions[:0]
	if in.kind == inStop {
		m.enter(&idle{}, ReasonStopped, nil)
		return m.actions
	}
	m.in = in
	m.state.step(m, now, &m.in)
	return m.actions
}

// apply moves the applied version forward. It may be called between the steps, also while their actions are being performed. A version that is not of this epoch, or was overtaken, is not a step forward.
func (m *machine) apply(version string) {
	if m.received == "" || !follows(m.applied, version) || !follows(version, m.received) {
		return
	}
	m.applied = version
}

// emit adds an action, to be filled in before the next one.
//
//go:noinline // it is large, and called from everywhere
func (m *machine) emit(kind actionKind) *action {
	m.actions = append(m.actions, action{kind: kind})
	return &m.actions[len(m.actions)-1]
}

func (m *machine) yield(k Kind, version, reason string, err error) {
	a := m.emit(actYield)
	a.event, a.version, a.initial, a.reason, a.err = k, version, !m.synced, reason, err
}

// send has a request sent.
func (m *machine) send(q *request) { m.emit(actRequest).request = q }

// enter makes s the state, which may be the present one.
func (m *machine) enter(s state, reason string, err error) *action {
	a := m.emit(actTransition)
	a.from, a.to, a.reason, a.err = m.state.name(), s.name(), reason, err
	m.state = s
	return a
}

// wait enters the waiting state.
func (m *machine) wait(delay time.Duration, then next, in *input) {
	m.spread = false
	m.enter(&waiting{then: then, reason: in.reason}, in.reason, in.err).wait = delay
	m.emit(actWait).wait = delay
}

// delay is a ladder's next step, or longer where the server asked for it.
func (m *machine) delay(l *ladder, now time.Time, in *input) time.Duration {
	if in.reason == ReasonThrottled {
		l = &m.throttled
	}
	d := l.next(m.o.backoff, now, m.rand())
	if asked := min(in.retryAfter, longestRetryAfter); asked > d {
		d = asked + time.Duration(float64(asked)*0.1*m.rand()) // all who were told the same come back spread
	}
	return d
}

// soon is a delay after something healthy broke.
func (m *machine) soon() time.Duration { return time.Duration(m.rand() * float64(soonest)) }

// gaveUp ends the iteration where a failure is the end: nothing can be done about it, or nobody has seen anything yet and wants to know.
func (m *machine) gaveUp(in *input) bool {
	if in.err == nil || in.reason != ReasonConfig && (!m.o.failUntilSynced || m.synced || in.reason == ReasonThrottled) {
		return false
	}
	m.enter(&idle{}, in.reason, in.err)
	m.emit(actFail).err = in.err
	return true
}

// timeoutSeconds is jittered, so that the watches of many clients do not end together.
func (m *machine) timeoutSeconds() int64 {
	if m.o.timeoutSeconds > 0 {
		return m.o.timeoutSeconds
	}
	return 300 + int64(m.rand()*300)
}

// newEpoch begins one: no version of the old one means anything now.
func (m *machine) newEpoch() {
	m.epoch++
	m.received, m.applied, m.malformed, m.failed = "", "", "", ""
	m.versionless = true // what a cache holds may be of the old one
	m.short, m.unmarked = 0, 0
}

// behind is a version that cannot come after what the server has shown before.
func (m *machine) behind(version string) error {
	if follows(m.received, version) {
		return nil
	}
	return &VersionError{Rule: "the server is behind what it had said before", Got: version, Had: m.received}
}

// badMayRelist reports whether a bad object may cause a relist now, and notes it: a permanently bad one must not keep us listing. What may not be yet will be
// later, for nothing else tells of what was lost.
func (m *machine) badMayRelist(now time.Time, reason string) bool {
	if m.o.badFrameRelist < 0 || !m.badRelist.IsZero() && now.Sub(m.badRelist) < m.o.badFrameRelist {
		m.repeat.lost = reason
		return false
	}
	m.badRelist = now
	return true
}

// newWatch is a request with what every watch has.
func (m *machine) newWatch(p purpose, version string) *request {
	q := &request{purpose: p}
	q.list.ResourceVersion, q.list.AllowWatchBookmarks, q.list.TimeoutSeconds, q.list.Watch = version, true, m.timeoutSeconds(), true
	q.deadline = time.Duration(q.list.TimeoutSeconds)*time.Second + overdue
	return q
}
