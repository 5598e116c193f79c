package main

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
)

// follower prints one collection. All of it but stop runs in the goroutine that iterates.
type follower struct {
	session   *session
	target    *target
	alone     bool // nothing else is watched
	out       *output
	options   listwatch.Options
	reflector *listwatch.Reflector // nil with once
	once      bool
	skip      bool // the state at the beginning is not printed

	health      health
	held        []string // notices that are not told yet
	relisting   bool
	objects     int // of the state at the beginning
	differences int // found by the present relist
}

func (s *session) newFollower(t *target, out *output, params watchFlags) (*follower, error) {
	list, err := t.listOptions(s.selection)
	if err != nil {
		return nil, err
	}
	params.apply(&list)
	f := &follower{session: s, target: t, out: out, once: params.once, skip: params.watchOnly}
	f.options = listwatch.Options{
		Resource: t.resource.Resource, Namespace: t.namespace, Path: t.path, List: list,
		IdleTimeout: params.idle(), FailUntilSynced: true, ConsistentList: true, Observe: f.observe,
		Trace: &rest.Trace{Request: f.sent, Head: f.answered},
	}
	if f.once {
		return f, nil
	}
	if v := list.SendInitialEvents; v != nil && !*v {
		f.options.WatchList = listwatch.WatchListOff
	}
	f.options.List.SendInitialEvents = nil
	f.reflector = listwatch.New(s.client, f.options)
	return f, nil
}

// run prints until ctx ends, enough is printed, or nothing more can come.
func (f *follower) run(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	f.health.stop = stop
	defer f.awaitAnswer(stop)()
	for e, err := range f.events(ctx) {
		if err == nil {
			err = f.take(e)
		} else {
			err = f.ending(err)
		}
		if err != nil || e == nil {
			return f.named(ended(ctx, err))
		}
	}
	return f.named(context.Cause(ctx))
}

func (f *follower) events(ctx context.Context) iter.Seq2[*listwatch.Event, error] {
	if f.once {
		return listwatch.Watch(ctx, f.session.client, f.options)
	}
	return f.reflector.Follow(ctx)
}

// ending is how a watch ended. With --once a whole body is what was asked for.
func (f *follower) ending(err error) error {
	stream, ok := errors.AsType[*listwatch.StreamError](err)
	if f.once && ok && stream.Err == io.EOF && stream.Reason != listwatch.ReasonContentLength {
		f.health.synced, f.health.failure = true, nil
		f.say("the server ended the watch after %s and %s", gap(stream.After), count(stream.Frames, "event"))
		return nil
	}
	return err
}

func (f *follower) say(format string, args ...any) {
	f.session.notices.say("%s: "+format, append([]any{f.target.label}, args...)...)
}

// named says which of several resources an error is about.
func (f *follower) named(err error) error {
	if err == nil || f.alone || isEnough(err) || exitCode(err) >= exitSignal {
		return err
	}
	return &targetError{f.target.label, err}
}

// targetError is an error about one of the things asked for.
type targetError struct {
	label string
	err   error
}

func (e *targetError) Error() string { return e.label + ": " + e.err.Error() }
func (e *targetError) Unwrap() error { return e.err }

// take prints one step of the iteration.
func (f *follower) take(e *listwatch.Event) error {
	switch e.Kind {
	case listwatch.ReplaceBegin:
		f.relisting, f.differences = f.health.synced, 0
		return nil
	case listwatch.ReplaceEnd:
		if f.relisting {
			f.say("relist complete at version %s: %s", e.Version, count(f.differences, "difference"))
		}
		f.relisting = false
		return nil
	case listwatch.ReplaceAbort:
		return nil // the transition tells
	case listwatch.Problem:
		f.say("%s was skipped: %s", keyText(e.Identity.Key()), explain(e.Err))
		return nil
	}
	if f.once && !e.Initial {
		f.health.synced = true
	}
	if e.Initial {
		f.objects++
	}
	if f.relisting {
		f.differences++
	}
	return f.print(e)
}

// print shows an object's event.
func (f *follower) print(e *listwatch.Event) error {
	if f.skip && e.Initial {
		return nil
	}
	shown := f.session.event(f.target, e)
	shown.relist = f.relisting || e.Stale
	if f.session.tracer != nil && shown.conn != 0 {
		f.session.tracer.frame(&shown)
	}
	err := f.out.print(&shown)
	if bad, ok := errors.AsType[*formatError](err); ok {
		f.session.notices.say("%v", bad)
		return nil
	}
	return err
}

// event turns a step of an iteration into what is printed.
func (s *session) event(t *target, e *listwatch.Event) event {
	shown := event{
		time: e.Received, kind: kindName(e.Kind), resource: t.label, typeName: t.typeName(), key: e.Identity.Key(),
		uid: string(e.Identity.UID), version: string(e.Identity.ResourceVersion),
		apiVersion: string(e.Identity.APIVersion), objectKind: string(e.Identity.Kind),
		object: e.Object, raw: e.Raw, conn: e.Conn, offset: e.Offset, initial: e.Initial,
	}
	if e.Kind != listwatch.Bookmark && t.path == "" && shown.objectKind == "" {
		shown.apiVersion, shown.objectKind = t.resource.APIVersion(), t.resource.Kind
	}
	if shown.version == "" {
		shown.version = e.Version
	}
	if shown.time.IsZero() {
		shown.time = time.Now()
	}
	shown.chunks = s.chunks.of(e.Conn, e.Offset, shown.size())
	shown.marker = e.Kind == listwatch.Bookmark && e.Reason == listwatch.ReasonSynced
	return shown
}

func kindName(k listwatch.Kind) string {
	switch k {
	case listwatch.Added, listwatch.ReplaceItem:
		return typeAdded
	case listwatch.Modified:
		return typeModified
	case listwatch.Deleted, listwatch.ReplaceRemove:
		return typeDeleted
	case listwatch.Bookmark:
		return typeBookmark
	}
	return strings.ToUpper(k.String())
}

// keyText names an object, as far as it has a name.
func keyText(key types.NamespacedName) string {
	switch {
	case key.Name == "":
		return "an object without name"
	case key.Namespace == "":
		return escapeMax(key.Name, 512)
	}
	return escapeMax(key.String(), 512)
}
