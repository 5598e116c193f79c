package listwatch

import "time"

// idle: nobody iterates.
type idle struct{}

func (*idle) name() string { return "idle" }

func (*idle) step(m *machine, now time.Time, in *input) {
	switch in.kind {
	case inStart:
		m.begin(now)
	case inFailed: // the next beginning is at the applied version anyway
	}
}

// begin goes on at the applied version if there is one: what was received after it was lost with the loop that was left.
func (m *machine) begin(now time.Time) {
	if !m.synced && m.applied == "" {
		m.applied = m.o.start
	}
	m.received = m.applied
	m.lost, m.refusals = false, 0
	start := &input{reason: ReasonStart}
	if m.received == "" {
		m.reason = ReasonStart
		m.list(now, start)
		return
	}
	m.probe = true // nobody knows what happened meanwhile
	m.resume(now, start)
}

// waiting: something is to be done later.
type waiting struct {
	then   next
	reason string
}

// next is what follows a wait.
type next uint8

const (
	thenResume next = iota
	thenList
)

func (*waiting) name() string { return "waiting" }

func (s *waiting) step(m *machine, now time.Time, in *input) {
	switch {
	case in.kind == inTimer && s.then == thenList:
		m.list(now, &input{reason: s.reason})
	case in.kind == inTimer:
		m.resume(now, &input{reason: s.reason})
	case in.kind == inFailed && s.then == thenResume:
		m.rewind(s)
	}
}

// rewind makes the resume that is waited for one from the applied version.
func (m *machine) rewind(s *waiting) {
	m.received = m.applied
	if m.applied == "" {
		s.then, m.reason = thenList, ReasonConsumer
	}
}
