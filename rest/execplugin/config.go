package execplugin

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/rawwatch/rawwatch/rest"
)

// Versions of the protocol between client and plugin.
const (
	V1      = "client.authentication.k8s.io/v1"
	V1Beta1 = "client.authentication.k8s.io/v1beta1"
)

// InteractiveMode says whether a plugin reads standard input.
type InteractiveMode string

const (
	Never       InteractiveMode = "Never"
	IfAvailable InteractiveMode = "IfAvailable" // the default of v1beta1
	Always      InteractiveMode = "Always"
)

// Config is an exec entry. Printing it shows the command alone: arguments and environment may hold passwords.
type Config struct {
	APIVersion string // V1 or V1Beta1
	Command    string
	Args       []string
	Env        []EnvVar
	// InstallHint is shown when the command is not found.
	InstallHint string
	// ProvideClusterInfo tells the plugin the cluster's address and authorities.
	ProvideClusterInfo bool
	InteractiveMode    InteractiveMode // must be set for V1
}

// EnvVar is a variable of a plugin's environment.
type EnvVar struct{ Name, Value string }

// String names the command.
func (c Config) String() string { return fmt.Sprintf("plugin %q", c.Command) }

// Format implements fmt.Formatter: every verb prints String.
func (c Config) Format(s fmt.State, _ rune) { io.WriteString(s, c.String()) }

// MarshalText implements encoding.TextMarshaler, and JSON with it.
func (c Config) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// LogValue implements slog.LogValuer.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

func errorf(format string, args ...any) error {
	return &rest.ConfigError{Rule: fmt.Sprintf(format, args...)}
}

// check holds an entry to the rules that clientcmd has for it.
func (c *Config) check() error {
	switch c.APIVersion {
	case V1:
	case V1Beta1:
		if c.InteractiveMode == "" {
			c.InteractiveMode = IfAvailable
		}
	case "":
		return errorf("apiVersion is not set")
	case "client.authentication.k8s.io/v1alpha1":
		return errorf("apiVersion v1alpha1 was dropped from Kubernetes in 1.24; update the plugin and its kubeconfig")
	default:
		return errorf("apiVersion is %q, neither %q nor %q", clip(c.APIVersion), V1, V1Beta1)
	}
	switch c.InteractiveMode {
	case Never, IfAvailable, Always:
	case "":
		return errorf("interactiveMode is not set, which %q wants", V1)
	default:
		return errorf("interactiveMode is %q, neither Never, IfAvailable nor Always", clip(string(c.InteractiveMode)))
	}
	if c.Command == "" {
		return errorf("command is not set")
	}
	for _, text := range append([]string{c.Command}, c.Args...) {
		if strings.ContainsRune(text, 0) {
			return errorf("a command or argument with a NUL byte")
		}
	}
	for _, v := range c.Env {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.ContainsRune(v.Value, 0) {
			return errorf("a variable of env has no name, or one with an equals sign or NUL byte")
		}
	}
	return nil
}

// clip bounds what a message repeats of a file.
func clip(s string) string { return s[:min(len(s), 100)] }

// parseEntry reads the exec field of a kubeconfig. As in the rest of the file, keys are matched exactly, unknown ones are ignored, and a text must be
// one: a number is refused rather than guessed at.
func parseEntry(value any) (c Config, err error) {
	p := entry{}
	o := p.object("exec", value)
	c = Config{
		APIVersion: p.text(o, "apiVersion"), Command: p.text(o, "command"), InstallHint: p.text(o, "installHint"),
		InteractiveMode: InteractiveMode(p.text(o, "interactiveMode")), ProvideClusterInfo: p.flag(o, "provideClusterInfo"),
	}
	for _, item := range p.list(o, "args") {
		text, ok := item.(string)
		if !ok {
			p.fail("args", "must be strings (put quotes around them)")
		}
		c.Args = append(c.Args, text)
	}
	for _, item := range p.list(o, "env") {
		v := p.object("env", item)
		c.Env = append(c.Env, EnvVar{p.text(v, "name"), p.text(v, "value")})
	}
	return c, p.err
}

// entry reads decoded YAML and keeps the first error.
type entry struct{ err error }

func (p *entry) fail(field, rule string) {
	if p.err == nil {
		p.err = &rest.ConfigError{Field: field, Rule: rule}
	}
}

func (p *entry) object(field string, value any) map[any]any {
	o, ok := value.(map[any]any)
	if !ok && value != nil {
		p.fail(field, "must be a map")
	}
	return o
}

func (p *entry) text(o map[any]any, field string) string {
	s, ok := o[field].(string)
	if !ok && o[field] != nil {
		p.fail(field, "must be a string (put quotes around it)")
	}
	return s
}

func (p *entry) flag(o map[any]any, field string) bool {
	b, ok := o[field].(bool)
	if !ok && o[field] != nil {
		p.fail(field, "must be true or false")
	}
	return b
}

func (p *entry) list(o map[any]any, field string) []any {
	l, ok := o[field].([]any)
	if !ok && o[field] != nil {
		p.fail(field, "must be a list")
	}
	return l
}
