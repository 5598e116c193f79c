// Command rawwatch shows the Kubernetes watch protocol as it is on the wire: events, and below them frames, chunks, connections, and who closed them.
//
// Output goes by these rules. Data is on standard output, one Write per event; everything else is on standard error, in lower case, behind "rawwatch: ".
// What a server sent is escaped before it is printed for people, and unchanged where a format promises its bytes. No token, password, key or
// credential header is ever printed.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

func main() {
	ctx, stop := untilSignal(context.Background())
	var terminalInput *os.File
	if term.IsTerminal(int(os.Stdin.Fd())) {
		terminalInput = os.Stdin
	}
	code := run(ctx, process{
		args: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv,
		terminal: term.IsTerminal(int(os.Stdout.Fd())), stderrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		terminalInput: terminalInput,
	})
	stop()
	os.Exit(code)
}

// signalled is why a context ended.
type signalled struct{ signal syscall.Signal }

func (s signalled) Error() string { return s.signal.String() }

// untilSignal ends the context with a signalled at the first SIGINT or SIGTERM. The second one finds the default handling and ends the process.
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			number, ok := s.(syscall.Signal)
			if !ok {
				number = syscall.SIGINT
			}
			cancel(signalled{number})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel(fmt.Errorf("the program is over")) }
}
