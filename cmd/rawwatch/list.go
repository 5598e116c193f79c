package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
)

func (p process) listCommand() *cobra.Command {
	var (
		connection connectionFlags
		selection  selectionFlags
		params     listFlags
		output     outputFlags
		end        endFlags
		watch      bool
	)
	c := &cobra.Command{
		Use:     "list TYPE[,TYPE...] [NAME] | TYPE/NAME... | PATH...",
		Aliases: []string{"get"},
		Short:   "List resources, object by object as they come",
		Long: `List one or several resources, or API paths. Objects are printed as they come, none is held back; all pages are read. With --limit or
--continue it is one page, and the token of the next one is on standard error.

` + exitHelp,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeResources,
		RunE: func(c *cobra.Command, args []string) error {
			if watch {
				begin := watchFlags{resourceVersion: params.resourceVersion, resourceVersionMatch: params.resourceVersionMatch}
				return p.watch(c.Context(), watchInvocation{connection, selection, begin, output, end}, args)
			}
			all, err := parseWanted(args)
			if err != nil {
				return err
			}
			s, err := p.open(connection, selection, output, end)
			if err != nil {
				return err
			}
			defer s.close()
			targets, err := s.resolve(c.Context(), all, "list")
			if err != nil {
				return ended(c.Context(), err)
			}
			return s.list(c.Context(), targets, params)
		},
	}
	fs := c.Flags()
	selection.register(fs)
	output.register(fs)
	fs.IntVar(&end.count, "count", 0, "end after `n` objects have been printed")
	fs.BoolVarP(&watch, "watch", "w", false, "watch instead, as kubectl get -w")
	params.register(fs)
	connection.register(fs)
	registerCompletions(c, flagValues)
	return c
}

// list prints one target after the other.
func (s *session) list(ctx context.Context, targets []target, params listFlags) error {
	collections := 0
	for i := range targets {
		if targets[i].collection() {
			collections++
		}
	}
	if collections == 0 {
		return s.fetch(ctx, targets)
	}
	if collections < len(targets) {
		return usagef("collections and other paths cannot be mixed")
	}
	out, err := s.newOutput(targets, true)
	if err != nil {
		return err
	}
	for i := range targets {
		if err := s.listOne(ctx, &targets[i], out, params); err != nil {
			return ended(ctx, err)
		}
	}
	return nil
}

func (s *session) listOne(ctx context.Context, t *target, out *output, params listFlags) error {
	o, err := t.listOptions(s.selection)
	if err != nil {
		return err
	}
	params.apply(&o)
	switch {
	case s.out.format == "raw":
		return s.copyBody(ctx, t, rest.Request{Query: o.Query()})
	case o.Limit != 0 || o.Continue != "":
		return s.page(ctx, t, out, o)
	}
	l := lister{session: s, target: t, out: out}
	options := listwatch.Options{
		Resource: t.resource.Resource, Namespace: t.namespace, Path: t.path, List: o, PageSize: params.chunkSize, Gzip: !s.config.DisableCompression,
	}
	for e, err := range listwatch.List(ctx, s.client, options) {
		if err != nil {
			return err
		}
		if err := l.take(e); err != nil {
			return err
		}
	}
	return l.end()
}

func (f *listFlags) apply(o *rest.ListOptions) {
	if f.resourceVersion != "" {
		o.ResourceVersion = f.resourceVersion
	}
	if f.resourceVersionMatch != "" {
		o.ResourceVersionMatch = f.resourceVersionMatch
	}
	if f.limit != 0 {
		o.Limit = f.limit
	}
	if f.token != "" {
		o.Continue = f.token
	}
}

// lister prints one collection's objects.
type lister struct {
	session *session
	target  *target
	out     *output
	objects int
	bad     error // the first object that could not be read
}

func (l *lister) take(e *listwatch.Event) error {
	switch e.Kind {
	case listwatch.ReplaceItem:
		shown := l.session.event(l.target, e)
		return l.item(&shown)
	case listwatch.ReplaceAbort:
		// Objects were printed that the whole list will bring again.
		l.say("a later page was refused: %s; the list begins anew, objects come again", because(e.Reason, e.Err))
		l.objects = 0
	case listwatch.Problem:
		l.problem(e.Identity.Key(), e.Err)
	case listwatch.ReplaceEnd:
		l.say("%s at version %s", count(l.objects, "object"), dash(e.Version))
	}
	return nil
}

func (l *lister) item(e *event) error {
	l.objects++
	if l.session.tracer != nil && e.conn != 0 {
		l.session.tracer.frame(e)
	}
	err := l.out.print(e)
	if bad, ok := errors.AsType[*formatError](err); ok {
		l.problem(e.key, bad)
		return nil
	}
	return err
}

func (l *lister) say(format string, args ...any) {
	l.session.notices.say("%s: "+format, append([]any{l.target.label}, args...)...)
}

func (l *lister) problem(key types.NamespacedName, err error) {
	l.say("%s was skipped: %s", keyText(key), explain(err))
	if l.bad == nil {
		l.bad = err
	}
}

// end is the verdict over a list that came to its end: one that lacks an object is not complete.
func (l *lister) end() error {
	if l.bad != nil {
		return &incompleteError{l.target.label, l.bad}
	}
	return nil
}

// incompleteError is a list that was read to its end and lacks objects.
type incompleteError struct {
	label string
	err   error
}

func (e *incompleteError) Error() string {
	return e.label + ": the list is not complete: " + explain(e.err)
}
func (e *incompleteError) Unwrap() error { return e.err }
