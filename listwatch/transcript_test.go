package listwatch

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each transcript opens with a paragraph that says what it is about; then lines of the script language of script_test.go, each group followed by ---- and what the machine
// decided. Only commit a change of one if you understand what caused it and want it.
func TestMachineTranscripts(t *testing.T) {
	for _, file := range transcripts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(want), func(string, inputKind) {})
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the machine decides otherwise (-transcript +machine):\n%s", diff)
			}
		})
	}
}

func transcripts(t *testing.T) []string {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	return files
}

// play runs a transcript and returns it with the machine's answers.
func play(t *testing.T, text string, met func(string, inputKind)) string {
	paragraph, rest, ok := strings.Cut(text, "\n\n")
	if !ok || strings.Contains(paragraph, "----") {
		t.Fatal("a transcript opens with a paragraph")
	}
	s := newScript(t, met)
	out := []string{paragraph}
	for block := range strings.SplitSeq(strings.TrimSpace(rest), "\n\n") {
		commands, _, _ := strings.Cut(block, "----\n")
		var answer strings.Builder
		for line := range strings.Lines(commands) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' && line != "----" {
				answer.WriteString(s.do(line))
			}
		}
		commands = strings.TrimSuffix(strings.TrimSpace(commands), "\n----")
		out = append(out, strings.TrimSuffix(commands+"\n----\n"+answer.String(), "\n"))
	}
	return strings.Join(out, "\n\n") + "\n"
}

// What a state cannot meet. The driver sends nothing else; the machine answers with nothing.
var impossible = map[string]map[inputKind]string{
	"idle":       because("no request is made and nothing is waited for", inTimer, inAccepted, inItem, inPageEnd, inAdded, inModified, inDeleted, inBookmark, inBad, inEnded),
	"waiting":    because("no request is made", inAccepted, inItem, inPageEnd, inAdded, inModified, inDeleted, inBookmark, inBad, inEnded),
	"watch-list": because("a watch has no items", inItem, inPageEnd),
	"list":       because("a list has no events", inAdded, inModified, inDeleted, inBookmark),
	"probing":    because("a list has no events", inAdded, inModified, inDeleted, inBookmark),
	"watching":   because("a watch has no items", inItem, inPageEnd),
}

func because(why string, kinds ...inputKind) map[inputKind]string {
	m := make(map[inputKind]string)
	for _, k := range kinds {
		m[k] = why
	}
	return m
}

// Every state meets every input in a transcript, or cannot meet it.
func TestEveryStateAndInputIsCovered(t *testing.T) {
	met := make(map[string]map[inputKind]bool)
	for state := range impossible {
		met[state] = make(map[inputKind]bool)
	}
	for _, file := range transcripts(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		play(t, string(text), func(state string, in inputKind) { met[state][in] = true })
	}
	for _, state := range slices.Sorted(maps.Keys(impossible)) {
		for in := range inputKind(inputKinds) {
			why, cannot := impossible[state][in]
			if in == inTimer && state != "waiting" || in == inStart && state != "idle" {
				why, cannot = "only one state waits, only one can be begun from", true
			}
			switch {
			case met[state][in] && cannot:
				t.Errorf("a transcript has %q in state %q, which cannot be: %s", in, state, why)
			case !met[state][in] && !cannot:
				t.Errorf("no transcript has %q in state %q", in, state)
			}
		}
	}
}

// An input that cannot be must do no harm if it comes all the same.
func TestImpossibleInputsChangeNothing(t *testing.T) {
	ways := map[string][]string{
		"idle": nil, "waiting": {"start", "ended refused"}, "watch-list": {"start"}, "list": {"options watch-list=off", "start"},
		"probing":  {"options start=10", "start"},
		"watching": {"options start=10", "start", "accepted", "page 10"},
	}
	for state, kinds := range impossible {
		for kind, why := range kinds {
			s := newScript(t, func(string, inputKind) {})
			s.do("state")
			s.m = nil
			for _, line := range ways[state] {
				s.do(line)
			}
			before := s.do("state")
			if got := s.m.state.name(); got != state {
				t.Fatalf("the way to %q leads to %q", state, got)
			}
			if actions := s.m.step(s.now, input{kind: kind, version: "99"}); len(actions) > 0 {
				t.Errorf("%q in %q (%s): %v", kind, state, why, describeAction(&actions[0]))
			}
			if after := s.do("state"); after != before {
				t.Errorf("%q in %q changed %s to %s", kind, state, before, after)
			}
		}
	}
}
