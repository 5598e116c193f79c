package sim

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var mutants = flag.Bool("mutants", false, "plant each of a number of mistakes into the client, and want the simulator to find it")

// mutant is a mistake: in file, old becomes new. They are mistakes that somebody made in this client or in another one.
type mutant struct{ name, file, old, new string }

var planted = []mutant{
	{"a relist keeps what is gone", "store/replace.go", "n.source == r.writer.source && n.mark != r.mark {\n\t\t\tchanges", "false {\n\t\t\tchanges"},
	{"a relist keeps a changed object", "informer/intake.go", "had.UID != string(e.Identity.UID) || had.ResourceVersion != string(e.Identity.ResourceVersion) ||", "had.UID != string(e.Identity.UID) ||"},
	{"a relist takes an object of another epoch for a known one", "informer/intake.go", "keep := epoch == s.epoch &&", "keep :="},
	{"another UID is an update", "informer/changes.go", "c.UID != c.OldUID {", "false {"},
	{"events go out before the store has them", "informer/apply.go", "\ti.publishing.Lock()\n\terr := s.writer.Apply(s.changes, s.pending)", "\ti.publishing.Lock()\n\tdefer s.writer.Apply(s.changes, s.pending)\n\tvar err error"},
	{"the applied version runs ahead", "informer/apply.go", "err := s.writer.Apply(s.changes, s.pending)", "err := s.writer.Apply(s.changes[:len(s.changes)-1], s.pending)"},
	{"an index keeps an object twice", "store/writer.go", "\tif c.Delete {\n\t\treturn dst, nil\n\t}\n\tvar failed", "\tif c.Delete || c.ResourceVersion > \"15\" {\n\t\treturn dst, nil\n\t}\n\tvar failed"},
	{"merging joins two lives of a key", "fifo/pending.go", "return a != \"\" && b != \"\" && a != b", "return false"},
	{"a slow handler loses the first old state", "fifo/pending.go", "e.Kind, e.Old = ObjectUpdated, earlier.Old", "e.Kind = ObjectUpdated"},
	{"a version that goes back is not seen", "listwatch/machine.go", "if follows(m.received, version) {", "if true {"},
	{"a resume starts too early", "listwatch/machine_watch.go", "if follows(m.received, in.version) {\n\t\tm.received = in.version\n\t}", "if m.received == \"\" {\n\t\tm.received = in.version\n\t}"},
	{"a bookmark runs ahead of the events", "listwatch/machine_watch.go", "\tm.received = in.version\n\tlimit :=", "\tm.received = in.version + \"0\"\n\tlimit :="},
	{"a silent watch is waited for for ever", "listwatch/heartbeat.go", "case h.longest == 0:\n\t\treturn firstSilence", "case h.longest == 0:\n\t\treturn -1"},
	{"an expired version is tried for ever", "listwatch/machine_watch.go", "case ReasonExpired, ReasonTooLarge, ReasonNotFound, ReasonStoreReadError, ReasonUnsupported:", "case ReasonTooLarge:"},
	{"a list is its first page", "listwatch/pages.go", "if token == \"\" {", "if token != \"\" || token == \"\" {"},
	{"a watch-list ends with its first bookmark or object", "listwatch/machine_watchlist.go", "\t\ts.objects++\n\t\tm.item(now, s.objects)", "\t\tif s.objects++; s.objects != 2 {\n\t\t\tm.item(now, s.objects)\n\t\t}"},
	{"half a list is committed", "informer/intake.go", "case listwatch.ReplaceAbort:\n\t\ts.list = nil", "case listwatch.ReplaceAbort:\n\t\tt, s.list = fifo.Replaced, nil\n\t\treturn s.queue.Push(ctx, s.delta(t, e, &job[T]{source: s, version: e.Version, list: j.list}))\n\tcase listwatch.Kind(99):\n\t\ts.list = nil"},
	{"a snapshot is not closed", "informer/subscription.go", "\t\tnext.snapshot.Close()\n", "\n"},
	{"a subscription is synced before its first state", "informer/subscription.go", "len(s.awaiting) == 0 && len(s.initial) == 0", "len(s.initial) > 0"},
	{"a connection is not closed", "rest/conn.go", "cn.http.Close() // sends close_notify over TLS (RFC 9112 9.8)\n\tcn.raw.Close()\n", "_ = cn.http\n"},
	{"probes are not counted", "listwatch/observe.go", "s.Probes++", "s.Probes += 0"},
}

// A mistake has to be planted where the code still stands.
func TestMutantsHaveTheirPlace(t *testing.T) {
	for _, m := range planted {
		source, err := os.ReadFile(filepath.Join("../..", m.file))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(source, []byte(m.old)); n != 1 {
			t.Errorf("%s: %q is in %s %d times, want once: it has to be planted elsewhere now", m.name, m.old, m.file, n)
		}
	}
}

// The suite is only as good as what it finds. It must find each mistake that is planted, with a small part of the scenarios and of the seeds.
func TestMutantsAreFound(t *testing.T) {
	if !*mutants {
		t.Skip("-mutants is not given")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range planted {
		t.Run(m.name, func(t *testing.T) {
			found, output := m.run(t, root)
			if !found {
				t.Errorf("not found:\n%.2000s", output)
				return
			}
			t.Logf("found: %s", firstViolation(output))
		})
	}
}

// run plays with the mistake in place, and reports whether something was found.
func (m mutant) run(t *testing.T, root string) (found bool, output string) {
	file := filepath.Join(root, m.file)
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "mutant.go")
	if err := os.WriteFile(changed, bytes.Replace(source, []byte(m.old), []byte(m.new), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	described, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, described, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay, "-run", "^(TestScenarios|TestSeeds)$", "-scenarios=1000", "-seeds=150", "-timeout=60s", ".")
	command.Env = append(os.Environ(), "GOMEMLIMIT=2GiB")
	said, err := command.CombinedOutput()
	if bytes.Contains(said, []byte("[build failed]")) {
		t.Fatalf("it does not build:\n%s", said)
	}
	return err != nil, string(said)
}

// firstViolation is the line that tells most.
func firstViolation(output string) string {
	for line := range strings.Lines(output) {
		if strings.Contains(line, ": I") || strings.Contains(line, "panic:") || strings.Contains(line, "deadlock") {
			return strings.TrimSpace(line)
		}
	}
	first, _, _ := strings.Cut(output, "\n")
	return first
}
