package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"syscall"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// Exit codes. They are an interface: docs/cli.md and exitHelp state them.
const (
	exitOK         = 0   // ended as asked
	exitFinding    = 1   // something was looked for and found; kept for commands that check
	exitUsage      = 2   // command line, configuration, unknown resource
	exitConnection = 3   // name, connection, proxy, TLS, or credentials that were refused
	exitStatus     = 4   // an HTTP status, or an ERROR event
	exitProtocol   = 5   // what came is no HTTP, no JSON, no watch, or is cut off
	exitTimeout    = 6   // time ran out: no answer, silence, or the state at the beginning never complete
	exitPipe       = 141 // nobody reads standard output any more, as if SIGPIPE
	exitSignal     = 128 // plus the signal's number: 130, 143
)

const exitHelp = `Exit codes:
  0    ended as asked: --for, --count, the end of a list
  1    kept for commands that check something and find it
  2    command line, configuration or unknown resource
  3    no connection: name, address, proxy, TLS, credentials (401)
  4    the server answered with an error, as HTTP status or as ERROR event
  5    the answer breaks HTTP, JSON or the watch protocol, or is cut off
  6    time-out: no answer, or silence
  130  interrupted (SIGINT); 143 terminated (SIGTERM); 141 nobody reads the output
A watch that is broken when its time is up does not exit with 0.`

// enough ends a command that has done what was asked. Its text is the cause of a connection's end in the trace.
type enough struct{ text string }

func (e *enough) Error() string { return e.text }

var (
	errPrinted = &enough{"enough was printed (--count)"}
	errTimeUp  = &enough{"the time is up (--for)"}
)

func isEnough(err error) bool {
	var e *enough
	return errors.As(err, &e)
}

// exitCode says which code an error is. The order matters: an error may hold others.
func exitCode(err error) int {
	var signal signalled
	switch {
	case err == nil, isEnough(err):
		return exitOK
	case errors.As(err, &signal):
		return exitSignal + int(signal.signal)
	case errors.Is(err, syscall.EPIPE) && isOutput(err):
		return exitPipe
	case isUsage(err):
		return exitUsage
	}
	if code, ok := wireCode(err); ok {
		return code
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return exitTimeout
	case errors.Is(err, io.ErrUnexpectedEOF):
		return exitProtocol
	}
	return exitConnection
}

// isUsage: nothing but another command line or configuration helps.
func isUsage(err error) bool {
	var (
		usage   *usageError
		config  *rest.ConfigError
		path    *rest.PathError
		unknown *rest.UnknownResourceError
		file    *fs.PathError
	)
	if errors.As(err, &usage) || errors.As(err, &config) || errors.As(err, &path) || errors.As(err, &unknown) {
		return true
	}
	wire, ok := errors.AsType[*rest.Error](err)
	return ok && wire.Phase == rest.PhaseConfig || !ok && errors.As(err, &file)
}

// wireCode is for errors that the server, or the way to it, made.
func wireCode(err error) (int, bool) {
	if e, ok := errors.AsType[*rest.Error](err); ok {
		return phaseCode(e), true
	}
	if e, ok := errors.AsType[*status.Error](err); ok {
		if e.Code == 401 {
			return exitConnection, true
		}
		return exitStatus, true
	}
	var redirect *rest.RedirectError
	if errors.As(err, &redirect) {
		return exitStatus, true
	}
	var (
		frame   *watchdecoder.FrameError
		page    *listwatch.PageError
		version *listwatch.VersionError
	)
	if errors.As(err, &frame) || errors.As(err, &page) || errors.As(err, &version) {
		return exitProtocol, true
	}
	if stream, ok := errors.AsType[*listwatch.StreamError](err); ok {
		return streamCode(stream), true
	}
	return 0, false
}

// streamCode is for a watch that ended without an error of the layers below.
func streamCode(e *listwatch.StreamError) int {
	switch e.Reason {
	case listwatch.ReasonIdle, listwatch.ReasonOverdue, listwatch.ReasonSilent:
		return exitTimeout
	}
	return exitProtocol
}

// phaseCode is for failures below the API. Up to the request a failure is one to connect, whatever its cause.
func phaseCode(e *rest.Error) int {
	switch e.Phase {
	case rest.PhaseAuth, rest.PhaseResolve, rest.PhaseDial, rest.PhaseProxy, rest.PhaseTLS:
		return exitConnection
	}
	switch {
	case e.Timeout():
		return exitTimeout
	case e.Protocol(), e.Phase == rest.PhaseBody, errors.Is(e, io.ErrUnexpectedEOF):
		return exitProtocol
	case e.Phase == rest.PhaseHead && e.Err == nil: // a whole answer, of a kind that was not asked for
		return exitProtocol
	}
	return exitConnection
}

// outputError is a failure to write what was to be printed.
type outputError struct{ err error }

func (e *outputError) Error() string { return "standard output: " + e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

func isOutput(err error) bool {
	var output *outputError
	return errors.As(err, &output)
}
