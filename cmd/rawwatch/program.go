package main

import (
	"context"
	"io"
	"net"
	"os"

	"github.com/spf13/cobra"
)

// process is what a program gets from its surroundings.
type process struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) string
	terminal       bool // stdout is one
	stderrTerminal bool
	terminalInput  *os.File // stdin if it is a terminal, for credential plugins that ask; nil otherwise

	// dial replaces the network in tests. Nil is the real one.
	dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// run is the program. The end of ctx ends it; a signalled as cause decides the exit code.
func run(ctx context.Context, p process) int {
	started := false
	root := p.commands(&started)
	err := root.ExecuteContext(ctx)
	if err != nil && !started && !isUsage(err) {
		err = usagef("%v", err) // cobra's own, of arguments
	}
	code := exitCode(err)
	switch code {
	case exitOK, exitPipe, exitSignal + 2, exitSignal + 15:
		return code
	}
	n := notices{w: p.stderr}
	if colour, problem := choosePalette("auto", p.stderrTerminal, p.env); problem == nil {
		n.palette = colour
	}
	n.complain(explain(err))
	return code
}

// commands builds the command tree. Whatever follows its flags is not a command is a resource to watch.
func (p process) commands(started *bool) *cobra.Command {
	root := p.watchCommand()
	root.Use = "rawwatch [watch] TYPE[,TYPE...] [NAME] | TYPE/NAME... | PATH... [flags]"
	root.Short = "Watch Kubernetes resources and see the wire"
	root.Long = rootHelp + "\n\n" + exitHelp
	root.Example = rootExamples
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetArgs(p.args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	watch := p.watchCommand()
	root.AddCommand(watch, p.listCommand(), p.demoCommand(), p.versionCommand())
	for _, c := range append(root.Commands(), root) {
		c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
			return usagef("%v (%s --help shows what there is)", err, c.CommandPath())
		})
		if c.Flags().SortFlags = false; c.RunE != nil {
			inner := c.RunE
			c.RunE = func(c *cobra.Command, args []string) error { *started = true; return inner(c, args) }
		}
	}
	return root
}

const rootHelp = `rawwatch watches Kubernetes resources and shows the watch protocol as it is: each event with its version, size, chunks and time,
and with --trace the wire below.

Without a command it watches: "rawwatch pods -A" is "rawwatch watch pods -A". A watch is resumed when it ends, and after a relist only the
differences are printed. A path that is no collection, such as /version, is fetched and printed.`

const rootExamples = `  rawwatch demo --for 15s                                  a lively cluster of our own, on this machine
  rawwatch pods -A                                         watch all pods
  rawwatch po,deploy -n shop -l app=web                    several resources at once
  rawwatch pods web-1 -o json | jq .object.status.phase    one object, one event per line
  rawwatch /apis/example.com/v1/widgets --trace            any path, with the wire
  rawwatch list pods -A                                    list, page by page
  rawwatch /version                                        fetch and print`
