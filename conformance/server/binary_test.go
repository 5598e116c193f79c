package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/conformance/cluster"
)

// binary is the rawwatch command, built once for all tests. $RAWWATCH_BINARY
// names another one to be judged.
var binary struct {
	sync.Once
	path   string
	err    error
	remove []func()
}

func rawwatchPath(t *testing.T) string {
	t.Helper()
	binary.Do(func() {
		if binary.path = os.Getenv("RAWWATCH_BINARY"); binary.path != "" {
			return
		}
		dir, err := os.MkdirTemp("", "rawwatch-binary-")
		if err != nil {
			binary.err = err
			return
		}
		binary.remove = append(binary.remove, func() { os.RemoveAll(dir) })
		binary.path, binary.err = cluster.BuildRawwatch(context.Background(), dir)
	})
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return binary.path
}

// event is one line of rawwatch watch -o json.
type event struct {
	Type   string
	Object struct {
		Kind       string
		APIVersion string
		Metadata   struct {
			Namespace, Name, UID, ResourceVersion string
			Annotations                           map[string]string
		}
	}
	line string
}

func (e event) version() string { return e.Object.Metadata.ResourceVersion }

func (e event) String() string {
	m := e.Object.Metadata
	return fmt.Sprintf("%s %s/%s %s", e.Type, m.Namespace, m.Name, m.ResourceVersion)
}

// command is a running rawwatch.
type command struct {
	t       *testing.T
	cmd     *exec.Cmd
	changed chan struct{} // holds a token after each line and at the end
	done    chan struct{}

	mu     sync.Mutex
	events []event
	bad    []string // lines that are no event
	stderr bytes.Buffer
	err    error
}

// runRawwatch starts the command with the kubeconfig; the test's end kills it.
func runRawwatch(t *testing.T, kubeconfig string, args ...string) *command {
	t.Helper()
	c := &command{t: t, changed: make(chan struct{}, 1), done: make(chan struct{})}
	c.cmd = exec.Command(rawwatchPath(t), args...)
	c.cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "HOME="+t.TempDir(), "NO_COLOR=1")
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.cmd.Stderr = lockedWriter{c}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		lines := bufio.NewScanner(stdout)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			c.line(lines.Text())
		}
		err := errors.Join(lines.Err(), c.cmd.Wait())
		c.mu.Lock()
		c.err = err
		c.mu.Unlock()
		close(c.done)
		c.wake()
	}()
	t.Cleanup(func() {
		c.cmd.Process.Kill()
		<-c.done
		if t.Failed() {
			t.Logf("rawwatch %s: %v\nstderr:\n%s", strings.Join(args, " "), c.err, tail(c.stderr.String(), 30))
		}
	})
	return c
}

type lockedWriter struct{ c *command }

func (w lockedWriter) Write(p []byte) (int, error) {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	return w.c.stderr.Write(p)
}

func (c *command) line(text string) {
	e := event{line: text}
	err := json.Unmarshal([]byte(text), &e)
	c.mu.Lock()
	if err != nil || e.Type == "" {
		c.bad = append(c.bad, text)
	} else {
		c.events = append(c.events, e)
	}
	c.mu.Unlock()
	c.wake()
}

func (c *command) wake() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// printed returns the events so far.
func (c *command) printed() []event {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.events[:len(c.events):len(c.events)]
}

// waitFor returns once the condition holds for what was printed.
func (c *command) waitFor(what string, condition func([]event) bool) {
	c.t.Helper()
	deadline := time.NewTimer(60 * time.Second)
	defer deadline.Stop()
	for !condition(c.printed()) {
		select {
		case <-c.changed:
		case <-c.done:
			if !condition(c.printed()) {
				c.t.Fatalf("rawwatch ended (%v) before %s", c.err, what)
			}
		case <-deadline.C:
			all := c.printed()
			c.t.Fatalf("waited too long for %s; %d events, the last are %v", what, len(all), all[max(0, len(all)-5):])
		}
	}
}

// waitForChange waits for the event that a write must have caused.
func (c *command) waitForChange(change cluster.Change) {
	c.t.Helper()
	c.waitFor(fmt.Sprintf("%+v", change), func(all []event) bool {
		for i := len(all) - 1; i >= 0; i-- {
			if all[i].version() == change.ResourceVersion && all[i].Type == change.Type && all[i].Object.Metadata.Name == change.Name {
				return true
			}
		}
		return false
	})
}

// interrupt asks it to end, as Ctrl-C does, and returns the exit code.
func (c *command) interrupt() int {
	c.t.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGINT); err != nil {
		c.t.Fatal(err)
	}
	return c.exitCode()
}

// exitCode waits for the end.
func (c *command) exitCode() int {
	c.t.Helper()
	select {
	case <-c.done:
	case <-time.After(30 * time.Second):
		c.t.Fatal("rawwatch does not end")
	}
	return c.cmd.ProcessState.ExitCode()
}

// kubeconfig writes a file with one context and returns its path.
func kubeconfig(t *testing.T, server, ca, user string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	content := fmt.Sprintf(`{"clusters":[{"name":"c","cluster":{"server":%q,"certificate-authority":%q}}],
"users":[{"name":"u","user":%s}],"contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}],"current-context":"x"}`, server, ca, user)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func adminKubeconfig(t *testing.T, c *cluster.Cluster) string {
	t.Helper()
	ca := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(ca, c.CA(), 0o600); err != nil {
		t.Fatal(err)
	}
	return kubeconfig(t, c.URL(), ca, fmt.Sprintf(`{"token":%q}`, cluster.AdminToken))
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
