package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// Errors that no test of a whole run makes. Each is met wrapped as well.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
	}{
		{nil, exitOK},
		{errPrinted, exitOK},
		{errTimeUp, exitOK},
		{signalled{syscall.SIGINT}, 130},
		{signalled{syscall.SIGTERM}, 143},
		{&outputError{syscall.EPIPE}, exitPipe},
		{&rest.Error{Phase: rest.PhaseWrite, Err: syscall.EPIPE}, exitConnection},
		{&rest.Error{Phase: rest.PhaseConfig}, exitUsage},
		{&rest.Error{Phase: rest.PhaseAuth, Err: &rest.ConfigError{}}, exitUsage},
		{&rest.Error{Phase: rest.PhaseDial, Err: context.DeadlineExceeded}, exitConnection},
		{&rest.Error{Phase: rest.PhaseHead, Err: context.DeadlineExceeded}, exitTimeout},
		{&rest.Error{Phase: rest.PhaseHead, Err: syscall.ECONNRESET}, exitConnection},
		{&rest.Error{Phase: rest.PhaseBody, Err: io.ErrUnexpectedEOF}, exitProtocol},
		{&status.Error{Code: 401}, exitConnection},
		{&status.Error{Code: 403}, exitStatus},
		{&status.Error{Code: 410}, exitStatus},
		{&listwatch.StreamError{Reason: listwatch.ReasonExpired, Err: &status.Error{Code: 410}}, exitStatus},
		{&listwatch.StreamError{Reason: listwatch.ReasonIdle, Err: &rest.Error{Phase: rest.PhaseBody, Err: context.DeadlineExceeded}}, exitTimeout},
		{&listwatch.StreamError{Reason: listwatch.ReasonOverdue, Err: errors.New("overdue")}, exitTimeout},
		{&listwatch.StreamError{Reason: listwatch.ReasonCut, Err: io.ErrUnexpectedEOF}, exitProtocol},
		{&listwatch.StreamError{Reason: listwatch.ReasonContentLength, Err: io.EOF}, exitProtocol},
		{&watchdecoder.FrameError{Rule: watchdecoder.RuleSyntax}, exitProtocol},
		{&listwatch.PageError{}, exitProtocol},
		{&listwatch.VersionError{}, exitProtocol},
		{context.DeadlineExceeded, exitTimeout},
		{io.ErrUnexpectedEOF, exitProtocol},
		{errors.New("anything else"), exitConnection},
	} {
		if got := exitCode(c.err); got != c.code {
			t.Errorf("%v: %d, want %d", c.err, got, c.code)
		}
		if c.err == nil {
			continue
		}
		for _, wrapped := range []error{fmt.Errorf("pods: %w", c.err), &targetError{"pods", c.err}} {
			if got := exitCode(wrapped); got != c.code {
				t.Errorf("wrapped in a %T, %v: %d, want %d", wrapped, c.err, got, c.code)
			}
		}
	}
}

func TestExplanationsSayWhatToDo(t *testing.T) {
	key := types.NamespacedName{Namespace: "shop", Name: "a"}
	for _, c := range []struct {
		err   error
		words []string
	}{
		{&watchdecoder.FrameError{Rule: watchdecoder.RuleHTML}, []string{"check the address"}},
		{&watchdecoder.FrameError{Rule: watchdecoder.RuleListNotEvents}, []string{"drops the query"}},
		{&watchdecoder.FrameError{Rule: watchdecoder.RuleNotList}, []string{"the path is no collection"}},
		{&watchdecoder.FrameError{Rule: watchdecoder.RuleCut, Err: io.ErrUnexpectedEOF}, []string{"try again"}},
		{&watchdecoder.FrameError{Rule: watchdecoder.RuleNoVersion, Key: key}, []string{"shop/a", "without resourceVersion"}},
		{&listwatch.StreamError{Reason: listwatch.ReasonEndedEarly, Frames: 2, After: time.Second, Err: io.EOF}, []string{"after 1.000s and 2 events", "the server closed it"}},
		{&listwatch.StreamError{Reason: listwatch.ReasonOverdue, Frames: 1}, []string{"and 1 event:", "did not end at the agreed time"}},
		{&targetError{"pods", &status.Error{Code: 403, Reason: status.ReasonForbidden, HasStatus: true, Message: "no"}}, []string{"pods: ", "403", "ask for a role"}},
		{&unfinishedError{"pods", "it was broken", io.ErrUnexpectedEOF}, []string{"pods: when the time was up, it was broken", "unexpected EOF"}},
		{&listwatch.PageError{Page: 2, Rule: "pages of two versions", First: "1", This: "2"}, []string{"page 2"}},
	} {
		text := explain(c.err)
		if strings.Contains(text, "listwatch:") || strings.Contains(text, "watchdecoder:") {
			t.Errorf("names a package: %s", text)
		}
		for _, words := range c.words {
			if !strings.Contains(text, words) {
				t.Errorf("%v: does not say %q: %s", c.err, words, text)
			}
		}
	}
}

// Whatever a reflector says has words of its own, whichever reasons it learns to give.
func TestEveryReasonHasWords(t *testing.T) {
	silent := []string{
		listwatch.ReasonStart, listwatch.ReasonSynced, listwatch.ReasonStopped, listwatch.ReasonNotOlder,
		listwatch.ReasonConfig, listwatch.ReasonConsumer, // end the iteration, or are ours to give
	}
	for _, reason := range reasons(t) {
		known := strings.Contains(strings.Join(silent, " "), reason)
		if !known && reasonText(reason) == reason {
			t.Errorf("no words for the reason %q", reason)
		}
	}
}

// reasons reads the constants of listwatch.
func reasons(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../listwatch/reason.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Reason") {
			all = append(all, strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`))
		}
		return true
	})
	if len(all) < 20 {
		t.Fatalf("only %d reasons found", len(all))
	}
	return all
}

func TestTransitionsAreToldOnce(t *testing.T) {
	gone := &status.Error{Code: 410, Reason: status.ReasonExpired, HasStatus: true, Message: "too old"}
	for _, c := range []struct {
		why               string
		t                 listwatch.Transition
		synced, relisting bool
		want              string
	}{
		{"the beginning", listwatch.Transition{From: "idle", To: "watch-list", Reason: listwatch.ReasonStart}, false, false, ""},
		{"the end: an error follows", listwatch.Transition{From: "list", To: "idle", Reason: listwatch.ReasonForbidden, Err: gone}, false, false, ""},
		{
			"a 410", listwatch.Transition{From: "watching", To: "waiting", Reason: listwatch.ReasonExpired, Err: gone, Delay: time.Second, Version: "5"}, true, true,
			"410 Gone (too old (410 Expired)); relisting in 1.000s",
		},
		{"after the wait", listwatch.Transition{From: "waiting", To: "watch-list", Reason: listwatch.ReasonExpired}, true, false, ""},
		{
			"a cut", listwatch.Transition{From: "watching", To: "waiting", Reason: listwatch.ReasonCut, Err: io.ErrUnexpectedEOF, Delay: time.Second, Version: "5"}, true, false,
			"the watch broke off (unexpected EOF); resuming at version 5 in 1.000s",
		},
		{
			"the agreed end", listwatch.Transition{From: "watching", To: "watching", Reason: listwatch.ReasonTimeoutSeconds, Version: "5"}, true, false,
			"the server ended the watch at the agreed time; resuming at version 5",
		},
		{"no watch-list", listwatch.Transition{From: "watch-list", To: "list", Reason: listwatch.ReasonNoWatchList}, false, false, "the server has no watch-list; listing"},
		{
			"a probe at once", listwatch.Transition{From: "waiting", To: "probing", Reason: listwatch.ReasonCut, Err: gone, Version: "5"}, true, false,
			"the watch broke off (too old (410 Expired)); asking for the server's version, then resuming at version 5",
		},
	} {
		if got := tell(c.t, c.synced, c.relisting); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
