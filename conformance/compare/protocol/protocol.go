// Package protocol is what the comparing command and the processes that it starts say to each other: one JSON value a line.
package protocol

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Command is what a process is told to do.
type Command struct {
	Do      string // of a server: connect, await, burst, steady, expire; of a client: see package child
	Count   int
	Rate    int
	Objects int // how many the client will see
	Times   bool
	For     time.Duration // leave alone
}

// Answer is what it answers.
type Answer struct {
	Error string `json:",omitempty"`

	// Of a server.
	URL, TLSURL string  `json:",omitempty"`
	CA          []byte  `json:",omitempty"` // PEM
	Times       []int64 `json:",omitempty"` // of events, written or handled, in Unix nanoseconds
	Open, Most  int     `json:",omitempty"` // connections

	// Of a client.
	Figures map[string]float64 `json:",omitempty"`
	At      int64              `json:",omitempty"` // when what was asked for began, or was complete, in Unix nanoseconds
}

// Serve answers commands until the input ends. A command that is answered in two steps calls step for the first.
func Serve(in io.Reader, out io.Writer, do func(c Command, step func(Answer)) (Answer, error)) error {
	decoder, encoder := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	for {
		var c Command
		if err := decoder.Decode(&c); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var lost error
		a, err := do(c, func(a Answer) { lost = encoder.Encode(a) })
		if err != nil {
			a.Error = err.Error()
		}
		if err := errors.Join(lost, encoder.Encode(a)); err != nil {
			return err
		}
	}
}

// Process is a process that answers commands.
type Process struct {
	name    string
	command *exec.Cmd
	in      io.Closer
	encoder *json.Encoder
	decoder *json.Decoder
}

// Start starts a program. Its standard error is this process's.
func Start(name string, args ...string) (*Process, error) {
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	return &Process{name, c, in, json.NewEncoder(in), json.NewDecoder(bufio.NewReader(out))}, nil
}

// Do sends a command and waits for the answer.
func (p *Process) Do(c Command) (Answer, error) {
	if err := p.encoder.Encode(c); err != nil {
		return Answer{}, fmt.Errorf("%s: %s: %w", p.name, c.Do, err)
	}
	return p.Next(c.Do)
}

// Next waits for another answer.
func (p *Process) Next(what string) (Answer, error) {
	var a Answer
	if err := p.decoder.Decode(&a); err != nil {
		return a, fmt.Errorf("%s: %s: %w", p.name, what, err)
	}
	if a.Error != "" {
		return a, fmt.Errorf("%s: %s: %s", p.name, what, a.Error)
	}
	return a, nil
}

// PID is the process's number.
func (p *Process) PID() int { return p.command.Process.Pid }

// Close ends the process.
func (p *Process) Close() {
	_ = p.in.Close()
	_ = p.command.Process.Kill() // it may be gone already
	_ = p.command.Wait()
}
