package main

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/fakeapi/lively"
	"github.com/rawwatch/rawwatch/rest"
)

// demoInvocation is the command line of the demo.
type demoInvocation struct {
	selection selectionFlags
	params    watchFlags
	output    outputFlags
	end       endFlags
	port      uint16
	serve     bool
	rate      float64
	seed      uint64
}

func (p process) demoCommand() *cobra.Command {
	var i demoInvocation
	c := &cobra.Command{
		Use:   "demo [TYPE[,TYPE...] [NAME] | PATH...]",
		Short: "Watch a lively cluster of our own",
		Long: `Start an API server inside this process, on a loopback port, with a cluster that never rests: pods are scheduled, crash and are rolled out. Then
watch it, pods by default. Six seconds in, the server forgets its history once, as after a compaction: the watch is answered 410, and relists.

The address is on standard error; attach another rawwatch, or kubectl, to it.`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeResources,
		RunE: func(c *cobra.Command, args []string) error {
			return p.demo(c.Context(), i, args)
		},
	}
	fs := c.Flags()
	fs.BoolVar(&i.serve, "serve", false, "only serve; watch nothing")
	fs.Uint16Var(&i.port, "port", 0, "loopback `port`; 0 is any that is free")
	fs.Float64Var(&i.rate, "rate", 4, "changes per second, on `average`")
	fs.Uint64Var(&i.seed, "seed", 1, "decides everything that is random")
	i.selection.register(fs)
	i.output.register(fs)
	i.end.register(fs)
	i.params.register(fs)
	registerCompletions(c, flagValues)
	return c
}

// demo serves and watches. The server lives as long as the watch.
func (p process) demo(ctx context.Context, i demoInvocation, args []string) error {
	if err := i.params.check(); err != nil {
		return err
	}
	if i.selection.namespace == "" {
		i.selection.allNamespaces = true
	}
	if len(args) == 0 {
		args = []string{"pods"}
	}
	all, err := parseWanted(args)
	if err != nil {
		return err
	}
	s := &session{process: p, selection: i.selection, out: i.output, end: i.end}
	if err := s.prepare(); err != nil {
		return err
	}
	cluster, err := startCluster(ctx, i)
	if err != nil {
		return err
	}
	defer cluster.close()
	s.notices.say("a cluster of our own serves at %s", cluster.url)
	s.notices.say("attach from another terminal: rawwatch -s %s pods,deploy -A --trace", cluster.url)
	if i.serve {
		return s.wait(ctx, cluster)
	}
	s.config = rest.Config{Server: cluster.url, Namespace: i.selection.namespace}
	if err := s.connect(0); err != nil {
		return err
	}
	defer s.close()
	if all[0].path != "" {
		s.selection.allNamespaces = false // chosen by ourselves
	}
	ctx, cancel := s.until(ctx)
	defer cancel(nil)
	targets, err := s.resolve(ctx, all, "watch")
	if err != nil {
		return unanswered(ctx, err)
	}
	return s.watch(ctx, targets, i.params)
}

// wait is the demo that only serves.
func (s *session) wait(ctx context.Context, c *cluster) error {
	ctx, cancel := s.until(ctx)
	defer cancel(nil)
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.stopped:
		return c.err
	}
}

// cluster is a server on loopback and what happens in it.
type cluster struct {
	url     string
	server  *fakeapi.Server
	cancel  context.CancelFunc
	running sync.WaitGroup
	stopped chan struct{} // closed when nothing more happens
	err     error         // why, once stopped is closed
}

func startCluster(ctx context.Context, i demoInvocation) (*cluster, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(i.port))))
	if err != nil {
		return nil, usagef("cannot serve on port %d: %v", i.port, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	c := &cluster{
		url: "http://" + listener.Addr().String(), cancel: cancel, stopped: make(chan struct{}),
		// Bookmarks more often than the real server's once a minute: the demo is short.
		server: fakeapi.New(fakeapi.Options{Seed: i.seed, BookmarkInterval: 2500 * time.Millisecond}),
	}
	c.running.Go(func() { _ = c.server.Serve(listener) }) // ends with close
	waits := &waitNotice{Context: ctx, waited: make(chan struct{})}
	c.running.Go(func() {
		defer close(c.stopped)
		if err := lively.Run(waits, c.server, lively.Options{Seed: i.seed, Rate: i.rate}); ctx.Err() == nil {
			c.err = fmt.Errorf("the cluster came to rest: %w", err)
		}
	})
	select {
	case <-waits.waited:
	case <-c.stopped:
	}
	return c, nil
}

// waitNotice tells when its context is waited for the first time: when lively.Run has filled the server and begins to look at the clock. A watch that
// began before would show an empty cluster.
type waitNotice struct {
	context.Context
	once   sync.Once
	waited chan struct{}
}

func (w *waitNotice) Done() <-chan struct{} {
	w.once.Do(func() { close(w.waited) })
	return w.Context.Done()
}

func (c *cluster) close() {
	c.cancel()
	_ = c.server.Close() // nothing is lost with it
	c.running.Wait()
}
