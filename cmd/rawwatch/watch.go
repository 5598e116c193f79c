package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"
)

// watchInvocation is the command line of a watch.
type watchInvocation struct {
	connection connectionFlags
	selection  selectionFlags
	params     watchFlags
	output     outputFlags
	end        endFlags
}

func (p process) watchCommand() *cobra.Command {
	var i watchInvocation
	c := &cobra.Command{
		Use:   "watch TYPE[,TYPE...] [NAME] | TYPE/NAME... | PATH...",
		Short: "Watch resources (the default)",
		Long: `Watch one or several resources, or API paths, until --for, --count or an interrupt. A watch that ends is resumed where it was; one that cannot
be is listed again, and the differences to what was shown are printed. Notices of that are on standard error.

` + exitHelp,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeResources,
		RunE: func(c *cobra.Command, args []string) error {
			return p.watch(c.Context(), i, args)
		},
	}
	registerCompletions(c, i.register(c))
	return c
}

// register adds the flags and returns the names of those with known values.
func (i *watchInvocation) register(c *cobra.Command) map[string][]string {
	fs := c.Flags()
	i.selection.register(fs)
	i.output.register(fs)
	i.end.register(fs)
	i.params.register(fs)
	i.connection.register(fs)
	return flagValues
}

func (p process) watch(ctx context.Context, i watchInvocation, args []string) error {
	all, err := parseWanted(args)
	if err != nil {
		return err
	}
	s, err := p.open(i.connection, i.selection, i.output, i.end)
	if err != nil {
		return err
	}
	defer s.close()
	targets, err := s.resolve(ctx, all, "watch")
	if err != nil {
		return ended(ctx, err)
	}
	return s.watch(ctx, targets, i.params)
}

// watch does what fits the targets.
func (s *session) watch(ctx context.Context, targets []target, params watchFlags) error {
	if err := params.check(); err != nil {
		return err
	}
	collections := 0
	for i := range targets {
		if targets[i].collection() {
			collections++
		}
	}
	switch {
	case collections == 0:
		return s.fetch(ctx, targets)
	case collections < len(targets):
		return usagef("collections and other paths cannot be mixed")
	case s.out.format == "raw":
		return s.watchRaw(ctx, targets, params)
	}
	return s.followAll(ctx, targets, params)
}

// errTimeUp is the end of --for.
var errTimeUp = fmt.Errorf("the time is up: %w", errEnough)

// until adds the end of --for to a context.
func (s *session) until(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if s.end.duration > 0 {
		timer := time.AfterFunc(s.end.duration, func() { cancel(errTimeUp) })
		context.AfterFunc(ctx, func() { timer.Stop() })
	}
	return ctx, cancel
}

// followAll watches all targets at once. The first that fails, or has enough, ends the others.
func (s *session) followAll(ctx context.Context, targets []target, params watchFlags) error {
	out, err := s.newOutput(targets, false)
	if err != nil {
		return err
	}
	followers := make([]*follower, len(targets))
	for i := range targets {
		if followers[i], err = s.newFollower(&targets[i], out, params); err != nil {
			return err
		}
		followers[i].alone = len(targets) == 1
	}
	ctx, cancel := s.until(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	for _, f := range followers {
		running.Go(func() {
			if err := f.run(ctx); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	err = context.Cause(ctx)
	if errors.Is(err, errTimeUp) {
		for _, f := range followers {
			if problem := f.unfinished(); problem != nil {
				return problem
			}
		}
	}
	return err
}

// ended prefers the reason for which a context ended to the error that its end has caused.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
