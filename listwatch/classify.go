package listwatch

import (
	"errors"
	"io"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// classify says what a failure means for what is followed. It is the one place where errors of the layers below are told apart.
func classify(err error) input {
	in := input{kind: inEnded, err: err, reason: ReasonConnection}
	if errors.Is(err, errOverdue) {
		in.reason = ReasonOverdue
	} else if _, ok := errors.AsType[*LimitError](err); ok {
		in.reason = ReasonLimit
	} else if api, ok := errors.AsType[*status.Error](err); ok {
		in.reason, in.status = classifyStatus(api), true
		in.retryAfter, _ = status.RetryAfter(api)
	} else if _, ok := errors.AsType[*rest.RedirectError](err); ok {
		in.reason, in.status = ReasonRefused, true
	} else if frame, ok := errors.AsType[*watchdecoder.FrameError](err); ok {
		in.reason = classifyFrame(frame)
	} else if wire, ok := errors.AsType[*rest.Error](err); ok {
		in.reason = classifyWire(wire)
	}
	return in
}

// classifyStatus: the API's word. The order matters: servers have put precise reasons under coarse codes.
func classifyStatus(e *status.Error) string {
	_, throttled := status.IsTooManyRequests(e)
	switch {
	case throttled:
		return ReasonThrottled
	case status.IsTooLargeResourceVersion(e): // a 504 otherwise
		return ReasonTooLarge
	case status.IsGone(e):
		return ReasonExpired
	case status.IsStoreReadError(e): // a 500 otherwise
		return ReasonStoreReadError
	case status.IsInternal(e):
		return ReasonInternalError
	case status.IsUnauthorized(e):
		return ReasonUnauthorized
	case status.IsForbidden(e):
		return ReasonForbidden
	case status.IsNotFound(e):
		return ReasonNotFound
	case status.IsBadRequest(e), status.IsMethodNotAllowed(e), status.IsInvalid(e):
		return ReasonUnsupported
	case e.Code >= 300 && e.Code < 500:
		return ReasonRefused
	}
	return ReasonServerError
}

// classifyFrame: a body that ends inside an event or a list was cut, whatever cut it. The rest is bytes that the version cannot be blamed for at first: they are
// asked for once more.
func classifyFrame(e *watchdecoder.FrameError) string {
	switch {
	case errors.Is(e, io.ErrUnexpectedEOF):
		return ReasonCut
	case e.Rule == watchdecoder.RuleHTML, e.Rule == watchdecoder.RuleListNotEvents, e.Rule == watchdecoder.RuleTable, e.Rule == watchdecoder.RuleNotList:
		return ReasonContent
	}
	return ReasonMalformed
}

// classifyWire: everything below the API is a connection to be made anew, but for silence, which watch-list takes for an answer, and for a peer that breaks
// its own transfer coding.
func classifyWire(e *rest.Error) string {
	body := e.Phase == rest.PhaseBody
	switch {
	case e.Phase == rest.PhaseConfig:
		return ReasonConfig
	case e.Timeout() && (body || e.Phase == rest.PhaseHead):
		return ReasonIdle
	case e.Protocol() && body:
		return ReasonMalformed
	case e.Phase == rest.PhaseHead && (e.Protocol() || e.Err == nil): // no API server, or another media type
		return ReasonContent
	case body:
		return ReasonCut
	}
	return ReasonConnection
}
