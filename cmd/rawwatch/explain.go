package main

import (
	"errors"
	"io"
	"strings"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// explain is one line that says what went wrong and what to do.
func explain(err error) string {
	if text, ok := explainOwn(err); ok {
		return text
	}
	if text, ok := explainUsage(err); ok {
		return text
	}
	if stream, ok := errors.AsType[*listwatch.StreamError](err); ok {
		return explainStream(stream)
	}
	if frame, ok := errors.AsType[*watchdecoder.FrameError](err); ok {
		return explainFrame(frame)
	}
	if wire, ok := errors.AsType[*rest.Error](err); ok && wire.Phase == rest.PhaseBody && wire.Hint() == "" {
		return wire.Error() + ": " + otherServer // discovery found no JSON
	}
	return strings.TrimPrefix(rest.Explain(err), "listwatch: ")
}

// explainOwn is for the errors of this program that hold another.
func explainOwn(err error) (string, bool) {
	if e, ok := errors.AsType[*targetError](err); ok {
		return e.label + ": " + explain(e.err), true
	}
	if e, ok := errors.AsType[*unfinishedError](err); ok {
		return e.Error() + ": " + explain(e.err), true
	}
	if e, ok := errors.AsType[*incompleteError](err); ok {
		return e.Error(), true
	}
	if e, ok := errors.AsType[*silenceError](err); ok {
		return e.Error(), true
	}
	return "", false
}

func explainUsage(err error) (string, bool) {
	if e, ok := errors.AsType[*usageError](err); ok {
		return e.Error(), true
	}
	if e, ok := errors.AsType[*rest.UnknownResourceError](err); ok {
		text := e.Error()
		if len(e.Near) == 0 {
			text += "; kubectl api-resources shows what it has"
		}
		return text, true
	}
	if e, ok := errors.AsType[*rest.ConfigError](err); ok && errors.Is(err, rest.ErrNotInCluster) {
		found := *e
		found.Err = nil
		return "no API server is configured: " + found.Error() + " (--kubeconfig FILE, --server ADDRESS)", true
	}
	return "", false
}

// otherServer is the advice where something answers that is no API server.
const otherServer = "something else than the API server answered; check the address and what stands in front of it"

// explainStream is for a watch that had begun.
func explainStream(e *listwatch.StreamError) string {
	if e.Reason == listwatch.ReasonContentLength {
		return "the watch was answered with a counted body (Content-Length), which is no stream: a proxy or cache collects the answer; " +
			"make it pass streams on, or go to the API server itself"
	}
	text := "the watch ended after " + gap(e.After) + " and " + count(e.Frames, "event") + ": "
	switch {
	case e.Err == io.EOF:
		return text + "the server closed it"
	case e.Err == nil:
		return text + reasonText(e.Reason)
	}
	return text + explain(e.Err)
}

// explainFrame is for bytes that are no watch or no list.
func explainFrame(e *watchdecoder.FrameError) string {
	text := strings.TrimPrefix(e.Error(), "watchdecoder: ")
	switch e.Rule {
	case watchdecoder.RuleHTML, watchdecoder.RuleNUL, watchdecoder.RuleByteOrderMark:
		return text + ": " + otherServer
	case watchdecoder.RuleListNotEvents:
		return text + ": a proxy or cache drops the query; go to the API server itself"
	case watchdecoder.RuleNotList:
		return text + ": the path is no collection, or " + otherServer
	case watchdecoder.RuleCut:
		return text + ": the connection ended in the middle; try again"
	}
	if !e.Recoverable() {
		return text + ": something on the way changes the bytes; go to the API server itself"
	}
	return text
}
