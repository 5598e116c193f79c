package listwatch

import (
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

// relist begins a new complete state for the reason in in. After a healthy period it begins soon, or at once where the clients have just been spread; one
// relist after the other is slowed down, or a server that answers each watch with 410 would be listed without end.
func (m *machine) relist(now time.Time, in *input) {
	if m.gaveUp(in) {
		return
	}
	m.reason = in.reason
	m.emit(actRelist).reason = in.reason
	var delay time.Duration
	if m.lists.healthy(m.o.backoff, now) && in.retryAfter == 0 {
		m.lists.restart()
		if m.spread {
			m.spread = false
			m.list(now, in)
			return
		}
		delay = m.soon()
	} else {
		delay = m.delay(&m.lists, now, in)
	}
	m.wait(delay, thenList, in)
}

// abandon is relist for a stream that is to be closed.
func (m *machine) abandon(now time.Time, reason string, err error) {
	m.emit(actClose)
	m.relist(now, &input{reason: reason, err: err})
}

// list asks for a complete state, as a watch-list unless that is known not to work.
func (m *machine) list(now time.Time, in *input) {
	if m.o.watchList && m.lessons.holds(m.o.collection, now) == nil {
		m.requestWatchList(now, in)
		return
	}
	m.requestList(in, false)
}

// relistVersion is the version below which a complete state must not stand: nobody shall travel back in time. It is the received one, which is the applied
// one unless the consumer still works on what it was given.
func (m *machine) relistVersion() string {
	if m.versionless {
		return ""
	}
	return m.received
}

// requestWatchList: without a version at first, which is a consistent read, and at ours afterwards (KEP-3157).
func (m *machine) requestWatchList(now time.Time, in *input) {
	yes := true
	q := m.newWatch(forWatchList, m.relistVersion())
	q.idle, q.head = m.o.silence, m.o.silence
	q.list.ResourceVersionMatch, q.list.SendInitialEvents = rest.MatchNotOlderThan, &yes
	m.repeat.bad = false
	m.enter(&watchListing{since: now, version: q.list.ResourceVersion, timeout: q.list.TimeoutSeconds}, in.reason, in.err)
	m.send(q)
}

// requestList asks for the first page of a list; whole asks for everything in one.
//
// The first time any state will do, and the server's cache answers with it at once (resourceVersion=0; a limit it ignores). Later it must not be older than
// ours: a limit beside a bare version would mean precisely that version, so there is none, and a match says what is meant. When the server refuses our version, the
// most recent state is right (API concepts, "Resource versions").
func (m *machine) requestList(in *input, whole bool) {
	q := &request{purpose: forList}
	list := &q.list
	list.ResourceVersion, list.Limit = m.relistVersion(), m.o.pageSize
	switch {
	case list.ResourceVersion != "":
		list.ResourceVersionMatch = rest.MatchNotOlderThan
		if !m.paged {
			list.Limit = 0
		}
	case !m.versionless && !m.o.consistent:
		list.ResourceVersion = "0"
	}
	if whole {
		list.Limit = 0
	}
	m.repeat.bad = false
	m.enter(&listing{version: list.ResourceVersion, pages: newPages(m.o.maxPages)}, in.reason, in.err)
	m.send(q)
}

// again handles what all complete states have in common: a failure. begun says that a ReplaceBegin was yielded.
func (m *machine) again(now time.Time, begun bool, version string, in *input) {
	if begun {
		m.yield(ReplaceAbort, "", in.reason, in.err)
	}
	if version != "" && !m.versionless && (in.reason == ReasonExpired || in.reason == ReasonTooLarge) {
		m.versionless = true // once, and at once: the next failure of this kind waits
		m.list(now, in)
		return
	}
	if m.gaveUp(in) {
		return
	}
	m.wait(m.delay(&m.lists, now, in), thenList, in)
}

// restart abandons a complete state that turned out to be of a new epoch: its items may have been taken for known ones.
func (m *machine) restart(now time.Time, err error, open bool) {
	in := &input{reason: ReasonEpoch, err: err}
	m.newEpoch()
	m.yield(ReplaceAbort, "", in.reason, err)
	if open {
		m.emit(actClose)
	}
	m.reason = in.reason
	m.emit(actRelist).reason = in.reason
	m.list(now, in)
}

// complete ends a complete state.
func (m *machine) complete(now time.Time, version string) {
	m.received = version
	m.versionless, m.unmarked, m.short, m.probe = false, 0, 0, false
	m.lists.good(now)
	m.throttled.good(now)
	m.repeat.completed(now, m.o.badFrameRelist)
	m.yield(ReplaceEnd, version, m.reason, nil)
	m.synced = true
}

// lostItem relists if the consumer lost something of the state just completed. open says that its stream goes on.
func (m *machine) lostItem(now time.Time, open bool) bool {
	lost := m.lost
	m.lost = false
	if !lost || !m.badMayRelist(now, ReasonConsumer) {
		return false
	}
	if open {
		m.emit(actClose)
	}
	m.relist(now, &input{reason: ReasonConsumer})
	return true
}
