package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The directions: a time is better when it is less, a rate when it is more, and memory is a share.
func TestRatiosHaveTheDirectionOfTheirFigure(t *testing.T) {
	r := report{Rows: []result{
		{typedProto, []figures{{"sync_s": 8, "events_per_s": 1000, "heap_mb": 100}}},
		{typedJSON, []figures{{"sync_s": 50, "events_per_s": 100, "relist_cpu_s": 10}}},
		{"raw", []figures{{"sync_s": 2, "events_per_s": 4900, "heap_mb": 60, "heap_after_mb": 73, "relist_cpu_s": 0.5, "relist_calls": 0}}},
	}}
	r.compare()
	type verdict struct {
		figure, theirs string
		ratio          float64
		met            bool
	}
	var got []verdict
	for _, x := range r.Ratios {
		got = append(got, verdict{x.Figure, x.Theirs, x.Ratio, x.Met})
	}
	want := []verdict{
		{"sync_s", typedJSON, 25, true},
		{"sync_s", typedProto, 4, true},
		{"events_per_s", typedJSON, 49, true},
		{"events_per_s", typedProto, 4.9, false},
		{"heap_mb", typedProto, 0.6, true},
		{"heap_after_mb", "raw", 73.0 / 60, false},
		{"relist_calls", "", 0, true},
		{"relist_cpu_s", typedJSON, 20, true},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(verdict{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A read is held to client-go's lister, and to nothing at all where it allocates.
func TestReadsAreJudged(t *testing.T) {
	theirs := figures{"lister_get_ns": 100, "paced_lister_get_ns": 200, "by_index_ns": 1500, "namespace_ns": 40_000}
	ours := figures{
		"get_ns": 120, "lister_get_ns": 121, "paced_get_ns": 200, "by_index_ns": 750, "by_index_allocs": 0.01,
		"namespace_ns": 21_000, "namespace_allocs": 1, "snapshot_ns": 10_001,
	}
	r := report{Reads: []result{{typedProto, []figures{theirs}}, {"five-field struct", []figures{ours}}}}
	r.compare()
	got := map[string]bool{}
	for _, x := range r.Ratios {
		got[x.Figure] = x.Met
	}
	want := map[string]bool{
		"get_ns": true, "lister_get_ns": false, "paced_get_ns": true, "by_index_ns": true, "by_index_allocs": true,
		"namespace_ns": false, "namespace_allocs": false, "snapshot_ns": false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// An event at 300,000 objects is compared with one at 1,000, of the same row; without both there is no verdict.
func TestEventCostIsJudgedAtBothEndsOfTheCurve(t *testing.T) {
	r := report{Curve: []point{
		{"raw", 1_000, 1, 1, 1.0, 9}, {"raw", 100_000, 1, 1, 9, 9}, {"raw", 300_000, 1, 1, 1.5, 9},
		{"lazy", 1_000, 1, 1, 1.0, 9}, {"lazy", 300_000, 1, 1, 1.6, 9},
		{"compact raw", 1_000, 1, 1, 1.0, 9},
	}}
	r.compare()
	got := map[string]bool{}
	for _, x := range r.Ratios {
		if x.Judged {
			got[x.Ours] = x.Met
		}
	}
	if diff := cmp.Diff(map[string]bool{"raw": true, "lazy": false}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Every bar names rows that there are, so that a row that is renamed does not lose its bars in silence.
func TestBarsNameRowsThatThereAre(t *testing.T) {
	known := map[string]bool{"": true}
	for _, r := range rows {
		known[r.name] = true
	}
	for _, b := range bars {
		if !known[b.ours] || !known[b.theirs] {
			t.Errorf("%+v: there is no such row", b)
		}
		if name := title(b.section, b.figure); name == b.figure || name == "" {
			t.Errorf("%+v: the figure has no title", b)
		}
	}
}
