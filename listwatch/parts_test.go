package listwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

var epoch0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestLadder(t *testing.T) {
	b := Backoff{}.withDefaults()
	var l ladder
	for i, want := range []time.Duration{800, 1600, 3200, 6400, 12800, 25600, 30000, 30000, 30000} {
		if got := l.next(b, epoch0.Add(time.Duration(i)*time.Hour), 0.5); got != want*time.Millisecond {
			t.Errorf("step %d waits %v", i, got) // failing for hours is no healthy period
		}
	}
	if low, high := l.next(b, epoch0, 0), l.next(b, epoch0, 0.999999); low != 24*time.Second || high > 36*time.Second || high < 35*time.Second {
		t.Errorf("jitter from %v to %v", low, high)
	}
	l.good(epoch0)
	l.good(epoch0.Add(time.Minute)) // the first success counts
	if got := l.next(b, epoch0.Add(119*time.Second), 0.5); got != 30*time.Second {
		t.Errorf("%v after less than a healthy period", got)
	}
	l.good(epoch0)
	if got := l.next(b, epoch0.Add(120*time.Second), 0.5); got != 800*time.Millisecond {
		t.Errorf("%v after a healthy period", got)
	}

	custom := Backoff{Initial: time.Second, Max: 3 * time.Second, Healthy: -1}.withDefaults()
	l = ladder{}
	for _, want := range []time.Duration{1, 2, 3, 3} {
		if got := l.next(custom, epoch0, 0.5); got != want*time.Second {
			t.Errorf("custom: %v", got)
		}
	}
	l.good(epoch0)
	if got := l.next(custom, epoch0, 0.5); got != time.Second {
		t.Errorf("no healthy period is needed: %v", got)
	}
	off := Backoff{Initial: -1}.withDefaults()
	l = ladder{}
	for range 3 {
		if got := l.next(off, epoch0, 0.5); got != 0 || l.step != 0 {
			t.Errorf("off: %v", got)
		}
	}
}

func TestLessonsLastLongerEachTime(t *testing.T) {
	l, now := NewLessons(), epoch0
	for _, minutes := range []time.Duration{10, 20, 40, 60, 60} {
		l.learn("pods", ReasonSilent, now)
		now = now.Add(minutes * time.Minute)
		if l.holds("pods", now.Add(-time.Second)) == nil || l.holds("pods", now) != nil || l.holds("nodes", now.Add(-time.Second)) != nil {
			t.Errorf("a lesson of other than %v min", int(minutes))
		}
	}
	l.learn("pods", ReasonSilent, now)
	l.forget("pods")
	if l.holds("pods", now) != nil {
		t.Error("not forgotten")
	}
	l.learn("pods", ReasonNoMarker, now)
	if diff := cmp.Diff(&Lesson{Reason: ReasonNoMarker, Until: now.Add(10 * time.Minute), Times: 1}, l.holds("pods", now)); diff != "" {
		t.Error(diff)
	}
}

func TestPagesWithoutObjectsAreBounded(t *testing.T) {
	p := newPages(1000)
	for i := range 2 * maxEmptyPages {
		if i == maxEmptyPages/2 {
			p.objects++ // one object begins the count anew
		}
		if _, err := p.end("5", fmt.Sprint("token", i)); err != nil {
			if want := maxEmptyPages/2 + maxEmptyPages; i != want {
				t.Errorf("given up after %d pages, not %d: %v", i, want, err)
			}
			return
		}
	}
	t.Error("not bounded")
}

// Each watch from such a version would be a new epoch, and so would be the list after it.
func TestAListWithoutAVersionIsNoState(t *testing.T) {
	for _, version := range []string{"", "0"} {
		p := newPages(10)
		if _, err := p.end(version, ""); pagingReason(err) != ReasonVersion {
			t.Errorf("%q: %v", version, err)
		}
	}
}

func TestTokensAreBounded(t *testing.T) {
	p := newPages(10)
	if _, err := p.end("5", strings.Repeat("x", maxToken)); err != nil {
		t.Error(err)
	}
	if _, err := p.end("5", strings.Repeat("y", maxToken+1)); err == nil || strings.Contains(err.Error(), "yy") {
		t.Errorf("%v", err)
	}
	for length := 1; length < 40; length++ { // a cycle of any length
		p, n := newPages(1000), 0
		for ; n < 500; n++ {
			p.objects++
			if _, err := p.end("5", fmt.Sprint(n%length)); err != nil {
				break
			}
		}
		if n > 4*length+4 {
			t.Errorf("a cycle of %d found after %d", length, n)
		}
	}
}

func TestVersionsAreComparedAsNumbersWhereBothAre(t *testing.T) {
	long := strings.Repeat("9", 50)
	for _, test := range []struct {
		a, b           string
		older, follows bool // a is older than b; b may come after a
	}{
		{"9", "10", true, true}, {"10", "9", false, false}, {"10", "10", false, true}, {long, "1" + long, true, true},
		{"", "5", false, true}, {"5", "", false, false}, {"a", "b", false, true}, {"b", "a", false, true},
		{"0", "5", false, false}, {"5", "0", false, false}, {"010", "9", false, false}, {"5", "x", false, false}, {"-1", "-2", false, true},
	} {
		if older(test.a, test.b) != test.older || follows(test.a, test.b) != test.follows {
			t.Errorf("%q, %q: older %v, follows %v", test.a, test.b, older(test.a, test.b), follows(test.a, test.b))
		}
	}
}

func TestFailuresAreTold(t *testing.T) {
	api := func(code int, reason status.Reason) error {
		return &status.Error{Code: code, Reason: reason, HasStatus: true}
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{api(410, "Expired"), ReasonExpired}, {api(0, "Expired"), ReasonExpired}, {api(410, "Gone"), ReasonExpired},
		{api(429, "TooManyRequests"), ReasonThrottled}, {api(429, ""), ReasonThrottled},
		{api(500, "InternalError"), ReasonInternalError}, {api(500, ""), ReasonInternalError}, {api(500, status.ReasonStoreReadError), ReasonStoreReadError},
		{api(503, "ServiceUnavailable"), ReasonServerError}, {api(504, "Timeout"), ReasonServerError}, {api(0, ""), ReasonServerError},
		{&status.Error{Code: 504, Reason: "Timeout", Message: "Too large resource version: 9, current: 5"}, ReasonTooLarge},
		{api(401, "Unauthorized"), ReasonUnauthorized}, {api(403, "Forbidden"), ReasonForbidden}, {api(404, "NotFound"), ReasonNotFound},
		{api(400, "BadRequest"), ReasonUnsupported}, {api(405, "MethodNotAllowed"), ReasonUnsupported}, {api(422, "Invalid"), ReasonUnsupported},
		{api(406, "NotAcceptable"), ReasonRefused}, {api(413, "RequestEntityTooLarge"), ReasonRefused}, {&rest.RedirectError{Code: 302}, ReasonRefused},
		{&rest.Error{Phase: rest.PhaseConfig, Rule: "x"}, ReasonConfig}, {&rest.Error{Phase: rest.PhaseAuth, Err: io.EOF}, ReasonConnection},
		{&rest.Error{Phase: rest.PhaseDial, Err: context.DeadlineExceeded}, ReasonConnection}, {&rest.Error{Phase: rest.PhaseTLS, Err: io.EOF}, ReasonConnection},
		{&rest.Error{Phase: rest.PhaseWrite, Err: io.EOF}, ReasonConnection}, {&rest.Error{Phase: rest.PhaseHead, Err: io.ErrUnexpectedEOF}, ReasonConnection},
		{&rest.Error{Phase: rest.PhaseHead, Err: context.DeadlineExceeded}, ReasonIdle}, {&rest.Error{Phase: rest.PhaseBody, Err: context.DeadlineExceeded}, ReasonIdle},
		{&rest.Error{Phase: rest.PhaseHead, Rule: "another media type"}, ReasonContent}, {&rest.Error{Phase: rest.PhaseBody, Err: io.ErrUnexpectedEOF}, ReasonCut},
		{&rest.Error{Phase: rest.PhaseBody, Err: errOverdue}, ReasonOverdue}, {&LimitError{}, ReasonLimit}, {errors.New("strange"), ReasonConnection},
		{&watchdecoder.FrameError{Rule: watchdecoder.RuleCut, Err: io.ErrUnexpectedEOF}, ReasonCut},
		{&watchdecoder.FrameError{Rule: watchdecoder.RuleSyntax}, ReasonMalformed}, {&watchdecoder.FrameError{Rule: watchdecoder.RuleHTML}, ReasonContent},
		{&watchdecoder.FrameError{Rule: watchdecoder.RuleTable}, ReasonContent},
	} {
		for _, err := range []error{test.err, fmt.Errorf("wrapped: %w", test.err)} {
			if in := classify(err); in.reason != test.want || in.err != err || in.kind != inEnded {
				t.Errorf("%v is %s, want %s", err, in.reason, test.want)
			}
		}
	}
}

func TestNamesAndErrorsAreForPeople(t *testing.T) {
	for k := ReplaceBegin; k <= Problem; k++ {
		if s := k.String(); s == "" || s == "Unknown" {
			t.Errorf("%d has no name", k)
		}
	}
	if Kind(0).String() != "Unknown" || Kind(99).String() != "Unknown" {
		t.Error("a name for nothing")
	}
	if inStart.String() != "start" || inFailed.String() != "failed" {
		t.Error("inputs are misnamed")
	}
	for want, err := range map[string]error{
		`listwatch: the server is behind: "5" after "7"`:                                     &VersionError{Rule: "the server is behind", Got: "5", Had: "7"},
		`listwatch: the watch ended after 2s and 3 frames: Idle`:                             &StreamError{Reason: ReasonIdle, Frames: 3, After: 2 * time.Second},
		`listwatch: page 2: differs: "` + strings.Repeat("a", 64) + `"... after "x\x1b\x00"`: &PageError{Page: 2, Rule: "differs", First: "x\x1b\x00", This: strings.Repeat("a", 100)},
		`listwatch: the list is over MaxObjects, 5`:                                          &LimitError{Limit: "MaxObjects", Value: 5},
	} {
		if err.Error() != want {
			t.Errorf("%s\n%s", err, want)
		}
	}
}

func TestDefaultsAndOff(t *testing.T) {
	s := settingsOf(&Options{}, "/x")
	if s.silence != 30*time.Second || s.pageSize != 500 || s.internalWindow != 30*time.Second || s.badFrameRelist != time.Hour || !s.watchList || s.start != "" {
		t.Errorf("%+v", s)
	}
	s = settingsOf(&Options{Path: "/x", PageSize: -1, MaxPages: -1, MaxObjects: -1, BadFrameRelist: -1, WatchList: WatchListOff, List: rest.ListOptions{ResourceVersion: "0"}}, "/x")
	if s.pageSize != 0 || s.maxPages < 1<<30 || s.maxObjects != 0 || s.badFrameRelist >= 0 || s.watchList || s.start != "" || s.collection != "/x" {
		t.Errorf("%+v", s)
	}
	if r := randomOf(&Options{})(); r < 0 || r >= 1 {
		t.Error(r)
	}
}
