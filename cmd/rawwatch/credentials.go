package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/rest/execplugin"
)

// credentialFlags say how credentials are had, and whom to act as. --as and its companions are kubectl's.
type credentialFlags struct {
	as        rest.Impersonation
	extra     []string
	plugins   string
	untrusted bool
	keyLog    string
}

func (f *credentialFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.as.User, "as", "", "act as this `user`; a service account is system:serviceaccount:NAMESPACE:NAME")
	fs.StringArrayVar(&f.as.Groups, "as-group", nil, "act as a member of this `group`; may be repeated")
	fs.StringVar(&f.as.UID, "as-uid", "", "act as this `uid`")
	fs.StringArrayVar(&f.extra, "as-user-extra", nil, "act with this `key=value` of extra information; may be repeated")
	fs.StringVar(&f.plugins, "exec-plugins", "all", "`which` programs a kubeconfig may run for credentials: all, none, or their names, with commas")
	fs.BoolVar(&f.untrusted, "untrusted-kubeconfig", false, "the kubeconfig is somebody else's: run no program, use no proxy of it, read no file outside its folder, verify the server")
	fs.StringVar(&f.keyLog, "key-log", "", "append the secrets of TLS sessions to this `file`, for packet analysers; whoever has it can read everything")
}

// load lays the flags into the options.
func (f *credentialFlags) load(o *rest.LoadOptions, p process, say io.Writer) error {
	o.SOCKS5 = rest.SOCKS5
	if f.untrusted {
		o.Untrusted = rest.Untrusted
	}
	o.Impersonate = f.as
	for _, pair := range f.extra {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return usagef("--as-user-extra is KEY=VALUE") // the value is nobody's business
		}
		if o.Impersonate.Extra == nil {
			o.Impersonate.Extra = make(map[string][]string)
		}
		o.Impersonate.Extra[key] = append(o.Impersonate.Extra[key], value)
	}
	options := execplugin.Options{Terminal: p.terminalInput, Stderr: say}
	switch f.plugins {
	case "all":
	case "none":
		options.Allow = []string{}
	default:
		options.Allow = strings.Split(f.plugins, ",")
	}
	o.Exec = execplugin.New(options)
	return nil
}

// openKeyLog opens the file of --key-log, for its owner alone; nil without the flag.
func (f *credentialFlags) openKeyLog() (*os.File, error) {
	if f.keyLog == "" {
		return nil, nil
	}
	file, err := os.OpenFile(f.keyLog, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("--key-log: %w", err)
	}
	return file, nil
}

// pluginNotices shows what a plugin says while it runs, line by line: it may be where to log in.
type pluginNotices struct{ notices *notices }

// Write implements io.Writer; the lines have been escaped.
func (p pluginNotices) Write(b []byte) (int, error) {
	p.notices.say("plugin: %s", strings.TrimRight(string(b), "\n"))
	return len(b), nil
}
