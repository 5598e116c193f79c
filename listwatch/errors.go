package listwatch

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// ErrBusy is yielded by a second iteration over a Reflector while the first is under way.
var ErrBusy = errors.New("listwatch: the reflector is being iterated over")

// errOverdue is the cause of a request's end when it outlived timeoutSeconds.
var errOverdue = errors.New("the watch outlived its timeoutSeconds by 30 s")

// PageError is a list whose pages do not add up.
type PageError struct {
	Page int // from 1
	Rule string
	// First and This are the versions of the first page and this one when they differ.
	First, This string
}

// Error implements error.
func (e *PageError) Error() string {
	if e.First != e.This {
		return fmt.Sprintf("listwatch: page %d: %s: %s after %s", e.Page, e.Rule, quote(e.This), quote(e.First))
	}
	return fmt.Sprintf("listwatch: page %d: %s", e.Page, e.Rule)
}

// LimitError is a list over Options.MaxObjects or MaxBytes.
type LimitError struct {
	Limit string // the option's name
	Value int64
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("listwatch: the list is over %s, %d", e.Limit, e.Value)
}

// VersionError is a resourceVersion that cannot be.
type VersionError struct {
	Rule string
	Got  string
	Had  string // the version before it
}

// Error implements error.
func (e *VersionError) Error() string {
	s := "listwatch: " + e.Rule
	if e.Got != "" {
		s += ": " + quote(e.Got)
	}
	if e.Had != "" {
		s += " after " + quote(e.Had)
	}
	return s
}

// StreamError is how a watch ended; [Watch] always ends with one. errors.Is(err, io.EOF) says that the server ended it whole, io.ErrUnexpectedEOF that it was
// cut; status.IsGone and the other questions see through it.
type StreamError struct {
	Reason string
	Frames int64 // received before
	After  time.Duration
	Err    error // the cause; io.EOF when the server ended it
}

// Error implements error.
func (e *StreamError) Error() string {
	s := fmt.Sprintf("listwatch: the watch ended after %s and %d frames: ", e.After.Round(time.Millisecond), e.Frames)
	switch {
	case e.Reason == ReasonContentLength:
		return s + "it was answered with Content-Length, which is no stream"
	case e.Err == io.EOF:
		return s + "the server closed it"
	case e.Err == nil:
		return s + e.Reason
	}
	return s + e.Err.Error()
}

// Unwrap returns the cause.
func (e *StreamError) Unwrap() error { return e.Err }

// quote makes a peer's text safe and short.
//
//go:noinline // it is called from everywhere
func quote(s string) string {
	const most = 64
	if len(s) > most {
		return strconv.QuoteToASCII(s[:most]) + "..."
	}
	return strconv.QuoteToASCII(s)
}
