package credentials

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rawwatch/rawwatch/conformance/cluster"
)

// The command runs plugins without being told to, and refuses to when it is told so: the same watch, printed.
func TestTheCommandWatchesWithAPlugin(t *testing.T) {
	t.Parallel()
	s := sharedScene(t, "command")
	binary := os.Getenv("RAWWATCH_BINARY")
	if binary == "" {
		var err error
		if binary, err = cluster.BuildRawwatch(s.ctx, t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	s.config(nil, s.plugin("v1")) // writes the kubeconfig
	environment := append(os.Environ(), "KUBECONFIG="+filepath.Join(s.dir, "config"), "HOME="+s.dir)
	refused := exec.CommandContext(s.ctx, binary, "list", "configmaps", "--exec-plugins", "none")
	refused.Env = environment
	text, err := refused.CombinedOutput()
	if err == nil || !strings.Contains(string(text), "is not among the plugins that this program allows") {
		t.Errorf("%v: %s", err, text)
	}

	var stderr bytes.Buffer
	watch := exec.CommandContext(s.ctx, binary, "watch", "configmaps", "-o", "json", "--timeout-seconds", "2")
	watch.Env, watch.Stderr = environment, &stderr
	stdout, err := watch.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1<<16)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	var got []string
	readUntil := func(done func() bool) {
		for !done() {
			line, ok := <-lines
			if !ok {
				t.Fatalf("the command ended:\n%s", stderr.String())
			}
			var e struct {
				Type   string
				Object struct {
					Metadata struct{ Name, ResourceVersion string }
				}
			}
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("%v in %s", err, line)
			}
			if e.Type != "BOOKMARK" {
				got = append(got, fmt.Sprintf("%s %s %s", e.Type, e.Object.Metadata.Name, e.Object.Metadata.ResourceVersion))
			}
		}
	}
	readUntil(func() bool { return len(got) >= 3 })
	before := s.runs()
	s.changeUntil("three more runs of the plugin", func() bool { return s.runs() >= before+3 })
	s.create()
	history := s.writer.History()
	last := history[len(history)-1]
	end := fmt.Sprintf("%s %s %s", last.Type, last.Name, last.ResourceVersion)
	readUntil(func() bool { return slices.Contains(got, end) })
	if err := watch.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for range lines {
	}
	_ = watch.Wait() // 130
	if code := watch.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d\n%s", code, stderr.String())
	}
	s.compare(got)
	if strings.Contains(stderr.String(), "planted") {
		t.Errorf("standard error shows a token:\n%s", stderr.String())
	}
}
