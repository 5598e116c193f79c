package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// What nothing but another command line can cure is 2, says what is wrong, and asks no server.
func TestCommandLinesThatCannotBeCarriedOut(t *testing.T) {
	for _, c := range []struct {
		says string
		args []string
	}{
		{"name a resource", nil},
		{"name a resource", []string{"list"}},
		{"unknown flag: --nonsense", []string{"pods", "--nonsense"}},
		{"rawwatch list --help", []string{"list", "pods", "--for", "1s"}},
		{"without a user to act as", []string{"pods", "--as-group", "admins"}},
		{"--as-user-extra is KEY=VALUE", []string{"pods", "--as", "jane", "--as-user-extra", "scopes"}},
		{"-o is one of", []string{"pods", "-o", "xml"}},
		{"--envelope needs -o json", []string{"pods", "--envelope"}},
		{"--color is auto, always or never", []string{"pods", "--color", "blue"}},
		{"must not be negative", []string{"pods", "--count", "-1"}},
		{"invalid argument", []string{"pods", "--for", "soon"}},
		{"--request-timeout is a time", []string{"pods", "--request-timeout", "soon"}},
		{"--idle-timeout is a time", []string{"pods", "--idle-timeout", "-1s"}},
		{"needs --once", []string{"pods", "--resource-version-match", "Exact"}},
		{"one name at a time", []string{"pods", "a", "b"}},
		{"a name needs one resource", []string{"pods,svc", "a"}},
		{"an empty name", []string{"pods,,svc"}},
		{"not TYPE/NAME", []string{"pods/a/b"}},
		{"cannot be mixed", []string{"pods/a", "svc"}},
		{"cannot be mixed", []string{"/api/v1/pods", "svc"}},
		{"cannot be mixed", []string{"pods", "/api/v1/pods"}},
		{"cannot be mixed", []string{"/api/v1/pods", "/version"}},
		{"cannot be mixed", []string{"list", "/api/v1/pods", "/version"}},
		{"leave out -n and -A", []string{"/api/v1/pods", "-n", "shop"}},
		{"is not a number", []string{"/api/v1/pods?limit=many"}},
		{"neither true nor false", []string{"/api/v1/pods?sendInitialEvents=maybe"}},
		{"cannot be read", []string{"/api/v1/pods?%zz"}},
		{"one body", []string{"/api/v1/pods", "/api/v1/services", "-o", "raw"}},
		{"unknown command", []string{"version", "please"}},
		{"-o is json", []string{"version", "-o", "yaml"}},
	} {
		if len(c.args) > 0 && c.args[0] != "version" {
			c.args = append(c.args, "-s", "http://nobody.invalid")
		}
		got := setting{}.rawwatch(t, c.args...).want(t, strings.Join(c.args, " "), exitUsage)
		if !strings.HasPrefix(got.stderr, "rawwatch: ") || !strings.Contains(got.stderr, c.says) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%v: %q does not say %q in one line", c.args, got.stderr, c.says)
		}
	}
}

func TestConfigurationsThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	content := `{"clusters":[{"name":"c","cluster":{"server":"https://k8s.invalid"}}],"users":[{"name":"u","user":{"exec":{"command":"s3cret"}}}],
"contexts":[{"name":"dev","context":{"cluster":"c","user":"u"}}],"current-context":"dev"}`
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		says string
		args []string
	}{
		{"no API server is configured", []string{"pods"}},
		{"(--kubeconfig FILE, --server ADDRESS)", []string{"list", "pods"}},
		{"no such file", []string{"pods", "--kubeconfig", "/nowhere"}},
		{"apiVersion is not set", []string{"pods", "--kubeconfig", file}},
		{`"prod"`, []string{"pods", "--kubeconfig", file, "--context", "prod"}},
		{"plain http", []string{"pods", "-s", "http://k8s.invalid", "--token", "s3cret"}},
		{"certificate-authority", []string{"pods", "-s", "https://k8s.invalid", "--certificate-authority", "/nowhere"}},
	} {
		got := setting{}.rawwatch(t, c.args...).want(t, strings.Join(c.args, " "), exitUsage)
		if !strings.Contains(got.stderr, c.says) || strings.Contains(got.stderr, "s3cret") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%v: %q does not say %q in one line", c.args, got.stderr, c.says)
		}
	}
}

func TestUnknownResources(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, fakeapi.Options{})
		for name, says := range map[string]string{
			"pdos":       `the server has no resource "pdos"; did you mean pods`,
			"deploymnts": "did you mean deployments.apps",
			"qqqqqqqqqq": "kubectl api-resources shows",
		} {
			got := start(t, server, name).wait().want(t, name, exitUsage)
			if !strings.Contains(got.stderr, says) || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("%s: %s", name, got.stderr)
			}
		}
	})
}

// Users with very few rights cannot ask which resources there are.
func TestWithoutDiscoveryBuiltInNamesDo(t *testing.T) {
	url := answering(t, page(403, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"no"}`))
	got := setting{}.rawwatch(t, "list", "po", "-s", url).want(t, "everything is forbidden", exitStatus)
	if !strings.Contains(got.stderr, "going on with the names of built-in resources") {
		t.Error(got.stderr)
	}
}

// brokenPipe is a standard output that nobody reads.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
}

func TestABrokenPipeIsQuiet(t *testing.T) {
	server, url := startServer(t, fakeapi.Options{})
	must[fakeapi.Object](t)(server.Create("pods", pod("shop", "a", "")))
	for _, args := range [][]string{{"pods", "-A"}, {"list", "pods", "-A"}, {"/version"}, {"pods", "-A", "-o", "raw"}, {"list", "pods", "-A", "--limit", "1"}} {
		got := setting{stdout: brokenPipe{}}.rawwatch(t, append(args, "-q", "-s", url)...).want(t, strings.Join(args, " "), exitPipe)
		if got.stderr != "" {
			t.Errorf("%v: %q", args, got.stderr)
		}
	}
}

// fullDisk is a standard output that cannot take more.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestAFullDiskIsNot(t *testing.T) {
	server, url := startServer(t, fakeapi.Options{})
	must[fakeapi.Object](t)(server.Create("pods", pod("shop", "a", "")))
	got := setting{stdout: fullDisk{}}.rawwatch(t, "list", "pods", "-A", "-q", "-s", url)
	if got.code == 0 || !strings.Contains(got.stderr, "standard output: ") {
		t.Errorf("%d, %q", got.code, got.stderr)
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"watch", "--help"}, {"list", "-h"}, {"help", "demo"}} {
		got := setting{}.rawwatch(t, args...).want(t, strings.Join(args, " "), 0)
		if !strings.Contains(got.stdout, "Usage:") || got.stderr != "" {
			t.Errorf("%v: %q, %q", args, got.stdout, got.stderr)
		}
	}
	if help := (setting{}).rawwatch(t, "watch", "--help").stdout; !strings.Contains(help, "Exit codes:") || !strings.Contains(help, "rather use --token-file") {
		t.Errorf("help says neither what exit codes mean nor what --token costs:\n%s", help)
	}
	if got := (setting{}).rawwatch(t, "version").stdout; !strings.HasPrefix(got, "rawwatch ") {
		t.Errorf("version: %q", got)
	}
	var v versionInfo
	if err := json.Unmarshal([]byte(setting{}.rawwatch(t, "version", "-o", "json").stdout), &v); err != nil || v.Version == "" || v.Go == "" {
		t.Errorf("version -o json: %v, %+v", err, v)
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := (setting{}).rawwatch(t, "completion", shell).want(t, shell, 0); !strings.Contains(got.stdout, "rawwatch") {
			t.Errorf("%s: %q", shell, got.stdout)
		}
	}
	for typed, want := range map[string]string{"po": "pods\n", "pods,deploy": "pods,deployments\n"} {
		if got := (setting{}).rawwatch(t, "__complete", typed).stdout; !strings.Contains(got, want) {
			t.Errorf("%q completes to %q", typed, got)
		}
	}
	if got := (setting{}).rawwatch(t, "__complete", "pods", "-o", "").stdout; !strings.Contains(got, "yaml\n") {
		t.Errorf("-o completes to %q", got)
	}
}

func TestSignalsAreExitCodes(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(signalled{syscall.SIGINT})
	setting{}.run(ctx, t, "pods", "-s", "http://127.0.0.1:1").want(t, "before anything began", 130)
}

func TestDemo(t *testing.T) {
	got := setting{}.rawwatch(t, "demo", "--count", "12", "--rate", "100", "-o", "json").want(t, "twelve events", 0)
	if lines := shown(t, got.stdout); len(lines) != 12 || !strings.HasPrefix(lines[0], "ADDED billing/") {
		t.Errorf("%q", lines)
	}
	if !strings.Contains(got.stderr, "serves at http://127.0.0.1:") || !strings.Contains(got.stderr, "attach from another terminal: rawwatch -s http://127.0.0.1:") {
		t.Errorf("says not how to attach: %s", got.stderr)
	}
	setting{}.rawwatch(t, "demo", "--serve", "--for", "10ms").want(t, "only serving", 0)
	setting{}.rawwatch(t, "demo", "nonsense").want(t, "an unknown resource", exitUsage)
	if got := (setting{}).rawwatch(t, "demo", "/version").want(t, "a path", 0); !strings.Contains(got.stdout, "gitVersion") {
		t.Errorf("%q", got.stdout)
	}
}
