package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"log"
	"os"
	"slices"
	"testing"
)

// built has the programs, once for all tests.
var built string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "compare")
	if err != nil {
		log.Fatal(err)
	}
	built = folder
	code := m.Run()
	_ = os.RemoveAll(folder) // of our own making
	os.Exit(code)
}

func programs(t *testing.T) string {
	t.Helper()
	if err := build(built); err != nil { // quick when they are there
		t.Fatal(err)
	}
	return built
}

// Every row, every step and every figure, at a size that takes seconds: so that the command cannot rot. No figure is judged.
func TestEveryRowIsMeasured(t *testing.T) {
	o := options{n: 500, m: 1000, rounds: 1, json: true, bin: programs(t)}
	r := report{N: o.n, M: o.m, Rounds: o.rounds}
	if err := measure(o, &r); err != nil {
		t.Fatal(err)
	}
	r.compare()
	if len(r.Rows) != len(rows) {
		t.Errorf("%d rows, want %d", len(r.Rows), len(rows))
	}
	for _, row := range r.Rows {
		f := row.median()
		for _, c := range slices.Concat(syncColumns, eventColumns, afterColumns) {
			if _, there := f[c.figure]; !there {
				t.Errorf("%s: %s was not measured", row.name, c.figure)
			}
		}
		if f["out_of_order"] != 0 {
			t.Errorf("%s: %v events came out of order", row.name, f["out_of_order"])
		}
	}
	for _, b := range bars {
		if _, measured := b.judge(r.medians()); !measured && b.section == "rows" {
			t.Errorf("nothing was measured for the bar %+v", b)
		}
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	r.print(io.Discard)
}

// What it promises of a relist is a count, not a time, and can be held to here: nothing is delivered again.
// Over TLS, and with the informers of many namespaces and the reads, in the same breath.
func TestPartsAndTLS(t *testing.T) {
	o := options{n: 500, m: 1000, rounds: 1, json: true, tls: true, only: "five,fifty,reads,memory", bin: programs(t)}
	var r report
	if err := errors.Join(measure(o, &r), measureParts(o, &r)); err != nil {
		t.Fatal(err)
	}
	r.compare()
	if calls := r.Rows[0].median()["relist_calls"]; calls != 0 {
		t.Errorf("a relist of unchanged objects: %v handler calls, want none", calls)
	}
	if len(r.Memory) == 0 || len(r.Fifty) == 0 || len(r.Reads) == 0 {
		t.Errorf("parts were not measured: %d rows of memory, %d of 50 informers, %d of reads", len(r.Memory), len(r.Fifty), len(r.Reads))
	}
	for _, row := range r.Reads {
		f := row.median()
		for _, c := range slices.Concat(readColumns, busyColumns) {
			if _, there := f[c.figure]; !there {
				t.Errorf("reads of %s: %s was not measured", row.name, c.figure)
			}
		}
	}
	r.print(io.Discard)
}

// Over a server without watch-list both sides list, and then watch.
func TestByList(t *testing.T) {
	o := options{n: 500, m: 1000, rounds: 1, byList: true, kinds: 7, only: "typed-proto,raw", bin: programs(t)}
	var r report
	if err := measure(o, &r); err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		if f := row.median(); f["out_of_order"] != 0 || f["events_per_s"] == 0 {
			t.Errorf("%s: %v", row.name, f)
		}
	}
}

// The plot is XML that an independent parser reads.
func TestPlotIsXML(t *testing.T) {
	r := report{Machine: "a <processor>", Curve: []point{{"raw", 1000, 0.02, 20, 1, 1}, {"raw", 300_000, 3, 900, 1, 2}}}
	d := xml.NewDecoder(bytes.NewReader(plot(&r)))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
