package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// output writes events to standard output, each by one Write, in the order in which they are given to it. Safe for concurrent use.
type output struct {
	mu      sync.Mutex
	w       io.Writer
	format  format
	b       []byte
	limit   int // 0: none
	printed int
}

// print writes an event. The error is errPrinted once the limit is reached, an *outputError when nothing can be written any more, and a *formatError when
// only this event cannot.
func (o *output) print(e *event) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.full() {
		return errPrinted
	}
	b, err := o.format.append(o.b[:0], e)
	o.b = b
	if err != nil || len(b) == 0 {
		return err
	}
	if _, err := o.w.Write(b); err != nil {
		return &outputError{err}
	}
	o.printed++
	if o.full() {
		return errPrinted
	}
	return nil
}

func (o *output) full() bool { return o.limit > 0 && o.printed >= o.limit }

// notices writes to standard error. Safe for concurrent use.
type notices struct {
	mu      sync.Mutex
	w       io.Writer
	quiet   bool
	palette palette
}

// say tells what happened, unless that is not wanted.
func (n *notices) say(format string, args ...any) {
	if !n.quiet {
		n.line(faint, fmt.Sprintf(format, args...))
	}
}

// complain tells what went wrong.
func (n *notices) complain(text string) { n.line(red, text) }

func (n *notices) line(c ansi, text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	// One line each: a line feed in what an error says would look like a line of our own.
	text = escape(strings.TrimSpace(text))
	// Nobody is left to be told that standard error is gone.
	_, _ = io.WriteString(n.w, n.palette.paint(c, "rawwatch: "+text)+"\n")
}

// write passes lines of a trace through.
func (n *notices) write(b []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, _ = n.w.Write(b)
}
