package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/rawwatch/rawwatch/fakeapi"
)

var update = flag.Bool("update", false, "write the golden files anew; read the difference before you commit it")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// golden compares with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (- want, + got; -update accepts it):\n%s", path, diff)
	}
}

// outcome is what a run of the program left behind.
type outcome struct {
	code           int
	stdout, stderr string
}

// setting is what a test changes of a program's surroundings.
type setting struct {
	env      map[string]string
	dial     func(ctx context.Context, network, addr string) (net.Conn, error)
	stdout   io.Writer
	terminal bool
}

// rawwatch runs the program in this process, without any configuration but what the test gives it. It must end within a minute.
func (s setting) rawwatch(t *testing.T, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return s.run(ctx, t, args...)
}

func (s setting) run(ctx context.Context, t *testing.T, args ...string) outcome {
	t.Helper()
	var stdout, stderr syncBuffer
	var out io.Writer = &stdout
	if s.stdout != nil {
		out = io.MultiWriter(&stdout, s.stdout)
	}
	home := t.TempDir()
	env := func(name string) string {
		if name == "HOME" {
			return home
		}
		return s.env[name]
	}
	code := run(ctx, process{
		args: args, stdin: strings.NewReader(""), stdout: out, stderr: &stderr, env: env, terminal: s.terminal, stderrTerminal: s.terminal, dial: s.dial,
	})
	return outcome{code, stdout.String(), stderr.String()}
}

// want fails unless the exit code is this one.
func (o outcome) want(t *testing.T, why string, code int) outcome {
	t.Helper()
	if o.code != code {
		t.Errorf("%s: exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", why, o.code, code, o.stdout, o.stderr)
	}
	return o
}

// syncBuffer may be written to and read at once.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// running is a program under way, in a bubble.
type running struct {
	t              *testing.T
	stdout, stderr *syncBuffer
	end            context.CancelCauseFunc
	done           chan int
}

// start runs the program against an API server in memory. The bubble waits until nothing more happens.
func start(t *testing.T, server *fakeapi.Server, args ...string) *running {
	t.Helper()
	ctx, end := context.WithCancelCause(t.Context())
	r := &running{t: t, stdout: &syncBuffer{}, stderr: &syncBuffer{}, end: end, done: make(chan int, 1)}
	home := t.TempDir()
	p := process{
		args: append(args, "-s", server.URL()), stdin: strings.NewReader(""), stdout: r.stdout, stderr: r.stderr, dial: server.Dial,
		env: func(name string) string { return map[string]string{"HOME": home}[name] },
	}
	go func() { r.done <- run(ctx, p) }()
	settle()
	return r
}

// settle lets everything happen that does not wait for us. A kept connection is looked at for a millisecond before it is used again.
func settle() {
	time.Sleep(10 * time.Millisecond)
	synctest.Wait()
}

// wait returns what the program left behind when it ended by itself.
func (r *running) wait() outcome {
	code := <-r.done
	return outcome{code, r.stdout.String(), r.stderr.String()}
}

// interrupt ends the program as SIGINT does.
func (r *running) interrupt() outcome {
	r.end(signalled{syscall.SIGINT})
	return r.wait()
}

// newServer is an API server in memory.
func newServer(t *testing.T, o fakeapi.Options) *fakeapi.Server {
	server := fakeapi.New(o)
	t.Cleanup(func() { server.Close() })
	return server
}

func pod(namespace, name, labels string) string {
	return `{"metadata":{"namespace":"` + namespace + `","name":"` + name + `","labels":{` + labels + `}}}`
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
