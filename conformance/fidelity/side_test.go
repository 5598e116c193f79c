package fidelity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/conformance/cluster"
)

// side is one of the two servers, and what is known of its state.
type side struct {
	name     string
	client   *cluster.Client
	limited  *cluster.Client // a token without any rights
	nobody   *cluster.Client // a token the server does not know
	versions *versions
	vars     map[string]string // {name} in paths and bodies
}

// step is one request of the comparison. {name} in path and body stands for a
// version or continue token that differs between the servers.
type step struct {
	method  string // default GET
	path    string
	accept  string
	content string // Content-Type of body, default application/json
	body    string
	as      string // "limited", "unknown": another token than the admin's
	save    string // remember the answer's resourceVersion and continue token
}

// title identifies a step in the transcript and in the accepted differences.
func (s step) title() string {
	text := s.verb() + " " + s.path
	for _, extra := range []string{s.accept, s.content, s.body, s.as} {
		if extra != "" {
			text += " | " + extra
		}
	}
	return text
}

func (s step) verb() string {
	if s.method == "" {
		return http.MethodGet
	}
	return s.method
}

var isWatch = regexp.MustCompile(`[?&]watch(=(1|true|True|abc)|&)|/watch/`)

// perform sends the step and renders the whole answer.
func (d *side) perform(ctx context.Context, s step) (string, error) {
	client := d.client
	switch s.as {
	case "limited":
		client = d.limited
	case "unknown":
		client = d.nobody
	}
	header := http.Header{}
	if s.accept != "" {
		header.Set("Accept", s.accept)
	}
	if s.body != "" {
		header.Set("Content-Type", "application/json")
	}
	if s.content != "" {
		header.Set("Content-Type", s.content)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	response, err := client.Open(ctx, s.verb(), d.expand(s.path), header, []byte(d.expand(s.body)))
	if err != nil {
		return "", fmt.Errorf("%s: %s: %w", d.name, s.title(), err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if errors.Is(err, context.DeadlineExceeded) {
		return "", fmt.Errorf("%s: %s: no end after 30 s, so far %.200q", d.name, s.title(), body)
	}
	if s.save != "" {
		if err := d.remember(s.save, body); err != nil {
			return "", fmt.Errorf("%s: %s: %d: %w", d.name, s.title(), response.StatusCode, err)
		}
	}
	text := renderHead(response.StatusCode, response.Header, response.ContentLength, isWatch.MatchString(s.path)) + "\n" +
		d.versions.renderBody(response.Header.Get("Content-Type"), body)
	if err != nil {
		text += fmt.Sprintf("body ended by %v\n", err)
	}
	return text, nil
}

func (d *side) remember(name string, body []byte) error {
	values, err := parse(body)
	if err != nil || len(values) != 1 {
		return fmt.Errorf("%d values: %w", len(values), err)
	}
	o, _ := values[0].(object)
	version := o.text("metadata", "resourceVersion")
	if version == "" {
		return fmt.Errorf("no resourceVersion in %.300s", body)
	}
	d.vars[name] = version
	d.vars[name+".uid"] = o.text("metadata", "uid")
	d.vars[name+".continue"] = o.text("metadata", "continue")
	if o.get("items") == nil {
		d.versions.learn(name, version)
	}
	return nil
}

func (d *side) expand(text string) string {
	for name, value := range maps.All(d.vars) {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	return text
}
