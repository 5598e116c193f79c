// Package kubeconfigs is a table of kubeconfigs as people have them - valid, merged, odd and hostile - and of what a reader must make of each. It is for
// tests: rest's own, and those of conformance/, which hold every row to client-go's clientcmd.
package kubeconfigs

import (
	_ "embed"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/rest/execplugin"
)

//go:embed cases.yaml
var table []byte

// Case is a row: the files, the environment and the options that are given, and what comes of them.
type Case struct {
	Name string
	// Cluster and User are the two of a kubeconfig of one context, which is written to the file config.
	Cluster, User any
	// Files by their path. A string is the file's text, everything else is written as YAML.
	Files map[string]any
	// Env is the whole environment. Without KUBECONFIG and HOME, the file config, where there is one, is named by KUBECONFIG.
	Env     map[string]string
	Options rest.LoadOptions
	// Bare is a program that allows neither exec plugins nor SOCKS proxies, as the zero LoadOptions; otherwise both are allowed. Untrusted is the option.
	Bare, Untrusted bool
	// Pod mounts a service account and sets the variables of the API server's service.
	Pod bool

	// Want is [Facts.String] of the configuration, Refused a part of the message.
	Want, Refused string

	// Clientcmd is what client-go's clientcmd makes of it where that differs: "accepts", "refuses", its own facts, or "not asked". Why says the reason.
	Clientcmd, Why string
}

// Load returns the rows.
func Load(t testing.TB) []Case {
	t.Helper()
	var cases []Case
	if err := yaml.UnmarshalStrict(table, &cases); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, c := range cases {
		switch {
		case names[c.Name]:
			t.Fatalf("%s: twice in the table", c.Name)
		case (c.Want == "") == (c.Refused == ""):
			t.Fatalf("%s: must have want or refused", c.Name)
		case (c.Clientcmd == "") != (c.Why == ""):
			t.Fatalf("%s: a difference needs its reason", c.Name)
		}
		names[c.Name] = true
	}
	return cases
}

// Material is what the folder of each case holds beside its own files.
type Material struct {
	CA, Cert, Key string // PEM
}

// Placed is a case whose files have been written.
type Placed struct {
	Case
	Dir     string
	Env     map[string]string // whole
	Options rest.LoadOptions
	// Files are the names of what certificates and authorities hold, by their content.
	Files map[string]string
	exec  *recorder
}

// recorder notes what an exec field says; nothing of it is run.
type recorder struct {
	*execplugin.Plugins
	command string
}

// ExecPlugin implements rest.ExecPlugins.
func (r *recorder) ExecPlugin(e rest.ExecEntry) (rest.CredentialSource, error) {
	source, err := r.Plugins.ExecPlugin(e)
	if err == nil {
		fields := e.Fields().(map[any]any)
		r.command = fields["command"].(string)
		args, _ := fields["args"].([]any)
		for _, arg := range args {
			r.command += " " + arg.(string)
		}
	}
	return source, err
}

// Place writes a case's files to a folder of its own.
func (c Case) Place(t testing.TB, m Material) Placed {
	t.Helper()
	dir := t.TempDir()
	p := Placed{Case: c, Dir: dir, Options: c.Options, Env: map[string]string{}, Files: map[string]string{
		m.CA: "ca.crt", m.CA + "\n# sub\n": "sub/ca.crt", m.CA + "\n# inline\n": "inline", m.CA + "\n# pod\n": "pod",
		m.Cert: "client.crt", m.Cert + "\n# inline\n": "inline",
	}}
	if p.exec = new(recorder); !c.Bare {
		p.exec.Plugins = execplugin.New(execplugin.Options{})
		p.Options.Exec, p.Options.SOCKS5 = p.exec, rest.SOCKS5
	}
	if c.Untrusted {
		p.Options.Untrusted = rest.Untrusted
	}
	in64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	inline := in64(m.CA + "\n# inline\n")
	fill := strings.NewReplacer("@DIR@", dir, "@CA64@", inline, "@CA64LINES@", inline[:40]+"\n      "+inline[40:],
		"@CERT64@", in64(m.Cert+"\n# inline\n"), "@KEY64@", in64(m.Key)).Replace
	write := func(name, content string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{
		"ca.crt": m.CA, "sub/ca.crt": m.CA + "\n# sub\n", "client.crt": m.Cert, "client.key": m.Key, "token": "planted-file\n", "sub/token": "planted-sub-file",
	} {
		write(name, content)
	}
	files := c.files()
	for name, content := range files {
		write(name, grow(fill(text(content))))
	}
	for name, value := range c.Env {
		p.Env[name] = fill(value)
	}
	if _, ok := files["config"]; ok && p.Env["KUBECONFIG"] == "" && p.Env["HOME"] == "" && c.Options.Kubeconfig == "" {
		p.Env["KUBECONFIG"] = filepath.Join(dir, "config")
	}
	p.Options.InClusterDir = filepath.Join(dir, "no-pod")
	if c.Pod {
		write("sa/token", "planted-pod\n")
		write("sa/ca.crt", m.CA+"\n# pod\n")
		write("sa/namespace", "pod-namespace\n")
		p.Options.InClusterDir = filepath.Join(dir, "sa")
		p.Env["KUBERNETES_SERVICE_HOST"], p.Env["KUBERNETES_SERVICE_PORT"] = "10.0.0.1", "443"
	}
	p.Options.Env = func(name string) string { return p.Env[name] }
	for _, path := range []*string{
		&p.Options.Kubeconfig, &p.Options.CertificateAuthority, &p.Options.ClientCertificate, &p.Options.ClientKey, &p.Options.TokenFile,
	} {
		*path = fill(*path)
	}
	return p
}

// files adds the kubeconfig of Cluster and User.
func (c Case) files() map[string]any {
	files := map[string]any{}
	for name, content := range c.Files {
		files[name] = content
	}
	if c.Cluster == nil {
		return files
	}
	context := map[string]any{"cluster": "k"}
	config := map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "c", "preferences": map[string]any{},
		"clusters": []any{map[string]any{"name": "k", "cluster": c.Cluster}},
		"contexts": []any{map[string]any{"name": "c", "context": context}},
	}
	if c.User != nil {
		context["user"] = "u"
		config["users"] = []any{map[string]any{"name": "u", "user": c.User}}
	}
	files["config"] = config
	return files
}
