package follow

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/conformance/cluster"
)

// The example is built as its reader would build it, finds the server through
// a kubeconfig, says what is there and what changes, and ends when asked to.
func TestPodwatchShowsThePodsOfARealCluster(t *testing.T) {
	c := sharedCluster(t)
	ctx := cluster.Deadline(t, 2*time.Minute)
	witness := c.Client(cluster.AdminToken)
	defer witness.Close()
	if r, err := witness.Do(ctx, "POST", "/api/v1/namespaces", map[string][]string{"Content-Type": {"application/json"}}, []byte(`{"metadata":{"name":"podwatch"}}`)); err != nil || r.Code != 201 {
		t.Fatal(r, err)
	}
	pods := cluster.NewWriter(witness, "/api/v1", "pods")
	pod := func(name, node string) []byte {
		return fmt.Appendf(nil, `{"metadata":{"name":%q},"spec":{"nodeName":%q,"containers":[{"name":"c","image":"i"}]}}`, name, node)
	}
	write := func(_ cluster.Change, err error) { t.Helper(); must(t, err) }
	write(pods.Create(ctx, "podwatch", pod("first", "left")))

	lines := runPodwatch(t, ctx, c)
	lines.want("Added", "podwatch/first", "Pending", "left", "(1 pods)")
	write(pods.Create(ctx, "podwatch", pod("second", "left")))
	lines.want("Added", "podwatch/second", "left", "(2 pods)")
	write(pods.Patch(ctx, "podwatch", "first", []byte(`{"metadata":{"labels":{"a":"b"}}}`)))
	lines.want("Updated", "podwatch/first", "(2 pods)")
	write(pods.Delete(ctx, "podwatch", "first"))
	lines.want("Deleted", "podwatch/first", "left", "(1 pods)")
	lines.interrupt()
}

type podwatch struct {
	t     *testing.T
	ctx   context.Context
	cmd   *exec.Cmd
	lines chan string
	errs  strings.Builder
}

func runPodwatch(t *testing.T, ctx context.Context, c *cluster.Cluster) *podwatch {
	t.Helper()
	dir := t.TempDir()
	binary := filepath.Join(dir, "podwatch")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "./examples/podwatch")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ca, config := filepath.Join(dir, "ca.crt"), filepath.Join(dir, "config")
	must(t, os.WriteFile(ca, c.CA(), 0o600))
	must(t, os.WriteFile(config, fmt.Appendf(nil, `{"clusters":[{"name":"c","cluster":{"server":%q,"certificate-authority":%q}}],
"users":[{"name":"u","user":{"token":%q}}],"contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}],"current-context":"x"}`, c.URL(), ca, cluster.AdminToken), 0o600))

	p := &podwatch{t: t, ctx: ctx, cmd: exec.Command(binary), lines: make(chan string, 10_000)}
	p.cmd.Env = append(os.Environ(), "KUBECONFIG="+config, "HOME="+dir)
	p.cmd.Stderr = &p.errs
	stdout, err := p.cmd.StdoutPipe()
	must(t, err)
	must(t, p.cmd.Start())
	go func() {
		defer close(p.lines)
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			p.lines <- scanner.Text()
		}
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		for range p.lines {
		}
		p.cmd.Wait()
	})
	return p
}

// want reads on to the line that holds all the parts.
func (p *podwatch) want(parts ...string) {
	p.t.Helper()
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				p.t.Fatalf("podwatch ended before it said %q: %s", parts, p.errs.String())
			}
			found := true
			for _, part := range parts {
				found = found && strings.Contains(line, part)
			}
			if found {
				p.t.Log(line)
				return
			}
		case <-p.ctx.Done():
			p.t.Fatalf("podwatch did not say %q: %v", parts, context.Cause(p.ctx))
		}
	}
}

// interrupt is Ctrl-C: it ends at once. Nothing is left to be done, so the signal may do what it does by default.
func (p *podwatch) interrupt() {
	p.t.Helper()
	began := time.Now()
	must(p.t, p.cmd.Process.Signal(syscall.SIGINT))
	for range p.lines {
	}
	if state, err := p.cmd.Process.Wait(); err != nil {
		p.t.Errorf("podwatch did not end: %v", err)
	} else {
		p.t.Logf("%v after %v: %s", state, time.Since(began).Round(time.Millisecond), p.errs.String())
	}
}
