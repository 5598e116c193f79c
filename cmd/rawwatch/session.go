package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

// session is one command under way: a client and the ways out of the program.
type session struct {
	process   process
	selection selectionFlags
	config    rest.Config
	client    *rest.Client
	out       outputFlags
	end       endFlags
	patience  time.Duration // --request-timeout: 0 is the default, negative none

	notices *notices
	chunks  *chunkMap
	tracer  *tracer  // nil without --trace
	keyLog  *os.File // nil without --key-log
}

// open makes what every command needs. The caller must close it.
func (p process) open(c connectionFlags, sel selectionFlags, out outputFlags, end endFlags) (*session, error) {
	s := &session{process: p, selection: sel, out: out, end: end}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	patience, err := c.timeout()
	if err != nil {
		return nil, err
	}
	c.load.Env, c.load.Namespace, c.load.Warn = p.env, sel.namespace, func(err error) { s.notices.say("%v", err) }
	if err := c.credentials.load(&c.load, p, pluginNotices{s.notices}); err != nil {
		return nil, err
	}
	if s.config, err = rest.LoadConfig(c.load); err != nil {
		return nil, err
	}
	s.config.AllowTokenOverHTTP = c.cleartext
	if s.keyLog, err = c.credentials.openKeyLog(); err != nil {
		return nil, err
	}
	if s.keyLog != nil {
		s.config.KeyLog = s.keyLog
	}
	return s, s.connect(patience)
}

// prepare checks what can be checked before there is a configuration.
func (s *session) prepare() error {
	if !slices.Contains(formatNames[:], s.out.format) {
		return usagef("-o is one of %v, not %q", formatNames, s.out.format)
	}
	if s.out.envelope && s.out.format != "json" {
		return usagef("--envelope needs -o json")
	}
	if err := s.end.check(); err != nil {
		return err
	}
	colour, err := choosePalette(s.out.color, s.process.stderrTerminal, s.process.env)
	if err != nil {
		return err
	}
	s.notices = &notices{w: s.process.stderr, quiet: s.out.quiet, palette: colour}
	return nil
}

// connect makes the client; it dials when it is used.
func (s *session) connect(patience time.Duration) error {
	s.patience = patience
	if patience != 0 { // watches say their own
		s.config.HeadTimeout, s.config.IdleTimeout = patience, patience
	}
	if patience > 0 {
		s.config.DialTimeout, s.config.TLSTimeout = patience, patience
	}
	s.config.UserAgent = userAgent()
	if s.process.dial != nil {
		s.config.Dial = s.process.dial
	}
	s.chunks = newChunkMap()
	if s.out.trace {
		s.tracer = newTracer(s.notices, s.chunks)
		s.config.Trace = s.tracer.trace()
	} else {
		s.config.Trace = s.chunks.trace()
	}
	client, err := rest.NewClient(s.config)
	s.client = client
	return err
}

func (s *session) close() {
	if s.client != nil {
		_ = s.client.Close() // it returns nil
	}
	if s.keyLog != nil {
		_ = s.keyLog.Close() // a help for debugging; what could not be written is missed there
	}
}

// bounded is ctx under --request-timeout, for answers that come to an end.
func (s *session) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.patience <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.patience)
}

// newOutput makes the way to standard output for what will be printed.
func (s *session) newOutput(targets []target, list bool) (*output, error) {
	o := &output{w: s.process.stdout, limit: s.end.count}
	switch s.out.format {
	case "json":
		o.format = jsonLines{}
		if s.out.envelope {
			o.format = jsonEnvelopes{}
		}
	case "yaml":
		o.format = &yamlDocuments{}
	case "name":
		o.format = names{}
	default:
		colour, err := choosePalette(s.out.color, s.process.terminal, s.process.env)
		if err != nil {
			return nil, err
		}
		var labels []string
		for _, t := range targets {
			labels = append(labels, t.label)
		}
		o.format = newLines(linesOptions{resources: labels, list: list, wide: s.out.format == "wide", noHeaders: s.out.noHeaders, palette: colour})
	}
	return o, nil
}

func userAgent() string {
	return fmt.Sprintf("rawwatch/%s (%s/%s)", buildVersion(), runtime.GOOS, runtime.GOARCH)
}
