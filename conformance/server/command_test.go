package server

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/conformance/cluster"
)

// result is a command that has ended.
type result struct {
	code           int
	stdout, stderr string
}

func rawwatchOnce(t *testing.T, kubeconfig string, args ...string) result {
	t.Helper()
	ctx := cluster.Deadline(t, 60*time.Second)
	cmd := exec.CommandContext(ctx, rawwatchPath(t), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "HOME="+t.TempDir(), "NO_COLOR=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil || ctx.Err() != nil {
		t.Fatalf("rawwatch %q: %v\n%s", args, err, stderr.String())
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// What keeps a real server from answering is told in one line that says what
// to do, and by the exit code.
func TestCommandExplainsWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := sharedCluster(t)
	config := adminKubeconfig(t, c)
	other, _, err := cluster.Certificates()
	if err != nil {
		t.Fatal(err)
	}
	wrongCA := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(wrongCA, other, 0o600); err != nil {
		t.Fatal(err)
	}
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := nobody.Addr().String()
	nobody.Close()
	for name, test := range map[string]struct {
		args  []string
		code  int
		words string
	}{
		"wrong token":           {[]string{"watch", "pods", "--token", "wrong"}, 3, "Unauthorized"},
		"forbidden":             {[]string{"watch", "pods", "-A", "--token", limitedToken}, 4, `User "limited" cannot`},
		"forbidden, listed":     {[]string{"list", "secrets", "-A", "--token", limitedToken}, 4, `cannot list resource "secrets"`},
		"unknown host":          {[]string{"watch", "pods", "-s", "https://no-such-host.invalid:6443"}, 3, "no-such-host.invalid"},
		"nobody listens":        {[]string{"watch", "pods", "-s", "https://" + refused}, 3, "refused"},
		"untrusted certificate": {[]string{"watch", "pods", "--certificate-authority", wrongCA}, 3, "certificate"},
		"another name":          {[]string{"watch", "pods", "--tls-server-name", "other.example.com"}, 3, "other.example.com"},
		"http to an https port": {[]string{"watch", "pods", "-s", "http://" + c.Addr()}, 3, "write https://"},
		"unknown resource":      {[]string{"watch", "podz"}, 2, "pods"},
		"missing object":        {[]string{"/api/v1/namespaces/default/pods/none"}, 4, `"none" not found`},
		"missing path":          {[]string{"/nothing"}, 4, "404"},
		"bad selector":          {[]string{"list", "pods", "-A", "--field-selector", "spec.bogus=1"}, 4, "field label not supported"},
		"version ahead":         {[]string{"list", "pods", "-A", "--resource-version", "999999999"}, 4, "Too large resource version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := rawwatchOnce(t, config, test.args...)
			if got.code != test.code || !strings.Contains(got.stderr, test.words) {
				t.Errorf("exit code %d, want %d, and %q in:\n%s", got.code, test.code, test.words, got.stderr)
			}
			if lines := strings.Count(strings.TrimSpace(got.stderr), "\n") + 1; lines > 2 {
				t.Errorf("%d lines of explanation:\n%s", lines, got.stderr)
			}
			if got.stdout != "" && !strings.Contains(got.stdout, "TYPE") {
				t.Errorf("on standard output: %q", got.stdout)
			}
			t.Log(strings.TrimSpace(got.stderr))
		})
	}
}

// Names as people type them, several at once, paths, and each page are listed
// as the server has them.
func TestCommandListsWhatTheServerHas(t *testing.T) {
	t.Parallel()
	c := sharedCluster(t)
	w := witness(t, c)
	config := adminKubeconfig(t, c)
	for _, test := range []struct{ path, argument string }{
		{"/apis/rbac.authorization.k8s.io/v1/roles", "Role"},
		{"/apis/rbac.authorization.k8s.io/v1/clusterroles", "ClusterRole"},
		{"/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", "flowschemas.flowcontrol.apiserver.k8s.io"},
		{"/apis/scheduling.k8s.io/v1/priorityclasses", "pc"},
		{"/api/v1/services", "svc"},
	} {
		var list struct {
			Items []struct{ Metadata struct{ Name string } }
		}
		if err := json.Unmarshal(must(t, w, "GET", test.path, ""), &list); err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, i := range list.Items {
			want = append(want, i.Metadata.Name)
		}
		for _, args := range [][]string{{test.argument, "-A"}, {test.path}, {test.argument, "-A", "--chunk-size", "3"}} {
			got := rawwatchOnce(t, config, append([]string{"list", "-o", "name"}, args...)...)
			var names []string
			for line := range strings.Lines(got.stdout) {
				_, name, _ := strings.Cut(strings.TrimSpace(line), "/")
				names = append(names, name)
			}
			if d := cmp.Diff(want, names); d != "" || got.code != 0 {
				t.Errorf("list %v: exit code %d (- server, + rawwatch)\n%s%s", args, got.code, d, got.stderr)
			}
		}
	}
	both := rawwatchOnce(t, config, "list", "ns,pc", "-o", "name")
	if !strings.Contains(both.stdout, "default") || !strings.Contains(both.stdout, "system-node-critical") || both.code != 0 {
		t.Errorf("two resources at once: %+v", both)
	}
	version := rawwatchOnce(t, config, "/version")
	if want := string(must(t, w, "GET", "/version", "")); strings.TrimSpace(version.stdout) != want || version.code != 0 {
		t.Errorf("/version: %+v, want %s", version, want)
	}
}

// A watch ends when it was told to, with 0, having printed what there was.
func TestCommandEndsAsAsked(t *testing.T) {
	t.Parallel()
	c := sharedCluster(t)
	config := adminKubeconfig(t, c)
	counted := rawwatchOnce(t, config, "watch", "clusterroles", "-o", "json", "--count", "7")
	if lines := strings.Count(counted.stdout, "\n"); lines != 7 || counted.code != 0 {
		t.Errorf("--count 7: %d lines, exit code %d\n%s", lines, counted.code, counted.stderr)
	}
	timed := rawwatchOnce(t, config, "watch", "ns", "-o", "name", "--for", "2s")
	if names := strings.Fields(timed.stdout); !slices.Contains(names, "namespaces/kube-system") || timed.code != 0 {
		t.Errorf("--for 2s: %v, exit code %d\n%s", names, timed.code, timed.stderr)
	}
	raw := rawwatchOnce(t, config, "watch", "ns", "-o", "raw", "--for", "2s")
	if events := strings.Count(raw.stdout, `{"type":"ADDED","object":{`); events < 4 || raw.code != 0 {
		t.Errorf("-o raw: %d events, exit code %d\n%s", events, raw.code, raw.stderr)
	}
	traced := rawwatchOnce(t, config, "watch", "ns", "-o", "name", "--trace", "--for", "2s")
	for _, part := range []string{"> GET /api/v1/namespaces?", "< HTTP/1.1 200", "Transfer-Encoding: chunked"} {
		if !strings.Contains(traced.stderr, part) {
			t.Errorf("--trace shows no %q:\n%.2000s", part, traced.stderr)
		}
	}
	if strings.Contains(traced.stderr, cluster.AdminToken) {
		t.Error("--trace shows the token")
	}
}
