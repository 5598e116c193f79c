package control

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	clientfeatures "k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"

	"github.com/rawwatch/rawwatch/fakeapi"
)

const (
	faultsTable = "testdata/faults.md"
	faultsDoc   = "../../docs/reliability.md"
	tableBegin  = "<!-- control table, written by go test ./control -update in conformance/ -->\n"
	tableEnd    = "<!-- end of the control table -->\n"
)

// faultRow is a row of the table of faults, in docs/reliability.md too: what
// this module promises is asserted, what client-go does is recorded.
type faultRow struct {
	fault, promise, test, rawwatch, reference string
}

type faultReport struct {
	mu   sync.Mutex
	rows []faultRow
}

var faults faultReport

// inOrder is the order of the table, which is not that of the tests.
var inOrder = []string{"stall", "cut", "a day", "etcd", "watch-list", "ten minutes", "20 informers"}

// compare runs one scenario for both and records what it returns. With both
// set, client-go runs with its watch-list switched off as well.
func compare(t *testing.T, fault, promise string, o fakeapi.Options, both bool, run func(b *bed) string) {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	row := faultRow{fault: fault, promise: promise, test: name}
	t.Run("rawwatch", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { row.rawwatch = inBed(t, o, true, run) })
	})
	t.Run("client-go", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { row.reference = inBed(t, o, false, run) })
	})
	if both {
		t.Run("client-go without watch-list", func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, false)
			synctest.Test(t, func(t *testing.T) {
				row.reference += "; WatchListClient off: " + inBed(t, o, false, run)
			})
		})
	}
	if !t.Failed() {
		faults.record(t, row)
	}
}

// record keeps a row and holds it to the committed table. client-go's numbers
// hold jitter that no seed decides, so its cell is not compared; of this
// module's cell all but the digits is.
func (r *faultReport) record(t *testing.T, row faultRow) {
	t.Helper()
	t.Logf("%s\n  promised:  %s\n  rawwatch:  %s\n  client-go: %s", row.fault, row.promise, row.rawwatch, row.reference)
	r.mu.Lock()
	r.rows = append(r.rows, row)
	r.mu.Unlock()
	if *update {
		return
	}
	committed, err := os.ReadFile(faultsTable)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(withoutNumbers(string(committed)), withoutNumbers(row.compared())) {
		t.Errorf("%s has no row like %q: run with -update", faultsTable, row.compared())
	}
}

var numbers = regexp.MustCompile(`[0-9][0-9.hmµs]*`)

func withoutNumbers(s string) string { return numbers.ReplaceAllString(s, "#") }

func (f faultRow) compared() string {
	return fmt.Sprintf("| %s | %s | %s |", f.fault, f.promise, f.rawwatch)
}

func (r *faultReport) render() string {
	var b strings.Builder
	b.WriteString("| fault | promised | rawwatch | client-go 0.37.1 | test |\n|---|---|---|---|---|\n")
	for _, prefix := range inOrder {
		for _, row := range r.rows {
			if strings.HasPrefix(row.fault, prefix) {
				fmt.Fprintf(&b, "%s %s | `%s` |\n", row.compared(), row.reference, row.test)
			}
		}
	}
	return b.String()
}

// write puts the table of this run in its file and in the document.
func (r *faultReport) write() error {
	text := r.render()
	if n := strings.Count(text, "\n") - 2; n != len(r.rows) {
		return fmt.Errorf("%d rows of %d have a place in the table", n, len(r.rows))
	}
	if err := os.WriteFile(faultsTable, []byte(text), 0o644); err != nil {
		return err
	}
	doc, err := os.ReadFile(faultsDoc)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(doc), tableBegin)
	_, after, okEnd := strings.Cut(rest, tableEnd)
	if !ok || !okEnd {
		return fmt.Errorf("%s has no place for the table", faultsDoc)
	}
	return os.WriteFile(faultsDoc, []byte(before+tableBegin+text+tableEnd+after), 0o644)
}

// The document shows the table that the tests keep, not one of its own.
func TestTheDocumentShowsTheTable(t *testing.T) {
	if *update {
		t.Skip("it is being written")
	}
	text, err := os.ReadFile(faultsTable)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(faultsDoc)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), tableBegin+string(text)+tableEnd) {
		t.Errorf("%s differs from %s: run with -update", faultsDoc, faultsTable)
	}
}
