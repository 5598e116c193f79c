package listwatch

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// world is everything around a machine, badly behaved: a server, a network, a consumer, a clock. It offers only inputs that a driver could send, and holds
// the machine's decisions against what must always be true.
type world struct {
	t    *testing.T
	m    *machine
	in   []byte // decides
	now  time.Time
	log  []func() string
	tick int // versions

	request *request // sent, not answered
	open    *request // answered, being read
	wait    time.Duration
	waiting bool

	replacing  bool
	complete   bool // the input of this step completes a state
	floor      string
	epoch      uint64
	rewound    bool // the step may go back
	from       string
	immediate  int // requests in a row without a wait or an answer
	badItem    time.Time
	relistsBad []time.Time
}

// The machine keeps its promises whatever happens around it:
// no state is complete unless all of it came; versions never go back within an epoch, but for what the consumer lost; every wait is bounded; something is always being done;
// nothing is asked for again and again without a pause; bad objects make one relist an hour, a list with bad items another one after a minute and more.
func FuzzMachine(f *testing.F) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, seed))
		b := make([]byte, 400)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		f.Add(b)
	}
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) { newWorld(t, b).run() })
}

func TestMachineKeepsItsPromises(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := make([]byte, 2000)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		newWorld(t, b).run()
	}
}

func newWorld(t *testing.T, b []byte) *world {
	w := &world{t: t, in: b, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), tick: 100}
	o := Options{Path: "/p"}
	switch w.pick(4) {
	case 0:
		o.WatchList = WatchListOff
	case 1:
		o.List.ResourceVersion = "90"
	case 2:
		o.PageSize, o.MaxPages = 3, 4
	}
	w.m = newMachine(settingsOf(&o, "/p"), NewLessons(), func() float64 { return float64(w.pick(256)) / 256 })
	return w
}

// pick chooses one of n.
func (w *world) pick(n int) int {
	if len(w.in) == 0 {
		return 0
	}
	b := w.in[0]
	w.in = w.in[1:]
	return int(b) % n
}

func (w *world) run() {
	w.step(input{kind: inStart})
	for len(w.in) > 0 {
		if w.pick(3) == 0 {
			w.now = w.now.Add([]time.Duration{time.Millisecond, 2 * time.Second, 12 * time.Second, 3 * time.Minute, 10 * time.Minute, time.Hour}[w.pick(6)])
		}
		if w.pick(4) == 0 {
			w.apply()
		}
		w.step(w.next())
	}
}

// apply is the consumer's, right or wrong.
func (w *world) apply() {
	v := []string{w.m.received, strconv.Itoa(w.tick - w.pick(20)), "7", "zz"}[w.pick(4)]
	w.m.apply(v)
}

// next is something that can happen now.
func (w *world) next() input {
	if w.m.state.name() == "idle" {
		if w.pick(5) == 0 {
			return input{kind: inFailed, err: io.EOF, reason: ReasonConsumer}
		}
		return input{kind: inStart}
	}
	switch w.pick(40) {
	case 0:
		return input{kind: inStop}
	case 1:
		return input{kind: inFailed, err: io.EOF, reason: ReasonConsumer}
	}
	switch {
	case w.waiting:
		w.now = w.now.Add(w.wait)
		return input{kind: inTimer}
	case w.request != nil && w.pick(3) > 0:
		return input{kind: inAccepted, counted: w.pick(8) == 0}
	case w.request != nil:
		return w.failure()
	case w.open.purpose == forWatch || w.open.purpose == forWatchList:
		return w.frame()
	}
	return w.item()
}

func (w *world) failure() input {
	errs := []error{
		&rest.Error{Phase: rest.PhaseDial, Err: io.EOF}, &rest.Error{Phase: rest.PhaseBody, Err: io.ErrUnexpectedEOF},
		&rest.Error{Phase: rest.PhaseBody, Err: errOverdue}, &watchdecoder.FrameError{Rule: watchdecoder.RuleSyntax},
		&watchdecoder.FrameError{Rule: watchdecoder.RuleListNotEvents}, &LimitError{}, errors.New("strange"),
		&rest.RedirectError{Code: 302},
	}
	if i := w.pick(2 * len(errs)); i < len(errs) {
		return classify(errs[i])
	}
	codes := []int{400, 401, 403, 404, 405, 410, 422, 429, 500, 503, 504, 0}
	e := &status.Error{Code: codes[w.pick(len(codes))], HasRetryAfter: w.pick(3) == 0}
	if e.HasRetryAfter {
		e.RetryAfter = []time.Duration{0, time.Second, 24 * time.Hour}[w.pick(3)]
	}
	if e.Code == 504 && w.pick(2) == 0 {
		e.Details = &status.Details{Causes: []status.Cause{{Type: status.CauseResourceVersionTooLarge}}}
	}
	return classify(e)
}

// version is mostly a new one.
func (w *world) version() string {
	switch w.pick(12) {
	case 0:
		w.tick -= w.pick(50) // a restored etcd
		w.tick = max(w.tick, 1)
	case 1:
		return []string{"0", "x7", "007"}[w.pick(3)]
	}
	w.tick += w.pick(3)
	return strconv.Itoa(w.tick)
}

func (w *world) frame() input {
	switch w.pick(8) {
	case 0:
		return input{kind: inAdded, version: w.version()}
	case 1, 2:
		return input{kind: inModified, version: w.version()}
	case 3:
		return input{kind: inDeleted, version: w.version()}
	case 4:
		return input{kind: inBookmark, version: w.version()}
	case 5:
		return input{kind: inBookmark, version: w.version(), marker: true}
	case 6:
		return input{kind: inBad, err: &watchdecoder.FrameError{}, reason: watchdecoder.RuleNoVersion}
	}
	if w.pick(2) == 0 {
		return input{kind: inEnded}
	}
	return w.failure()
}

func (w *world) item() input {
	switch w.pick(6) {
	case 0, 1:
		return input{kind: inItem}
	case 2:
		return input{kind: inBad, err: &watchdecoder.FrameError{}, reason: watchdecoder.RuleNoVersion}
	case 3:
		return w.failure()
	}
	in := input{kind: inPageEnd, version: w.version()}
	if w.pick(10) == 0 {
		in.version = ""
	}
	if w.pick(3) == 0 && w.open.purpose != forProbe {
		in.token = strconv.Itoa(w.pick(4))
	}
	return in
}

// step sends one input and checks what follows.
func (w *world) step(in input) {
	state := w.m.state
	w.log = append(w.log, func() string {
		return fmt.Sprintf("%s: %s version=%q token=%q marker=%v %v", state.name(), in.kind, in.version, in.token, in.marker, in.err)
	})
	w.complete = in.kind == inPageEnd && in.token == "" && w.open != nil && w.open.purpose != forProbe || in.marker && w.open != nil && w.open.purpose == forWatchList
	w.rewound = in.kind == inFailed || in.kind == inStart
	w.from = w.m.state.name()
	switch in.kind {
	case inAccepted:
		w.open, w.request, w.immediate = w.request, nil, 0
	case inPageEnd:
		w.open = nil
	case inEnded:
		w.open, w.request = nil, nil
	case inTimer:
		w.waiting, w.immediate = false, 0
	case inStop:
		w.open, w.request, w.waiting, w.replacing, w.immediate = nil, nil, false, false, 0
	}
	for _, a := range w.m.step(w.now, in) {
		w.log = append(w.log, func() string { return "    " + describeAction(&a) })
		w.perform(&a)
	}
	w.check()
}

func (w *world) perform(a *action) {
	switch a.kind {
	case actRequest:
		w.sent(a.request)
	case actWait:
		w.must(a.wait >= 0 && a.wait <= longestRetryAfter+longestRetryAfter/10, "a wait of %v", a.wait)
		w.must(w.request == nil && w.open == nil && !w.waiting, "a wait while something is going on")
		w.waiting, w.wait = true, a.wait
	case actClose:
		w.open, w.request = nil, nil
	case actYield:
		w.yielded(a)
	case actRelist:
		if a.reason == ReasonBadFrame || a.reason == ReasonConsumer && w.from != "probing" { // where nothing is applied there is no other way
			for _, at := range w.relistsBad {
				w.must(w.now.Sub(at) >= time.Hour, "two relists by bad objects within %v", w.now.Sub(at))
			}
			w.relistsBad = append(w.relistsBad, w.now)
		}
		if a.reason == ReasonBadItem {
			w.must(w.now.Sub(w.badItem) >= time.Minute, "two relists by bad items within %v", w.now.Sub(w.badItem))
			w.badItem = w.now
		}
	case actFail:
		w.must(false, "failed")
	}
}

func (w *world) sent(q *request) {
	w.must(w.request == nil && w.open == nil && !w.waiting, "a request while something is going on")
	w.request = q
	w.immediate++
	w.must(w.immediate <= 4, "%d requests without a pause", w.immediate)
	l := q.list
	switch q.purpose {
	case forWatch:
		w.must(l.ResourceVersion != "" && l.ResourceVersion == w.m.received && l.ResourceVersionMatch == "" && l.SendInitialEvents == nil, "watch %+v", l)
	case forWatchList:
		w.must(l.ResourceVersionMatch == rest.MatchNotOlderThan && *l.SendInitialEvents && l.Continue == "" && l.Limit == 0, "watch-list %+v", l)
	case forPage:
		w.must(l.Continue != "" && l.ResourceVersion == "" && l.ResourceVersionMatch == "", "page %+v", l)
	case forList:
		w.must(l.ResourceVersion == "" || l.ResourceVersion == "0" || l.ResourceVersionMatch == rest.MatchNotOlderThan, "list %+v", l)
	case forProbe:
		w.must(l.Limit == 1 && l.ResourceVersion == "", "probe %+v", l)
	}
	if l.Watch {
		w.must(l.TimeoutSeconds >= 300 && l.TimeoutSeconds < 600 && l.AllowWatchBookmarks && q.deadline > 5*time.Minute && q.idle > 0, "watch %+v", q)
	}
}

func (w *world) yielded(a *action) {
	switch a.event {
	case ReplaceBegin:
		w.must(!w.replacing, "a replace inside a replace")
		w.replacing = true
	case ReplaceItem, ReplaceRemove:
		w.must(w.replacing && w.open != nil, "an item outside of a replace")
	case ReplaceEnd:
		w.must(w.replacing && w.complete && a.version != "", "an end that is none")
		w.replacing = false
		w.shown(a.version)
	case ReplaceAbort:
		w.must(w.replacing, "an abort of nothing")
		w.replacing = false
	case Added, Modified, Deleted, Bookmark:
		w.must(!w.replacing && w.open != nil, "a change inside a replace")
		w.shown(a.version)
	case Problem:
		w.must(a.err != nil && a.reason != "", "a problem without a reason")
	}
}

// shown holds a version that was yielded against those before it.
func (w *world) shown(v string) {
	w.must(follows(w.floor, v) || w.epoch != w.m.epoch, "version %s after %s in epoch %d", v, w.floor, w.epoch)
	w.floor, w.epoch = v, w.m.epoch
}

// check is what holds between steps.
func (w *world) check() {
	m := w.m
	w.must(m.received != "" || m.applied == "", "applied %q of nothing", m.applied)
	w.must(follows(m.applied, m.received), "applied %s, received %s", m.applied, m.received)
	if w.rewound && m.received != w.floor {
		w.must(m.received == m.applied, "went back to %s, applied is %s", m.received, m.applied)
		w.floor, w.epoch = m.received, m.epoch
	}
	busy := 0
	for _, b := range []bool{w.waiting, w.request != nil, w.open != nil} {
		if b {
			busy++
		}
	}
	idle := m.state.name() == "idle"
	w.must(idle == (busy == 0) && busy <= 1, "state %s, busy with %d", m.state.name(), busy)
	w.must(w.waiting == (m.state.name() == "waiting"), "state %s, waiting %v", m.state.name(), w.waiting)
}

func (w *world) must(ok bool, format string, args ...any) {
	if ok {
		return
	}
	w.t.Helper()
	for _, l := range w.log[max(0, len(w.log)-40):] {
		w.t.Log(l())
	}
	w.t.Fatalf(format, args...)
}
