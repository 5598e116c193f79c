package secrets

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// commands are those that speak to a server. Standard output of the first three holds names and figures only; what the others print there is what they
// were asked for.
var commands = [][]string{
	{"list", "secrets", "-n", "default", "-o", "wide", "--trace"},
	{"watch", "secrets", "-n", "default", "--count", "2", "--for", "2s", "--trace"},
	{"/api/v1/namespaces/default/secrets", "--once", "--timeout-seconds", "1", "--resource-version", "1", "--count", "1", "-o", "name", "--trace"},
	{"secrets", "-n", "default", "-o", "json", "--envelope", "--count", "1", "--for", "2s"},
	{"list", "secrets", "-n", "default", "-o", "yaml", "--limit", "2", "--trace"},
	{"/api/v1/namespaces/default/secrets/s0", "--trace"},
	{"list", "secrets", "-n", "default", "-o", "raw"},
	{"list", "sercets", "-n", "default"},
}

// The command shows no secret either: in its notices, its trace, its errors and its tables, over the same methods.
func TestTheCommandPrintsNoSecret(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "rawwatch")
	if text, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../../cmd/rawwatch").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	keys := newKeyPair(t)
	planted := plantedSecrets(keys)
	credentials := maps.Clone(planted)
	delete(credentials, "object")
	for i, m := range methods(t, newServer(t), keys, t.TempDir()) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			s, dir := newServer(t), t.TempDir()
			var all strings.Builder
			m := methods(t, s, keys, dir)[i]
			_, _, _ = m.load(t, dir) // writes the kubeconfig; what comes of it is the command's to say
			for _, mode := range []string{"ok", "unauthorized", "forbidden", "broken", "redirect", "cut", "no JSON", "no HTTP"} {
				if mode != "ok" && (m.refused || !whole[m.name] && mode != "unauthorized") {
					continue
				}
				s.set(mode)
				for j, args := range commands {
					code, stdout, stderr := m.command(t, binary, dir, args)
					all.WriteString(stdout + stderr)
					found := planted.Find(stderr)
					if j < 3 {
						found = append(found, planted.Find(stdout)...)
					} else {
						found = append(found, credentials.Find(stdout)...)
					}
					if len(found) > 0 {
						t.Errorf("in mode %s, %s shows %s:\n%s%s", mode, strings.Join(args, " "), strings.Join(found, ", "), stdout, stderr)
					}
					if m.refused == (code == 0) && mode == "ok" && j < len(commands)-1 {
						t.Errorf("%s: exit code %d\n%s", strings.Join(args, " "), code, stderr)
					}
				}
				if mode == "ok" && !m.refused && !s.wasTold(m.sent) {
					t.Errorf("the server was not told %s, so this shows nothing", m.sent)
				}
			}
			log, err := os.ReadFile(filepath.Join(dir, "keys"))
			if tls := strings.HasPrefix(fmt.Sprint(m.cluster["server"]), "https:"); !m.refused && tls && len(log) == 0 {
				t.Errorf("%v: %d bytes in the key log, so this shows nothing", err, len(log))
			}
			checkKeyLog(t, string(log), all.String(), planted)
		})
	}
}

func (m method) command(t *testing.T, binary, dir string, args []string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	args = append(append(args, "--kubeconfig", filepath.Join(dir, "config"), "--key-log", filepath.Join(dir, "keys")), m.flags...)
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "PLANTED=" + envSecret, "GOTRACEBACK=system"}, m.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, ended := err.(*exec.ExitError); err != nil && !ended || ctx.Err() != nil {
		t.Fatalf("%v: %v", args, err)
	}
	if strings.Contains(errs.String(), "panic:") {
		t.Errorf("%v: %s", args, errs.String())
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}
