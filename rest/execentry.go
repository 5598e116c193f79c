package rest

import (
	"fmt"
	"io"
	"log/slog"
)

// ExecPlugins turns a kubeconfig's exec field into credentials: [LoadOptions.Exec]. The implementation is in rest/execplugin.
type ExecPlugins interface {
	// ExecPlugin checks the entry and returns what asks its plugin. It runs nothing yet. Errors become part of a [ConfigError] and must not hold a secret.
	ExecPlugin(ExecEntry) (CredentialSource, error)
}

// ExecEntry is a user's exec field as it stands in a kubeconfig, and the cluster it is for, after all overrides. Printing it shows the user's name
// alone: environment and arguments of plugins hold passwords.
type ExecEntry struct{ c *choice }

// User is the user's name in the kubeconfig.
func (e ExecEntry) User() string { return e.c.userName }

// Folder is the kubeconfig's, absolute: a relative command with a separator is found from there.
func (e ExecEntry) Folder() string { return e.c.user.folder }

// Fields is the field's value as goyaml.v2 decodes it: maps are map[any]any.
func (e ExecEntry) Fields() any { return e.c.user.exec }

// Cluster is what a plugin may be told of the cluster (provideClusterInfo).
func (e ExecEntry) Cluster() ExecCluster {
	k := e.c.cluster
	return ExecCluster{
		Server: k.server, TLSServerName: k.tlsServerName, ProxyURL: k.proxyURL, InsecureSkipTLSVerify: k.insecureSkipTLSVerify,
		DisableCompression: k.disableCompression, CAData: k.caData, CAFile: k.caFile, Extensions: k.extensions,
	}
}

// ExecCluster is the cluster of an [ExecEntry].
type ExecCluster struct {
	Server, TLSServerName, ProxyURL           string
	InsecureSkipTLSVerify, DisableCompression bool
	CAData                                    []byte
	CAFile                                    string
	// Extensions is the cluster's field of that name as goyaml.v2 decodes it: a list of {name, extension}.
	Extensions any
}

// String names the user.
func (e ExecEntry) String() string { return "exec of user " + quote(e.User()) }

// Format implements fmt.Formatter: every verb prints String.
func (e ExecEntry) Format(s fmt.State, _ rune) { io.WriteString(s, e.String()) }

// MarshalText implements encoding.TextMarshaler, and JSON with it.
func (e ExecEntry) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// LogValue implements slog.LogValuer.
func (e ExecEntry) LogValue() slog.Value { return slog.StringValue(e.String()) }

const needsExecPlugin = "runs a program, which this program does not allow (to allow it: LoadOptions.Exec = execplugin.New(execplugin.Options{}), " +
	"from github.com/rawwatch/rawwatch/rest/execplugin)"

// setExec hands an exec field to whoever runs plugins.
func (c *choice) setExec(out *Config, at fieldPlace, o *LoadOptions) (err error) {
	u := &c.user
	switch {
	case u.authProvider:
		return at.unsupported("auth-provider", "is not supported; kubectl has an exec plugin in its place for each cloud")
	case u.exec == nil || u.token != "" || u.tokenFile != "" || u.username != "": // as kubectl has it, a plugin is not asked beside those
		return nil
	case o.Exec == nil:
		return at.unsupported("exec", needsExecPlugin)
	}
	if out.Credentials, err = o.Exec.ExecPlugin(ExecEntry{c}); err != nil {
		return at.fail("exec", "", err)
	}
	return nil
}
