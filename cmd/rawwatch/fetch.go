package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/rawwatch/rawwatch/rest"
)

// fetch prints what is at paths that are no collections.
func (s *session) fetch(ctx context.Context, targets []target) error {
	for i := range targets {
		t := &targets[i]
		o, err := t.listOptions(s.selection)
		if err != nil {
			return err
		}
		r := rest.Request{Query: o.Query()}
		if t.query.Has("watch") {
			r.Query.Set("watch", t.query.Get("watch")) // a watch of one object, by the path's own word
		}
		if t.query.Has("watch") || t.query.Has("follow") {
			r.IdleTimeout = -1 // nothing says how long these are silent
		}
		if err := s.copyBody(ctx, t, r); err != nil {
			return ended(ctx, err)
		}
	}
	return nil
}

// watchRaw prints the body of one watch request: byte for byte what is there after the transfer coding.
func (s *session) watchRaw(ctx context.Context, targets []target, params watchFlags) error {
	if len(targets) > 1 {
		return usagef("-o raw shows one body; name one resource")
	}
	o, err := targets[0].listOptions(s.selection)
	if err != nil {
		return err
	}
	params.apply(&o)
	o.Watch = true
	idle := params.idle()
	switch {
	case idle == 0 && o.AllowWatchBookmarks:
		idle = bookmarkSilence
	case idle == 0:
		idle = -1
	}
	r := rest.Request{Query: o.Query(), IdleTimeout: idle}
	if s.patience == 0 {
		r.HeadTimeout = idle
	}
	return ended(ctx, s.copyBody(ctx, &targets[0], r))
}

// bookmarkSilence is how long a watch with bookmarks may be silent before it is taken for dead: as listwatch has it at the beginning of one.
const bookmarkSilence = 150 * time.Second

// copyBody prints the body of a response from the target as it comes.
func (s *session) copyBody(ctx context.Context, t *target, r rest.Request) error {
	path, err := t.location()
	if err != nil {
		return err
	}
	r.Path, r.Accept = path, "application/json, */*;q=0.1"
	response, err := s.client.Do(ctx, r)
	if err != nil {
		return unanswered(ctx, err)
	}
	defer response.Body.Close()
	isJSON := response.MediaType() == "application/json" || strings.HasSuffix(response.MediaType(), "+json")
	switch {
	case s.out.format == "yaml" && isJSON:
		return s.copyYAML(response.Body)
	case s.out.format == "json" && isJSON:
		if err := copyTo(&oneLineWriter{w: s.process.stdout}, response.Body, false); err != nil {
			return err
		}
		return newline(s.process.stdout)
	}
	return copyTo(s.process.stdout, response.Body, s.process.terminal && s.out.format != "raw")
}

func newline(w io.Writer) error {
	if _, err := io.WriteString(w, "\n"); err != nil {
		return &outputError{err}
	}
	return nil
}

// copyTo copies each read at once, and adds a line feed at the end if that is wanted and missing.
func copyTo(w io.Writer, body io.Reader, endLine bool) error {
	b := make([]byte, 32<<10)
	last := byte('\n')
	for {
		n, err := body.Read(b)
		if n > 0 {
			last = b[n-1]
			if _, err := w.Write(b[:n]); err != nil {
				return &outputError{err}
			}
		}
		if err == nil {
			continue
		}
		if endLine && last != '\n' {
			if err := newline(w); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		return err
	}
}

// oneLineWriter leaves line feeds out: those of JSON are all between tokens.
type oneLineWriter struct {
	w io.Writer
	b []byte
}

func (o *oneLineWriter) Write(p []byte) (int, error) {
	o.b = appendOneLine(o.b[:0], p)
	if _, err := o.w.Write(o.b); err != nil {
		return 0, err
	}
	return len(p), nil
}

// maxYAML bounds what is held to be turned into YAML.
const maxYAML = 64 << 20

func (s *session) copyYAML(body io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(body, maxYAML+1))
	if err != nil {
		return err
	}
	if len(text) > maxYAML {
		return usagef("more than %d bytes; use -o json or -o raw", maxYAML)
	}
	if text, err = yaml.JSONToYAML(bytes.TrimSpace(text)); err != nil {
		return fmt.Errorf("the answer cannot be written as yaml")
	}
	if _, err := s.process.stdout.Write(text); err != nil {
		return &outputError{err}
	}
	return nil
}
