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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
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
