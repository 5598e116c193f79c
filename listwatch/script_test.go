package listwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// script runs a machine from a transcript. Lines of a transcript, each answered by what the machine decided:
//
//	options NAME=VALUE ...       before anything else; see setOption
//	start | stop | timer
//	accepted [counted]
//	item                         an object of a list
//	page VERSION [TOKEN]         a list body ended whole; "-" is empty
//	added|modified|deleted VERSION
//	bookmark VERSION | marker VERSION
//	bad                          an object that could not be read
//	ended clean|cut|refused|idle|overdue|malformed|content|config|limit
//	ended CODE REASON [after=DURATION] [too-large]
//	applied VERSION | failed
//	advance DURATION             time passes
//	state                        the versions, the epoch, the lesson
type script struct {
	t   *testing.T
	m   *machine
	o   settings
	now time.Time
	met func(state string, in inputKind)
}

func newScript(t *testing.T, met func(string, inputKind)) *script {
	o := settingsOf(&Options{Path: "/api/v1/pods"}, "/api/v1/pods")
	return &script{t: t, o: o, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), met: met}
}

// do runs one line.
func (s *script) do(line string) string {
	words := strings.Fields(line)
	switch words[0] {
	case "options":
		for _, w := range words[1:] {
			s.setOption(w)
		}
		return ""
	}
	if s.m == nil {
		s.m = newMachine(s.o, NewLessons(), func() float64 { return 0.5 })
	}
	switch words[0] {
	case "advance":
		s.now = s.now.Add(s.duration(words[1]))
		return ""
	case "applied":
		s.m.apply(words[1])
		return ""
	case "state":
		return s.describe()
	}
	in := s.input(words)
	s.met(s.m.state.name(), in.kind)
	var out strings.Builder
	for _, a := range s.m.step(s.now, in) {
		fmt.Fprintln(&out, describeAction(&a))
	}
	if out.Len() == 0 {
		return "nothing\n"
	}
	return out.String()
}

func (s *script) setOption(w string) {
	name, value, _ := strings.Cut(w, "=")
	switch name {
	case "watch-list":
		s.o.watchList = value != "off"
	case "consistent":
		s.o.consistent = true
	case "page-size":
		s.o.pageSize = int64(s.number(value))
	case "max-pages":
		s.o.maxPages = s.number(value)
	case "max-objects":
		s.o.maxObjects = int64(s.number(value))
	case "start":
		s.o.start = value
	case "timeout":
		s.o.timeoutSeconds = int64(s.number(value))
	case "idle":
		s.o.idle = s.duration(value)
	case "internal-window":
		s.o.internalWindow = s.duration(value)
	case "bad-relist":
		s.o.badFrameRelist = s.duration(value)
	case "fail-until-synced":
		s.o.failUntilSynced = true
	default:
		s.t.Fatalf("no option %q", w)
	}
}

func (s *script) number(v string) int {
	n, err := strconv.Atoi(v)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *script) duration(v string) time.Duration {
	d, err := time.ParseDuration(v)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

// input turns a line into an input; errors go through classify, as in the driver.
func (s *script) input(words []string) input {
	in := input{}
	if words[0] == "marker" {
		words[0], in.marker = "bookmark", true
	}
	kind := slices.Index(inputNames[:], words[0])
	if kind < 0 {
		s.t.Fatalf("no input %q", words[0])
	}
	in.kind = inputKind(kind)
	arg := func(i int) string {
		if i >= len(words) || words[i] == "-" {
			return ""
		}
		return words[i]
	}
	switch in.kind {
	case inAccepted:
		in.counted = arg(1) == "counted"
	case inPageEnd:
		in.version, in.token = arg(1), arg(2)
	case inAdded, inModified, inDeleted, inBookmark:
		in.version = arg(1)
	case inBad:
		bad := &watchdecoder.FrameError{Rule: watchdecoder.RuleNoVersion}
		in.err, in.reason = bad, bad.Rule
	case inFailed:
		in.err, in.reason = errors.New("the disk is full"), ReasonConsumer
	case inEnded:
		if words[1] != "clean" {
			in = classify(scriptError(s.t, words[1:]))
		}
	}
	return in
}

// scriptError is an error such as the layers below make.
func scriptError(t *testing.T, words []string) error {
	switch words[0] {
	case "cut":
		return &rest.Error{Phase: rest.PhaseBody, Err: io.ErrUnexpectedEOF}
	case "refused":
		return &rest.Error{Phase: rest.PhaseDial, Err: syscall.ECONNREFUSED}
	case "idle":
		return &rest.Error{Phase: rest.PhaseBody, Err: context.DeadlineExceeded}
	case "overdue":
		return &rest.Error{Phase: rest.PhaseBody, Err: errOverdue}
	case "malformed":
		return &watchdecoder.FrameError{Rule: watchdecoder.RuleSyntax}
	case "content":
		return &watchdecoder.FrameError{Rule: watchdecoder.RuleListNotEvents}
	case "config":
		return &rest.Error{Phase: rest.PhaseConfig, Rule: "a path that is none"}
	case "limit":
		return &LimitError{Limit: "MaxBytes", Value: 1000}
	case "consumer":
		return errInterrupted
	}
	code, err := strconv.Atoi(words[0])
	if err != nil {
		t.Fatalf("no end %q", words)
	}
	e := &status.Error{Code: code, HasStatus: true, Reason: status.Reason(words[1]), Message: "no"}
	for _, w := range words[2:] {
		if after, ok := strings.CutPrefix(w, "after="); ok {
			if e.RetryAfter, err = time.ParseDuration(after); err != nil {
				t.Fatal(err)
			}
			e.HasRetryAfter = true
		}
		if w == "too-large" {
			e.Details = &status.Details{Causes: []status.Cause{{Type: status.CauseResourceVersionTooLarge}}}
		}
	}
	return e
}

func (s *script) describe() string {
	m := s.m
	line := fmt.Sprintf("%s received=%s applied=%s epoch=%d", m.state.name(), m.received, m.applied, m.epoch)
	if l := m.lessons.holds(m.o.collection, s.now); l != nil {
		line += fmt.Sprintf(" no-watch-list=%s for %v", l.Reason, l.Until.Sub(s.now))
	}
	return line + "\n"
}

// describeAction is one line of a transcript.
func describeAction(a *action) string {
	var b strings.Builder
	switch a.kind {
	case actTransition:
		fmt.Fprintf(&b, "%s -> %s: %s", a.from, a.to, a.reason)
	case actRequest:
		q := a.request
		names := [...]string{"WATCHLIST", "LIST", "PAGE", "PROBE", "WATCH"}
		fmt.Fprintf(&b, "  send %s %s", names[q.purpose], q.list.Query().Encode())
		if q.idle != 0 {
			fmt.Fprintf(&b, " idle=%v", q.idle)
		}
		if q.deadline != 0 {
			fmt.Fprintf(&b, " deadline=%v", q.deadline)
		}
		if q.resume {
			b.WriteString(" (resume)")
		}
	case actWait:
		fmt.Fprintf(&b, "  wait %v", a.wait)
	case actClose:
		b.WriteString("  close the stream")
	case actIdle:
		fmt.Fprintf(&b, "  expect a byte within %v", a.wait)
	case actYield:
		fmt.Fprintf(&b, "  yield %v", a.event)
		if a.version != "" {
			fmt.Fprintf(&b, " at %s", a.version)
		}
		if a.initial {
			b.WriteString(" initial")
		}
		if a.reason != "" {
			fmt.Fprintf(&b, " (%s)", a.reason)
		}
	case actRelist:
		fmt.Fprintf(&b, "  count a relist: %s", a.reason)
	case actFail:
		fmt.Fprintf(&b, "  fail: %v", a.err)
		return b.String()
	}
	if a.err != nil {
		fmt.Fprintf(&b, " [%v]", a.err)
	}
	return b.String()
}
