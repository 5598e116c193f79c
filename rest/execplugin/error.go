package execplugin

import (
	"fmt"
	"strings"
)

// Error is a plugin that gave no credential. It holds neither arguments nor environment nor what the plugin printed on standard output.
type Error struct {
	Command string
	// Stderr is the last of what the plugin said on standard error, escaped to printable ASCII; lines are joined by " | ".
	Stderr string
	// InstallHint is the kubeconfig's, escaped, when the command was not found.
	InstallHint string
	Err         error
}

// Error is one line.
func (e *Error) Error() string {
	text := fmt.Sprintf("plugin %q: %v", clip(e.Command), e.Err)
	if e.Stderr != "" {
		text += "; it said: " + e.Stderr
	}
	if e.InstallHint != "" {
		text += "; the kubeconfig says: " + e.InstallHint
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// fail is an error of this plugin. stderr is nil when it did not run.
func (p *Plugin) fail(err error, stderr *tail) error {
	e := &Error{Command: p.config.Command, Err: err}
	if stderr != nil {
		e.Stderr = p.mask(stderr.text())
	} else {
		e.InstallHint = escape(p.config.InstallHint[:min(len(p.config.InstallHint), maxHint)], " | ")
	}
	return e
}

const (
	maxHint   = 1 << 10
	minSecret = 4 // shorter values are in every text
)

// mask hides what the kubeconfig gave the plugin as arguments and environment: some programs repeat their command line when they fail. What is said of
// the last token is hidden too.
func (p *Plugin) mask(text string) string {
	secrets := append([]string(nil), p.config.Args...)
	for _, v := range p.config.Env {
		secrets = append(secrets, v.Value)
	}
	p.mu.Lock()
	if p.last != nil {
		secrets = append(secrets, p.last.token)
	}
	p.mu.Unlock()
	for _, s := range secrets {
		if len(s) >= minSecret && !strings.HasPrefix(s, "-") {
			text = strings.ReplaceAll(text, escape(s, " | "), "<masked>")
		}
	}
	return text
}
