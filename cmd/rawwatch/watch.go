package main

import (
	"context"
	"errors"
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
	fs.BoolP("watch", "w", true, "what it does anyway, for fingers that know kubectl")
	_ = fs.MarkHidden("watch") // fails for unknown flags alone
	return flagValues
}

func (p process) watch(ctx context.Context, i watchInvocation, args []string) error {
	if err := i.params.check(); err != nil {
		return err
	}
	all, err := parseWanted(args)
	if err != nil {
		return err
	}
	s, err := p.open(i.connection, i.selection, i.output, i.end)
	if err != nil {
		return err
	}
	defer s.close()
	ctx, cancel := s.until(ctx)
	defer cancel(nil)
	targets, err := s.resolve(ctx, all, "watch")
	if err != nil {
		return unanswered(ctx, err)
	}
	return s.watch(ctx, targets, i.params)
}

// unanswered is the end of what was to begin with an answer. --for is no excuse for having none.
func unanswered(ctx context.Context, err error) error {
	err = ended(ctx, err)
	if errors.Is(err, errTimeUp) {
		return &unfinishedError{text: "no answer had begun", err: context.DeadlineExceeded}
	}
	return err
}

// watch does what fits the targets.
func (s *session) watch(ctx context.Context, targets []target, params watchFlags) error {
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
	ctx, cancel := context.WithCancelCause(ctx)
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
