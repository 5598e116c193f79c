package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func save(t *testing.T, name string, r report) string {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return saveText(t, name, string(text))
}

func saveText(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Two runs of one machine become one report: rounds of the same row are rounds, and rows are in the order of the table.
func TestRunsAreCombined(t *testing.T) {
	a := save(t, "a.json", report{N: 10, M: 20, Rounds: 1, Machine: "m", Load: "1 to 2", Rows: []result{
		{"raw", []figures{{"sync_s": 1}}},
	}})
	b := save(t, "b.json", report{N: 10, M: 20, Rounds: 2, Machine: "m", Load: "3 to 4", Rows: []result{
		{typedProto, []figures{{"sync_s": 8}, {"sync_s": 10}}},
		{"raw", []figures{{"sync_s": 2}, {"sync_s": 6}}},
	}})
	c := save(t, "c.json", report{M: 5, Rounds: 1, Machine: "m", Load: "5 to 6", Curve: []point{{Name: "raw", Objects: 1_000, Sync: 1}}})
	got, err := readReports(strings.Join([]string{a, b, c}, ","))
	if err != nil {
		t.Fatal(err)
	}
	want := report{
		N: 10, M: 20, Rounds: 2, Runs: 3, Machine: "m", Load: "1 to 2, 3 to 4, 5 to 6",
		Rows:  []result{{typedProto, []figures{{"sync_s": 8}, {"sync_s": 10}}}, {"raw", []figures{{"sync_s": 1}, {"sync_s": 2}, {"sync_s": 6}}}},
		Curve: []point{{Name: "raw", Objects: 1_000, Sync: 1}},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if median := got.Rows[1].median()["sync_s"]; median != 2 {
		t.Errorf("median over the runs: %v, want 2", median)
	}
}

// What cannot be compared is not put together.
func TestRunsThatDifferAreNotCombined(t *testing.T) {
	row := []result{{"raw", []figures{{"sync_s": 1}}}}
	a := save(t, "a.json", report{N: 10, M: 20, Machine: "m", Rows: row})
	for why, b := range map[string]string{
		"other machine": save(t, "b.json", report{N: 10, M: 20, Machine: "other", Rows: row}),
		"other N":       save(t, "b.json", report{N: 11, M: 20, Machine: "m", Rows: row}),
		"TLS":           save(t, "b.json", report{N: 10, M: 20, TLS: true, Machine: "m", Reads: row}),
		"no report":     saveText(t, "b.json", "{}"),
		"no JSON":       saveText(t, "b.json", "round 1"),
		"no rounds":     saveText(t, "b.json", `{"n":10,"m":20,"machine":"m","rows":[{"name":"raw","sync_s":1}]}`),
		"no file":       filepath.Join(t.TempDir(), "none"),
	} {
		if _, err := readReports(a + "," + b); err == nil {
			t.Errorf("%s: combined", why)
		}
	}
}

// Sections are rewritten between their comments; prose, and sections of which nothing was measured, stay. Twice is the same.
func TestDocumentIsRewrittenBetweenItsComments(t *testing.T) {
	document := "# Title\n"
	for _, s := range sections {
		document += "\n## " + s.name + "\n\nprose " + s.name + "\n\n" + s.begin() + "\nold " + s.name + "\n" + sectionEnd + "\n"
	}
	file := saveText(t, "doc.md", document)
	r := report{N: 100_000, M: 200_000, Rounds: 1, Machine: "two cores", Load: "0.5 to 1", Rows: []result{
		{typedProto, []figures{{"sync_s": 8, "events_per_s": 1}, {"sync_s": 10}}}, {"raw", []figures{{"sync_s": 1}}},
	}}
	from := save(t, "run.json", r)
	if err := run(options{from: from, docs: file}, new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	once, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"prose rows", "prose curve", "old reads", "old curve", "| 9.00 ", "two cores; N = 100,000, M = 200,000, plain HTTP, watch-list; medians of 1 to 2 rounds", "at least 4 times better | yes"} {
		if !bytes.Contains(once, []byte(want)) {
			t.Errorf("%q is missing in\n%s", want, once)
		}
	}
	for _, gone := range []string{"old rows", "old bars"} {
		if bytes.Contains(once, []byte(gone)) {
			t.Errorf("%q is still there", gone)
		}
	}
	if err := run(options{from: from, docs: file}, new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	twice, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(once), string(twice)); diff != "" {
		t.Errorf("written again (-once +twice)\n%s", diff)
	}
}

// A document that cannot take the figures is said to be so before anything is measured.
func TestDocumentsWithoutSectionsAreRefused(t *testing.T) {
	whole := ""
	for _, s := range sections {
		whole += s.begin() + "\n" + sectionEnd + "\n"
	}
	if err := checkDocument(saveText(t, "whole.md", whole)); err != nil {
		t.Errorf("a document with all sections: %v", err)
	}
	for why, text := range map[string]string{
		"none":     "# Title\n",
		"no end":   strings.Replace(whole, sectionEnd, "", 1),
		"twice":    whole + sections[0].begin() + sectionEnd,
		"last end": strings.TrimSuffix(whole, sectionEnd+"\n"),
	} {
		if err := (options{docs: saveText(t, "doc.md", text)}).check(); err == nil {
			t.Errorf("%s: taken", why)
		}
	}
}

// The document of this repository has all sections.
func TestBenchmarksCanBeRewritten(t *testing.T) {
	if err := checkDocument("../../docs/benchmarks.md"); err != nil {
		t.Error(err)
	}
}

// -list names all that -only takes, and nothing else is taken.
func TestNamesAreListed(t *testing.T) {
	var text bytes.Buffer
	printNames(&text)
	for _, name := range names() {
		if err := (options{only: name}).check(); err != nil {
			t.Error(err)
		}
		if !strings.Contains(text.String(), "  "+name+" ") {
			t.Errorf("%s is not listed", name)
		}
	}
	if err := (options{only: "raw,rows"}).check(); err == nil {
		t.Error("an unknown name is taken")
	}
}
