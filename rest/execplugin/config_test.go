package execplugin

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/rest"
)

// kubeconfig writes a file whose user is a plugin and returns its path.
func kubeconfig(t *testing.T, folder, cluster, exec string) string {
	t.Helper()
	path := filepath.Join(folder, "config")
	text := "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n" +
		"clusters:\n- name: k\n  cluster: {server: 'https://s:6443'" + cluster + "}\nusers:\n- name: u\n  user:\n    exec: " + exec + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(path string, o Options) (rest.Config, error) {
	return rest.LoadConfig(rest.LoadOptions{Kubeconfig: path, Exec: New(o), Env: func(string) string { return "" }})
}

func TestEntriesThatCannotBeUsedAreRefused(t *testing.T) {
	const v1 = "apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, "
	for _, test := range []struct{ name, exec, refuse string }{
		{"an empty entry", "{}", "apiVersion is not set"},
		{"not a map", "true", "exec: must be a map"},
		{"a text", "planted", "exec: must be a map"},
		{"no version", "{command: planted}", "apiVersion is not set"},
		{"an old version", "{apiVersion: client.authentication.k8s.io/v1alpha1, command: planted}", "dropped from Kubernetes in 1.24"},
		{"another version", "{apiVersion: v1, command: planted}", `apiVersion is "v1", neither`},
		{"v1 without interactiveMode", "{apiVersion: client.authentication.k8s.io/v1, command: planted}", "interactiveMode is not set"},
		{"an interactiveMode that is none", "{apiVersion: client.authentication.k8s.io/v1, interactiveMode: never, command: planted}", `interactiveMode is "never"`},
		{"Always, and nobody there", "{apiVersion: client.authentication.k8s.io/v1, interactiveMode: Always, command: planted}", "there is no terminal to ask at"},
		{"no command", "{" + v1 + "args: [planted]}", "command is not set"},
		{"a command that is a list", "{" + v1 + "command: [planted]}", "command: must be a string"},
		{"args that are no list", "{" + v1 + "command: c, args: planted}", "args: must be a list"},
		{"an argument that is a number", "{" + v1 + "command: c, args: [planted, 1]}", "args: must be strings"},
		{"an argument with a NUL", "{" + v1 + `command: c, args: ["planted\0"]}`, "a NUL byte"},
		{"a variable without a name", "{" + v1 + "command: c, env: [{value: planted}]}", "a variable of env has no name"},
		{"a variable with an equals sign", "{" + v1 + "command: c, env: [{name: planted=x, value: planted}]}", "an equals sign"},
		{"a variable that is a number", "{" + v1 + "command: c, env: [{name: a, value: 1}]}", "value: must be a string"},
		{"a variable that is no map", "{" + v1 + "command: c, env: [planted]}", "env: must be a map"},
		{"provideClusterInfo that is no flag", "{" + v1 + "command: c, provideClusterInfo: 'planted'}", "provideClusterInfo: must be true or false"},
	} {
		_, err := load(kubeconfig(t, t.TempDir(), "", test.exec), Options{})
		if err == nil || !strings.Contains(err.Error(), `user "u": exec: `) || !strings.Contains(err.Error(), test.refuse) || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestAnEntryIsReadWhole(t *testing.T) {
	got, err := parseEntry(map[any]any{
		"apiVersion": V1Beta1, "command": "aws", "args": []any{"eks", "get-token"}, "installHint": "get it", "provideClusterInfo": true, "unknown": 1,
		"env": []any{map[any]any{"name": "AWS_PROFILE", "value": "dev"}, map[any]any{"name": "EMPTY"}},
	})
	want := Config{
		APIVersion: V1Beta1, Command: "aws", Args: []string{"eks", "get-token"}, InstallHint: "get it", ProvideClusterInfo: true,
		Env: []EnvVar{{"AWS_PROFILE", "dev"}, {"EMPTY", ""}},
	}
	if diff := cmp.Diff(fmt.Sprintf("%#v", plainConfig(want)), fmt.Sprintf("%#v", plainConfig(got))); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if err := got.check(); err != nil || got.InteractiveMode != IfAvailable {
		t.Errorf("v1beta1 asks if it can: %q, %v", got.InteractiveMode, err)
	}
}

// plainConfig is a Config that prints.
type plainConfig Config

// Through a whole kubeconfig: relative commands, the cluster, its authorities and its extension.
func TestWhatAPluginIsToldOfTheCluster(t *testing.T) {
	cert, _ := newPair(t)
	folder := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(folder, "plugin")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "ca.crt"), []byte(cert), 0o600); err != nil {
		t.Fatal(err)
	}
	const extensions = `, extensions: [{name: other, extension: {a: b}}, {name: client.authentication.k8s.io/exec, extension: {audience: "x", 5: [1, 2.5, true, null], deep: {on: "off"}}}]`
	exec := func(provide bool) string {
		return fmt.Sprintf("{apiVersion: %s, interactiveMode: IfAvailable, command: ./plugin, provideClusterInfo: %v, env: [{name: %s, value: info}]}", V1, provide, actVariable)
	}
	base64CA := base64.StdEncoding.EncodeToString([]byte(cert))
	for _, test := range []struct {
		name, cluster string
		provide       bool
		want          string
	}{
		{"nothing unless asked for", ", certificate-authority: ca.crt" + extensions, false, ``},
		{"the server alone", "", true, `{"server":"https://s:6443"}`},
		{"a CA file", ", certificate-authority: ca.crt, tls-server-name: name, proxy-url: 'http://u:p@proxy'", true,
			`{"server":"https://s:6443","tls-server-name":"name","certificate-authority-data":"` + base64CA + `","proxy-url":"http://u:p@proxy"}`},
		{"CA data", ", certificate-authority-data: " + base64CA + ", disable-compression: true", true,
			`{"server":"https://s:6443","certificate-authority-data":"` + base64CA + `","disable-compression":true}`},
		{"no verification", ", insecure-skip-tls-verify: true", true, `{"server":"https://s:6443","insecure-skip-tls-verify":true}`},
		{"an extension", extensions, true, `{"server":"https://s:6443","config":{"5":[1,2.5,true,null],"audience":"x","deep":{"true":"off"}}}`},
	} {
		config, err := load(kubeconfig(t, folder, test.cluster, exec(test.provide)), Options{})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		token, _, err := config.Credentials.Credential(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		text, _ := hex.DecodeString(token)
		want := `{"kind":"ExecCredential","apiVersion":"` + V1 + `","spec":{`
		if test.want != "" {
			want += `"cluster":` + test.want + `,`
		}
		if diff := cmp.Diff(want+`"interactive":false}}`, string(text)); diff != "" {
			t.Errorf("%s:\n%s", test.name, diff)
		}
		if !json.Valid(text) {
			t.Errorf("%s: no JSON: %s", test.name, text)
		}
	}
}

func TestAClusterThatCannotBeToldIsRefused(t *testing.T) {
	exec := "{apiVersion: " + V1 + ", interactiveMode: Never, command: c, provideClusterInfo: true}"
	for name, cluster := range map[string]string{
		"a number that JSON has not": ", extensions: [{name: client.authentication.k8s.io/exec, extension: {a: .inf}}]",
		"a key that JSON has not":    ", extensions: [{name: client.authentication.k8s.io/exec, extension: {[a]: b}}]",
	} {
		if c, err := load(kubeconfig(t, t.TempDir(), cluster, exec), Options{}); err == nil {
			t.Errorf("%s: %v", name, c)
		}
	}
	if _, err := New(Options{}).NewPlugin(Config{APIVersion: V1, InteractiveMode: Never, Command: "c", ProvideClusterInfo: true}, nil); err == nil {
		t.Error("provideClusterInfo without a cluster was accepted")
	}
}

// A token or a password that stands beside an exec is used, and the plugin left alone, as kubectl has it.
func TestAPluginBesideATokenIsNotAsked(t *testing.T) {
	path := kubeconfig(t, t.TempDir(), "", "{}\n    token: mine")
	c, err := load(path, Options{})
	if err != nil || c.Credentials != nil || c.Token == nil {
		t.Errorf("%v, %v", c, err)
	}
}

func TestOnlyAllowedPluginsRun(t *testing.T) {
	folder, bin := t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(folder, "aws"), filepath.Join(bin, "aws"), filepath.Join(bin, "other")} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	for _, test := range []struct {
		command string
		allow   []string
		ok      bool
	}{
		{"aws", nil, true},
		{"aws", []string{}, false},
		{"aws", []string{"aws"}, true},
		{"aws", []string{"other", bin + "/aws"}, true},
		{bin + "/aws", []string{"aws"}, true},
		{"other", []string{"aws"}, false},
		{"./aws", []string{"aws"}, false}, // the kubeconfig's own, which goes by the name of another
		{folder + "/aws", []string{"aws"}, false},
		{"./aws", []string{folder + "/aws"}, true},
		{"gone", []string{"gone"}, true}, // the run says that it is not there
		{"./gone", []string{"./gone"}, false},
		{folder + "/gone", []string{folder + "/gone"}, false},
		{"gone", []string{"aws"}, false},
	} {
		exec := "{apiVersion: " + V1 + ", interactiveMode: Never, command: " + test.command + "}"
		_, err := load(kubeconfig(t, folder, "", exec), Options{Allow: test.allow})
		if (err == nil) != test.ok || err != nil && !strings.Contains(err.Error(), "is not among the plugins that this program allows") {
			t.Errorf("%s among %q: %v", test.command, test.allow, err)
		}
	}
}

// A program in the working folder is not what a bare name means.
func TestABareCommandIsNotLookedForInTheWorkingFolder(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "aws"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	for _, path := range []string{"", ".", ":/nowhere"} {
		t.Setenv("PATH", path)
		p := newPlugin(t, Options{}, Config{APIVersion: V1, InteractiveMode: Never, Command: "aws"})
		if _, _, err := p.Credential(t.Context()); err == nil || !strings.Contains(err.Error(), "cannot be found") {
			t.Errorf("PATH=%q: %v", path, err)
		}
	}
}

// A file that is allowed is only that program as long as nothing else is loaded into it.
func TestAnAllowedPluginLoadsNothingOfTheKubeconfigs(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "Ld_Preload", "AWS_PROFILE"} {
		exec := fmt.Sprintf("{apiVersion: %s, interactiveMode: Never, command: %q, env: [{name: %s, value: ./planted.so}]}", V1, self, name)
		path := kubeconfig(t, t.TempDir(), "", exec)
		if _, err := load(path, Options{}); err != nil {
			t.Errorf("%s without a list: %v", name, err)
		}
		_, err := load(path, Options{Allow: []string{self}})
		switch refused := name != "AWS_PROFILE"; {
		case refused != (err != nil):
			t.Errorf("%s: %v", name, err)
		case refused && (!strings.Contains(err.Error(), `variable "`+name+`" of env is not allowed`) || strings.Contains(err.Error(), "planted")):
			t.Errorf("%s: %v", name, err)
		}
	}
}
