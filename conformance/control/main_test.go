// Package control puts this module's informer and client-go's through the same
// faults, side by side, and keeps a table of what became of each.
package control

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

var update = flag.Bool("update", false, "write testdata/outcomes.md, testdata/faults.md and its copy in docs/reliability.md from this run, which must be of all tests")

const table = "testdata/outcomes.md"

func TestMain(m *testing.M) {
	flag.Parse()
	if *update && flag.Lookup("test.run").Value.String() != "" {
		fmt.Fprintln(os.Stderr, "-update writes the whole table: not with -run")
		os.Exit(2)
	}
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	// One of them sleeps on a clock that all bubbles would share.
	utilruntime.ErrorHandlers, utilruntime.PanicHandlers = nil, nil
	code := m.Run()
	if *update && code == 0 {
		err := errors.Join(os.WriteFile(table, []byte(outcomes.render()), 0o644), faults.write())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	if err := goleak.Find(goleak.IgnoreAnyFunction("k8s.io/klog/v2.(*flushDaemon).run.func1")); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// outcome is a row of the table. Its numbers hold jitter: they vary a little
// from run to run.
type outcome struct {
	defect              int // its number in the list of client-go's defects
	fault, test         string
	rawwatch, reference string
}

type report struct {
	mu   sync.Mutex
	rows []outcome
}

var outcomes report

// record keeps a row, and fails the test when the committed table has no row
// of this fault: the table must not fall behind the tests.
func (r *report) record(t *testing.T, o outcome) {
	t.Logf("defect %d, %s\n  rawwatch:  %s\n  client-go: %s", o.defect, o.fault, o.rawwatch, o.reference)
	r.mu.Lock()
	r.rows = append(r.rows, o)
	r.mu.Unlock()
	if *update {
		return
	}
	committed, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(committed), o.prefix()) {
		t.Errorf("%s has no row %q: run with -update", table, o.prefix())
	}
}

func (o outcome) prefix() string {
	return fmt.Sprintf("| %d | %s | `%s` |", o.defect, o.fault, o.test)
}

func (r *report) render() string {
	var b strings.Builder
	b.WriteString(`# Outcomes: the same faults, rawwatch and client-go 0.37.1

Written by ` + "`go test ./control -update`" + ` in conformance/. Each row is a test that asserts what rawwatch does
and records what client-go does, with its default settings, over HTTP/1.1 unless said otherwise, against
the same fake API server; times are those of a fake clock where they are long. Numbers hold jitter.

| # | fault | test | rawwatch | client-go 0.37.1 |
|---|---|---|---|---|
`)
	slices.SortStableFunc(r.rows, func(a, b outcome) int { return cmp.Or(a.defect-b.defect, strings.Compare(a.fault, b.fault)) })
	for _, o := range r.rows {
		fmt.Fprintf(&b, "%s %s | %s |\n", o.prefix(), o.rawwatch, o.reference)
	}
	return b.String()
}
