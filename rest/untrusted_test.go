//go:build unix

package rest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// untrustedFolder holds a kubeconfig's files, and beside it what it must not reach.
func untrustedFolder(t *testing.T, p testPEM) (folder string) {
	t.Helper()
	base := t.TempDir()
	folder = filepath.Join(base, "download")
	if err := os.MkdirAll(filepath.Join(folder, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(base, "private"), "planted")
	writeFile(t, filepath.Join(folder, "token"), "inside\n")
	writeFile(t, filepath.Join(folder, "empty"), "\n")
	writeFile(t, filepath.Join(folder, "ca.crt"), p.cert)
	writeFile(t, filepath.Join(folder, "sub", "key"), p.key)
	for link, to := range map[string]string{
		"up": "../private", "absolute": filepath.Join(base, "private"), "out": "..", "within": "sub/../token", "self": "self", "sub/up": "../../private",
	} {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestAnUntrustedKubeconfigReachesNothingOutside(t *testing.T) {
	p := newTestPEM(t)
	folder := untrustedFolder(t, p)
	for _, test := range []struct{ name, cluster, user, refuse string }{
		{"exec", "", "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: planted}", `user "u": exec: is not allowed`},
		{"exec beside a token", "", "token: x\nexec: {command: planted}", `user "u": exec: is not allowed`},
		{"auth-provider", "", "auth-provider: {name: planted}", "auth-provider: is not allowed"},
		{"a proxy", "proxy-url: http://planted@p", "", `cluster "k": proxy-url: is not allowed`},
		{"no verification", "insecure-skip-tls-verify: true", "", "insecure-skip-tls-verify: is not allowed"},
		{"a token from above", "", "tokenFile: ../private", "outside of the kubeconfig's folder"},
		{"a token by an absolute path", "", "tokenFile: " + filepath.Dir(folder) + "/private", "outside of the kubeconfig's folder"},
		{"a token of the system", "", "tokenFile: /etc/hostname", "outside of the kubeconfig's folder"},
		{"a token through a link", "", "tokenFile: up", "cannot be read"},
		{"a token through an absolute link", "", "tokenFile: absolute", "cannot be read"},
		{"a token through a linked folder", "", "tokenFile: out/private", "cannot be read"},
		{"a token through a link below", "", "tokenFile: sub/up", "cannot be read"},
		{"a link to itself", "", "tokenFile: self", "cannot be read"},
		{"a pipe", "", "tokenFile: pipe", "no ordinary file"},
		{"a folder", "", "tokenFile: sub", "no ordinary file"},
		{"an empty token", "", "tokenFile: empty", "is empty"},
		{"a CA from above", "certificate-authority: ../private", "", "outside of"},
		{"a certificate from above", "", "client-certificate: ../private\nclient-key: sub/key", "outside of"},
		{"a key from above", "", "client-certificate: ca.crt\nclient-key: ../private", "outside of"},
	} {
		file := filepath.Join(folder, "config")
		writeFile(t, file, kube(serverLine+test.cluster, test.user))
		_, err := LoadConfig(LoadOptions{Kubeconfig: file, Untrusted: Untrusted, Exec: noPlugins{t}, SOCKS5: SOCKS5, Env: func(string) string { return "" }})
		if err == nil || !strings.Contains(err.Error(), test.refuse) || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	file := filepath.Join(folder, "config")
	writeFile(t, file, kube("server: unix:///run/docker.sock", ""))
	if _, err := LoadConfig(LoadOptions{Kubeconfig: file, Untrusted: Untrusted, Env: func(string) string { return "" }}); err == nil || !strings.Contains(err.Error(), "a unix socket: is not allowed") {
		t.Error(err)
	}
}

// noPlugins fails a test that gets as far as a plugin.
type noPlugins struct{ t *testing.T }

func (n noPlugins) ExecPlugin(e ExecEntry) (CredentialSource, error) {
	n.t.Errorf("%v was asked for a plugin", e)
	return nil, nil
}

// What is inside is read once: a file that becomes a link afterwards is not looked at again.
func TestAnUntrustedKubeconfigMayUseItsOwnFiles(t *testing.T) {
	p := newTestPEM(t)
	folder := untrustedFolder(t, p)
	file := filepath.Join(folder, "config")
	load := func(user string, o LoadOptions) string {
		t.Helper()
		writeFile(t, file, kube(serverLine+"certificate-authority: ./ca.crt", user))
		o.Kubeconfig, o.Untrusted, o.Env = file, Untrusted, func(string) string { return "" }
		c, err := LoadConfig(o)
		if err != nil {
			t.Fatal(err)
		}
		return summary(t, c, p)
	}
	for user, want := range map[string]string{
		"tokenFile: token":  "https://s:6443 ns=default ca=CERT token=inside",
		"tokenFile: within": "https://s:6443 ns=default ca=CERT token=inside",
		"tokenFile: " + folder + "/token\ntoken: other":   "https://s:6443 ns=default ca=CERT token=inside",
		"client-certificate: ca.crt\nclient-key: sub/key": "https://s:6443 ns=default ca=CERT cert=CERT key=KEY",
		"username: a\npassword: b":                        "https://s:6443 ns=default ca=CERT basic=a:b",
	} {
		if got := load(user, LoadOptions{}); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", user, got, want)
		}
	}
	// What the caller says is the caller's, from wherever it is.
	outside := filepath.Join(filepath.Dir(folder), "private")
	if got, want := load("tokenFile: token", LoadOptions{TokenFile: outside}), "https://s:6443 ns=default ca=CERT token=planted rotating"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
