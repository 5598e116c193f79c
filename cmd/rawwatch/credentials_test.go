package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// apiServer answers a path with who asked.
func apiServer(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"auth":%q,"as":%q,"groups":%q,"uid":%q,"extra":%q}`, r.Header.Get("Authorization"), r.Header.Get("Impersonate-User"),
			strings.Join(r.Header["Impersonate-Group"], ","), r.Header.Get("Impersonate-Uid"), strings.Join(r.Header["Impersonate-Extra-Scopes"], ","))
	}))
	t.Cleanup(s.Close)
	return s
}

// pluginConfig writes a kubeconfig whose user is a shell script beside it.
func pluginConfig(t *testing.T, server, script string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "login"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "config")
	text := "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\nclusters: [{name: k, cluster: {server: '" + server + "'}}]\n" +
		"users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: IfAvailable, command: ./login, env: [{name: S, value: planted-secret}]}}}]\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const loginScript = `echo "go to https://login.example and type 4711" >&2; printf '\033[2J' >&2
echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"from-the-plugin"}}'`

func TestImpersonationFlags(t *testing.T) {
	s := apiServer(t)
	got := setting{}.rawwatch(t, "/whoami", "-s", s.URL, "--as", "jane", "--as-group", "a", "--as-group", "b,c", "--as-uid", "7",
		"--as-user-extra", "scopes=x", "--as-user-extra", "scopes=y=z").want(t, "as", exitOK)
	if want := `"as":"jane","groups":"a,b,c","uid":"7","extra":"x,y=z"`; !strings.Contains(got.stdout, want) {
		t.Errorf("got %s, want %s", got.stdout, want)
	}
}

// A plugin runs, and what it says is seen while it does, harmless.
func TestAKubeconfigsPluginRuns(t *testing.T) {
	s := apiServer(t)
	config := pluginConfig(t, s.URL, loginScript)
	for _, flags := range [][]string{nil, {"--exec-plugins", "all"}, {"--exec-plugins", "aws," + filepath.Join(filepath.Dir(config), "login")}} {
		got := setting{}.rawwatch(t, append([]string{"/whoami", "--kubeconfig", config}, flags...)...).want(t, "plugin", exitOK)
		if !strings.Contains(got.stdout, `"auth":"Bearer from-the-plugin"`) ||
			!strings.Contains(got.stderr, "rawwatch: plugin: go to https://login.example and type 4711\n") || strings.Contains(got.stderr, "\x1b") {
			t.Errorf("%v: %q %q", flags, got.stdout, got.stderr)
		}
	}
	if got := (setting{}).rawwatch(t, "/whoami", "--kubeconfig", config, "-q"); got.stderr != "" {
		t.Errorf("quiet: %q", got.stderr)
	}
}

func TestPluginsThatMayNotRunDoNot(t *testing.T) {
	s := apiServer(t)
	mark := filepath.Join(t.TempDir(), "mark")
	config := pluginConfig(t, s.URL, "touch "+mark)
	for _, test := range []struct {
		says string
		args []string
	}{
		{"is not among the plugins that this program allows", []string{"--exec-plugins", "none"}},
		{"is not among the plugins that this program allows", []string{"--exec-plugins", "login,aws"}},
		{"exec: is not allowed in a kubeconfig that is not trusted", []string{"--untrusted-kubeconfig"}},
	} {
		got := setting{}.rawwatch(t, append([]string{"/whoami", "--kubeconfig", config}, test.args...)...).want(t, test.says, exitUsage)
		if !strings.Contains(got.stderr, test.says) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%v: %q", test.args, got.stderr)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("it ran")
	}
}

func TestAPluginThatFailsIsExplained(t *testing.T) {
	s := apiServer(t)
	got := setting{}.rawwatch(t, "/whoami", "--kubeconfig", pluginConfig(t, s.URL, `echo "not logged in ($S)" >&2; exit 3`))
	if got.code == exitOK || !strings.Contains(got.stderr, "exit status 3; it said: not logged in (<masked>)") || strings.Contains(got.stderr, "planted") {
		t.Errorf("%d %q", got.code, got.stderr)
	}
}

func TestKeysAreLoggedOnRequestForTheOwnerAlone(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }))
	defer s.Close()
	keys, unasked := filepath.Join(t.TempDir(), "keys"), filepath.Join(t.TempDir(), "unasked")
	with := setting{env: map[string]string{"SSLKEYLOGFILE": unasked}}
	with.rawwatch(t, "/x", "-s", s.URL, "--insecure-skip-tls-verify", "--key-log", keys).want(t, "key log", exitOK)
	data, err := os.ReadFile(keys)
	if err != nil || !strings.Contains(string(data), "CLIENT_TRAFFIC_SECRET_0 ") {
		t.Errorf("%v %q", err, data)
	}
	if info, err := os.Stat(keys); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if _, err := os.Stat(unasked); err == nil {
		t.Error("the environment was obeyed")
	}
	got := setting{}.rawwatch(t, "/x", "-s", s.URL, "--key-log", "/nowhere/keys")
	if got.code == exitOK || !strings.Contains(got.stderr, "--key-log: ") {
		t.Errorf("%d %q", got.code, got.stderr)
	}
}

// The flag's proxy is asked in place of the environment's, and its password is nobody's business.
func TestTheProxyFlag(t *testing.T) {
	got := setting{env: map[string]string{"HTTPS_PROXY": "http://127.0.0.1:1"}}.rawwatch(t, "/x", "-s", "https://k8s.invalid", "--proxy-url", "socks5://user:planted@127.0.0.1:9")
	if got.code == exitOK || !strings.Contains(got.stderr, "127.0.0.1:9") || strings.Contains(got.stderr, "planted") {
		t.Errorf("%d %q", got.code, got.stderr)
	}
}
