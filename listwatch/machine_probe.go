package listwatch

import (
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

// probing: a list of one object without a version tells where the server stands. A watch from a version ahead of it would be accepted and stay silent.
type probing struct{}

// probeAttempts is how often the server may refuse before the watch goes on without, until one was accepted again.
const probeAttempts = 3

func (*probing) name() string { return "probing" }

// resume goes on at the received version, after a probe where one is due.
func (m *machine) resume(now time.Time, in *input) {
	if !m.probe || m.refusals >= probeAttempts {
		m.requestWatch(now, in)
		return
	}
	m.enter(&probing{}, in.reason, in.err)
	m.send(&request{purpose: forProbe, list: rest.ListOptions{Limit: 1}})
}

func (s *probing) step(m *machine, now time.Time, in *input) {
	switch in.kind {
	case inAccepted:
		m.throttled.good(now)
	case inPageEnd:
		m.probe, m.refusals = false, 0
		if err := m.behind(in.version); err != nil {
			m.newEpoch()
			m.relist(now, &input{reason: ReasonEpoch, err: err})
			return
		}
		m.requestWatch(now, &input{reason: ReasonNotOlder})
	case inEnded:
		s.ended(m, now, in)
	case inFailed:
		m.received = m.applied
		if m.received == "" {
			m.abandon(now, ReasonConsumer, nil)
		}
	}
}

// ended: a server that cannot be reached is asked again, one that refuses is not needed for a watch.
func (s *probing) ended(m *machine, now time.Time, in *input) {
	if m.probeRefused(in) {
		in.reason = ReasonProbeUnavailable
		m.requestWatch(now, in)
		return
	}
	if m.gaveUp(in) {
		return
	}
	m.wait(m.delay(&m.watches, now, in), thenResume, in)
}

// probeRefused reports whether asking again is pointless.
func (m *machine) probeRefused(in *input) bool {
	switch in.reason {
	case ReasonForbidden, ReasonNotFound, ReasonUnsupported, ReasonRefused, ReasonExpired:
		m.refusals = probeAttempts
	default:
		if in.status {
			m.refusals++
		}
	}
	return m.refusals >= probeAttempts
}
