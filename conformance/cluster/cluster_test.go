package cluster

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Everything else in this module stands on these promises of the harness.
func TestClusterStartsRestartsAndLeavesNothing(t *testing.T) {
	ctx := Deadline(t, 8*time.Minute) // the first build takes minutes
	c, err := Start(ctx, Options{Log: t.Output(), Tokens: []Token{{Value: "limited-token", User: "limited"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	admin := c.Client(AdminToken)
	defer admin.Close()

	// The server is the release that go.mod names, and says so.
	response, err := admin.Do(ctx, "GET", "/version", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var version struct{ Major, Minor, GitVersion string }
	if err := json.Unmarshal(response.Body, &version); err != nil {
		t.Fatal(err)
	}
	if version.GitVersion != "v1.37.1" || version.Major != "1" || version.Minor != "37" || c.Version != "v1.37.1" {
		t.Errorf("/version says %+v, the cluster %q, want v1.37.1", version, c.Version)
	}

	// Pods can be made without a service account, and deleted at once.
	pods := NewWriter(admin, "/api/v1", "pods")
	pod := []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	if _, err := pods.Create(ctx, "default", pod); err != nil {
		t.Fatal(err)
	}
	if _, err := pods.Patch(ctx, "default", "a", []byte(`{"metadata":{"labels":{"x":"y"}}}`)); err != nil {
		t.Fatal(err)
	}
	kept := admin.mustCode(t, "GET", "/api/v1/namespaces/default/pods/a", 200)

	// A token without rights is known but refused, an unknown one is not known.
	c.Client("limited-token").mustCode(t, "GET", "/api/v1/pods", 403)
	c.Client("unknown").mustCode(t, "GET", "/api/v1/pods", 401)

	// State survives both kinds of restart.
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		start := time.Now()
		if err := c.RestartAPIServer(ctx, signal); err != nil {
			t.Fatal(err)
		}
		t.Logf("restart by %v took %.1fs", signal, time.Since(start).Seconds())
		if again := admin.mustCode(t, "GET", "/api/v1/namespaces/default/pods/a", 200); again != kept {
			t.Errorf("after %v the pod reads\n%s\nbefore\n%s", signal, again, kept)
		}
	}
	if _, err := pods.Delete(ctx, "default", "a"); err != nil {
		t.Fatal(err)
	}
	admin.mustCode(t, "GET", "/api/v1/namespaces/default/pods/a", 404)
	// etcd's own record holds each write, and that a pod is marked before it
	// is deleted.
	truth, err := c.History(ctx, "pods")
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, change := range truth {
		types = append(types, change.Type+" "+change.Namespace+"/"+change.Name)
	}
	want := []string{"ADDED default/a", "MODIFIED default/a", "MODIFIED default/a", "DELETED default/a"}
	if !slices.Equal(types, want) {
		t.Errorf("etcd recorded %v, want %v", types, want)
	}
	for i, change := range pods.History() {
		at := []int{0, 1, 3}[i]
		if truth[at].Type != change.Type || truth[at].ResourceVersion != change.ResourceVersion {
			t.Errorf("the writer knows %+v, etcd %+v", change, truth[at])
		}
	}

	// Nothing is left: neither processes nor files.
	processes := []*process{c.etcd, c.apiServer}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range processes {
		if !p.ended() || syscall.Kill(p.cmd.Process.Pid, 0) == nil {
			t.Errorf("%s (pid %d) is still there", p.cmd.Path, p.cmd.Process.Pid)
		}
	}
	if _, err := os.Stat(c.Dir()); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", c.Dir(), err)
	}
}

func (c *Client) mustCode(t *testing.T, method, path string, code int) string {
	t.Helper()
	response, err := c.Do(t.Context(), method, path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if response.Code != code {
		t.Errorf("%s %s: %d %s, want %d", method, path, response.Code, response.Body, code)
	}
	return string(response.Body)
}

// A server that cannot start is reported with its own last words, not as a
// time-out, and leaves nothing behind.
func TestClusterReportsAServerThatCannotStart(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	_, err := Start(Deadline(t, 8*time.Minute), Options{Args: []string{"--no-such-flag"}, Log: t.Output()})
	if err == nil {
		t.Fatal("it started")
	}
	if text := err.Error(); !strings.Contains(text, "ended while starting") || !strings.Contains(text, "unknown flag: --no-such-flag") {
		t.Errorf("the error does not show the reason: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
