package rest

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// FuzzKubeconfig: no text panics or allocates beyond the bound, no message repeats
// what looks like a secret, and what is accepted says what another reader - the
// JSON detour of sigs.k8s.io/yaml, which kubectl takes - finds in it.
func FuzzKubeconfig(f *testing.F) {
	f.Add([]byte(kube(serverLine, "token: t1")))
	f.Add([]byte(twoContexts))
	f.Add([]byte(kube(serverLine+"certificate-authority: ca\nproxy-url: http://p", "exec: {command: x}\nas-groups: [a]")))
	f.Add([]byte(`{"current-context":"c","contexts":[{"name":"c","context":{"cluster":"k"}}],"clusters":[{"name":"k","cluster":{"server":"https://s"}}]}`))
	f.Add([]byte("a: &a {server: x}\nclusters: [{name: k, cluster: {<<: *a}}]"))
	f.Add([]byte(billionLaughs()))
	f.Add([]byte(utf16LE("current-context: x")))
	f.Add([]byte("? {a: b}\n: c"))
	f.Add([]byte("clusters: [null, {name: 1}, {cluster: {insecure-skip-tls-verify: yes}}]"))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 8<<10 {
			t.Skip("the oracle expands aliases")
		}
		k, err := parseKubeconfig(data, "config", folder)
		if err != nil {
			if len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\n\r\x00\x1b") {
				t.Fatalf("message: %q", err)
			}
			return
		}
		for name, c := range k.clusters {
			if c.caFile != "" && !filepath.IsAbs(c.caFile) {
				t.Fatalf("cluster %q: relative CA file %q", name, c.caFile)
			}
		}
		if bytes.ContainsAny(data, "&*") {
			return // aliases: the detour may be long
		}
		text, err := yaml.YAMLToJSON(data)
		if err != nil {
			return // keys that JSON has no form for, outside of what we read
		}
		var tree any
		if err := json.Unmarshal(text, &tree); err != nil {
			t.Fatal(err)
		}
		compareWithJSON(t, k, tree)
		if _, err := k.choose(&LoadOptions{}); err != nil && strings.ContainsAny(err.Error(), "\n\r\x00\x1b") {
			t.Fatalf("message: %q", err)
		}
	})
}

// compareWithJSON holds what was read against the tree encoding/json made.
func compareWithJSON(t *testing.T, k *kubeconfig, tree any) {
	t.Helper()
	same := func(at, got string, want any) {
		t.Helper()
		if text, _ := want.(string); string([]rune(got)) != text { // JSON has U+FFFD for bytes that are no UTF-8
			t.Fatalf("%s: got %q, want %q", at, got, text)
		}
	}
	field := func(tree any, name string) any {
		m, _ := tree.(map[string]any)
		return m[name]
	}
	entries := func(list, kind string) map[string]any {
		found := map[string]any{}
		items, _ := field(tree, list).([]any)
		for _, item := range items {
			name, _ := field(item, "name").(string)
			found[name] = field(item, kind)
		}
		return found
	}
	same("current-context", k.current, field(tree, "current-context"))
	clusters, users, contexts := entries("clusters", "cluster"), entries("users", "user"), entries("contexts", "context")
	if len(clusters) != len(k.clusters) || len(users) != len(k.users) || len(contexts) != len(k.contexts) {
		t.Fatalf("got %d, %d, %d entries, want %d, %d, %d", len(k.clusters), len(k.users), len(k.contexts), len(clusters), len(users), len(contexts))
	}
	for name, c := range k.clusters {
		want := clusters[string([]rune(name))]
		same("server", c.server, field(want, "server"))
		same("tls-server-name", c.tlsServerName, field(want, "tls-server-name"))
		same("proxy-url", c.proxyURL, field(want, "proxy-url"))
		if insecure, _ := field(want, "insecure-skip-tls-verify").(bool); c.insecureSkipTLSVerify != insecure {
			t.Fatalf("insecure: got %v", c.insecureSkipTLSVerify)
		}
	}
	for name, u := range k.users {
		want := users[string([]rune(name))]
		same("token", u.token, field(want, "token"))
		same("username", u.username, field(want, "username"))
		same("password", u.password, field(want, "password"))
		if exec := field(want, "exec") != nil; exec != (u.exec != nil) {
			t.Fatalf("exec: got %v, want %v", u.exec, exec)
		}
	}
	for name, c := range k.contexts {
		want := contexts[string([]rune(name))]
		same("cluster", c.cluster, field(want, "cluster"))
		same("user", c.user, field(want, "user"))
		same("namespace", c.namespace, field(want, "namespace"))
	}
}
