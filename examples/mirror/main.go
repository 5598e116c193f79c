// Mirror keeps an SQLite table in step with the pods of a cluster. Another storage layer is a subscription: the
// informer's own store stays what it is. Usage: mirror FILE
//
// It may be stopped at any time. When it starts again it writes what is new, and deletes what was deleted meanwhile.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: mirror FILE")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1]); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "mirror:", rest.Explain(err))
		os.Exit(1)
	}
}

func run(ctx context.Context, path string) error {
	config, err := rest.LoadConfig(rest.LoadOptions{})
	if err != nil {
		return err
	}
	client, err := rest.NewClient(config)
	if err != nil {
		return err
	}
	defer client.Close()
	t, err := open(ctx, path)
	if err != nil {
		return err
	}
	defer t.db.Close()
	pods := informer.New(client, rest.Pods, watchdecoder.RawObject(), informer.Options{Logger: slog.Default()})
	return mirror(ctx, pods, t, func(pruned int) { slog.Info("in step", "pods", pods.Store().Len(), "pruned", pruned) })
}

// mirror runs the informer and keeps the table in step until ctx ends. inStep is called once the table shows the
// cluster as it was found.
func mirror(ctx context.Context, objects *informer.Informer[watchdecoder.Raw], t *table, inStep func(pruned int)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sub := objects.Subscribe(informer.Handler[watchdecoder.Raw]{
		Name:    "mirror",
		OnBatch: func(events []informer.Event[watchdecoder.Raw]) { persist(ctx, t, events) },
	})
	pruned := make(chan struct{})
	go func() {
		defer close(pruned)
		select {
		case <-sub.Synced():
		case <-ctx.Done():
			return
		}
		// Every object of the store has been written; a row without one is of an object that is gone.
		n, err := t.prune(ctx, func(key informer.Key) bool { _, there := objects.Get(key); return there })
		if err != nil {
			cancel(err)
			return
		}
		inStep(n)
	}()
	err := objects.Run(ctx)
	<-pruned
	return err
}

// persist tries until the events are in the table. What happens meanwhile waits for the handler, at most one change per
// object.
func persist(ctx context.Context, t *table, events []informer.Event[watchdecoder.Raw]) {
	for {
		err := t.write(ctx, events)
		if err == nil || ctx.Err() != nil {
			return
		}
		slog.Warn("the table cannot be written", "error", err)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}
