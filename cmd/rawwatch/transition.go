package main

import (
	"errors"
	"strings"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
)

// tell is the line of a transition, "" for those that go without saying: the beginning, the end (an error follows), and what was announced before a wait.
func tell(t listwatch.Transition, synced, relisting bool) string {
	switch {
	case t.To == "idle", t.From == "waiting" && t.Err == nil:
		return ""
	}
	switch t.Reason {
	case listwatch.ReasonStart, listwatch.ReasonSynced, listwatch.ReasonStopped, listwatch.ReasonNotOlder:
		return ""
	}
	next := "resuming at version " + dash(t.Version)
	switch {
	case t.To == "probing":
		next = "asking for the server's version, then " + next
	case !synced:
		next = "listing"
	case relisting || t.To == "list" || t.To == "watch-list":
		next = "relisting"
	case t.Reason == listwatch.ReasonContentLength && t.From == t.To: // an answer began
		return because(t.Reason, t.Err)
	}
	if t.Delay > 0 {
		next += " in " + gap(t.Delay)
	}
	return because(t.Reason, t.Err) + "; " + next
}

// because says why: in the words for the reason, and in those of the error where it has some of its own.
func because(reason string, err error) string {
	text := reasonText(reason)
	if err != nil {
		text += " (" + brief(err) + ")"
	}
	return text
}

// brief is an error without advice: whoever follows a watch needs to know, not to do anything.
func brief(err error) string {
	if stream, ok := errors.AsType[*listwatch.StreamError](err); ok && stream.Err != nil {
		err = stream.Err
	}
	if wire, ok := errors.AsType[*rest.Error](err); ok {
		return wire.Error()
	}
	if api, ok := errors.AsType[*status.Error](err); ok {
		return api.Error()
	}
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "listwatch: "), "watchdecoder: ")
}

// reasonText puts a reason of listwatch into words.
func reasonText(reason string) string {
	switch reason {
	case listwatch.ReasonTimeoutSeconds:
		return "the server ended the watch at the agreed time"
	case listwatch.ReasonEndedEarly:
		return "the server ended the watch early"
	case listwatch.ReasonShortWatch:
		return "the server ended the watch at once"
	case listwatch.ReasonCut:
		return "the watch broke off"
	case listwatch.ReasonConnection:
		return "no connection"
	case listwatch.ReasonIdle:
		return "the watch was silent for too long"
	case listwatch.ReasonOverdue:
		return "the watch did not end at the agreed time"
	case listwatch.ReasonExpired:
		return "410 Gone"
	case listwatch.ReasonTooLarge:
		return "the version is ahead of the server"
	case listwatch.ReasonThrottled:
		return "429, the server asks for patience"
	case listwatch.ReasonUnauthorized:
		return "401, the credentials are no longer accepted"
	case listwatch.ReasonForbidden:
		return "403, no longer allowed"
	case listwatch.ReasonNotFound:
		return "404, the resource is gone"
	case listwatch.ReasonUnsupported:
		return "the server does not take such a request"
	case listwatch.ReasonRefused:
		return "the server refused"
	case listwatch.ReasonInternalError, listwatch.ReasonServerError:
		return "an error of the server"
	case listwatch.ReasonStoreReadError:
		return "an object that the server cannot read"
	case listwatch.ReasonMalformed:
		return "bytes that are no watch"
	case listwatch.ReasonContent:
		return "an answer of another kind"
	}
	return rareReasonText(reason)
}

func rareReasonText(reason string) string {
	switch reason {
	case listwatch.ReasonBadFrame:
		return "an object that could not be read"
	case listwatch.ReasonBadItem:
		return "a list that had an item that could not be read"
	case listwatch.ReasonVersion:
		return "an impossible version"
	case listwatch.ReasonPaging:
		return "pages that do not add up"
	case listwatch.ReasonLimit:
		return "a list over the limit"
	case listwatch.ReasonEpoch:
		return "the server is behind what it had said before"
	case listwatch.ReasonNoWatchList:
		return "the server has no watch-list"
	case listwatch.ReasonNoMarker:
		return "the watch-list had no end"
	case listwatch.ReasonSilent:
		return "the watch-list was silent"
	case listwatch.ReasonContentLength:
		return "the watch is answered with a counted body (Content-Length), which is no stream"
	case listwatch.ReasonProbeUnavailable:
		return "the server does not tell its version"
	}
	return reason
}
