package execplugin

import (
	"fmt"
	"slices"
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
		e.Stderr = stderr.text()
	} else {
		e.InstallHint = escape(p.config.InstallHint[:min(len(p.config.InstallHint), maxHint)], " | ")
	}
	return e
}

const (
	maxHint    = 1 << 10
	minSecret  = 4  // shorter values are in every text
	longEnv    = 8  // from here on a variable's value is hidden whatever its name
	longSecret = 16 // and an argument that is no flag
)

// mask hides what the kubeconfig gave the plugin in confidence, for some programs repeat their command line when they fail, and the last credential.
// Short arguments that nothing marks as secret stay: they are the commands that a failure is about.
func (p *Plugin) mask(text string) string {
	all := p.secrets()
	for _, s := range all {
		if strings.ContainsRune(s, '\n') { // such as a key, which is shown line by line
			for line := range strings.Lines(s) {
				if len(line) > longEnv {
					all = append(all, line)
				}
			}
		}
	}
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // one may be a part of another
	for _, s := range all {
		if len(s) >= minSecret {
			text = strings.ReplaceAll(text, escape(s, " | "), "<masked>")
		}
	}
	return text
}

func (p *Plugin) secrets() (all []string) {
	secretive := false // the argument before was a flag that a secret follows
	for _, arg := range p.config.Args {
		name, value, assigned := strings.Cut(arg, "=")
		isFlag := strings.HasPrefix(arg, "-")
		switch {
		case isFlag && assigned && resemblesSecret(name):
			all = append(all, value)
		case !isFlag && (secretive || len(arg) >= longSecret):
			all = append(all, arg)
		}
		secretive = isFlag && !assigned && resemblesSecret(name)
	}
	for _, v := range p.config.Env {
		if len(v.Value) >= longEnv || resemblesSecret(v.Name) {
			all = append(all, v.Value)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil {
		all = append(all, p.last.token, p.last.pem)
	}
	return all
}

func resemblesSecret(name string) bool {
	name = strings.ToLower(name)
	for _, part := range [...]string{"token", "secret", "pass", "key", "cred", "auth"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
