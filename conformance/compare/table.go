package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// column is one figure in the table.
type column struct{ figure, title, format string }

var (
	syncColumns = []column{
		{"sync_s", "sync s", "%.2f"},
		{"sync_cpu_s", "sync CPU s", "%.2f"},
		{"peak_rss_mb", "peak RSS MB", "%.0f"},
		{"rss_mb", "RSS MB", "%.0f"},
		{"heap_mb", "heap MB", "%.1f"},
		{"heap_objects", "heap objects", "%.0f"},
		{"gc_ms", "full GC ms", "%.1f"},
	}
	eventColumns = []column{
		{"events_per_s", "events/s", "%.0f"},
		{"cpu_s_per_100k_events", "CPU s/100k events", "%.2f"},
		{"system_s_per_100k_events", "of it in the kernel", "%.2f"},
		{"bytes_per_event", "B/event", "%.0f"},
		{"allocations_per_event", "allocs/event", "%.1f"},
		{"latency_p50_ms", "p50 ms", "%.3f"},
		{"latency_p99_ms", "p99 ms", "%.3f"},
		{"relist_cpu_s", "relist CPU s", "%.2f"},
		{"relist_calls", "relist calls", "%.0f"},
	}
	againColumns = []column{
		{"page_faults_per_event", "page faults/event, first", "%.2f"},
		{"events_per_s", "events/s, first", "%.0f"},
		{"again_events_per_s", "events/s, second", "%.0f"},
		{"again_cpu_s_per_100k_events", "CPU s/100k events, second", "%.2f"},
		{"again_system_s_per_100k_events", "of it in the kernel", "%.2f"},
	}
	afterColumns = []column{
		{"burst_rss_mb", "peak RSS MB", "%.0f"},
		{"rss_after_mb", "RSS MB", "%.0f"},
		{"heap_after_mb", "heap MB", "%.1f"},
	}
	memoryColumns = []column{
		{"idle_mb", "RSS left alone MB", "%.0f"},
		{"idle_after_mb", "RSS left alone MB, after the burst", "%.0f"},
		{"given_back_mb", "RSS given back MB", "%.0f"},
		{"given_back_after_mb", "RSS given back MB, after the burst", "%.0f"},
	}
	fiftyColumns = []column{
		{"connections", "connections", "%.0f"},
		{"goroutines", "goroutines", "%.0f"},
		{"sync_s", "sync s", "%.2f"},
		{"heap_mb", "heap MB", "%.1f"},
		{"peak_rss_mb", "peak RSS MB", "%.0f"},
	}
	readColumns = []column{
		{"get_ns", "Get ns", "%.0f"},
		{"lister_get_ns", "lister Get ns", "%.0f"},
		{"by_index_ns", "ByIndex ns", "%.0f"},
		{"by_index_allocs", "ByIndex allocs", "%.1f"},
		{"namespace_ns", "namespace ns", "%.0f"},
		{"namespace_allocs", "namespace allocs", "%.1f"},
		{"list_all_ns", "all ns", "%.0f"},
		{"snapshot_ns", "snapshot ns", "%.0f"},
	}
	busyColumns = []column{
		{"paced_get_ns", "Get ns, paced", "%.0f"},
		{"paced_lister_get_ns", "lister Get ns, paced", "%.0f"},
		{"paced_events_per_s", "events/s, paced", "%.0f"},
		{"busy_get_ns", "Get ns, burst", "%.0f"},
		{"busy_lister_get_ns", "lister Get ns, burst", "%.0f"},
		{"busy_events_per_s", "events/s, burst", "%.0f"},
	}
	programColumns = []column{
		{"bytes", "bytes", "%.0f"},
		{"packages", "packages", "%.0f"},
		{"cold_build_s", "cold build s", "%.0f"},
	}
)

// print writes all that was measured, as Markdown that is aligned for reading, too.
func (r *report) print(w io.Writer) {
	for _, s := range sections {
		if s.measured(r) {
			s.write(r, w)
		}
	}
}

func (r *report) writeRows(w io.Writer) {
	fmt.Fprint(w, r.conditions(true, r.Rows), "The initial state:\n\n")
	printTable(w, syncColumns, r.Rows)
	if _, burst := r.Rows[0].median()["events_per_s"]; !burst {
		return
	}
	fmt.Fprint(w, "The burst of events, the latency, and a relist of unchanged objects:\n\n")
	printTable(w, eventColumns, r.Rows)
	fmt.Fprint(w, "The first burst, in which the heap grows, and the same once more:\n\n")
	printTable(w, againColumns, r.Rows)
	fmt.Fprint(w, "Memory after the first burst:\n\n")
	printTable(w, afterColumns, r.Rows)
}

func (r *report) writeMemory(w io.Writer) {
	fmt.Fprint(w, r.conditions(true, r.Memory))
	printTable(w, memoryColumns, r.Memory)
}

func (r *report) writeReads(w io.Writer) {
	fmt.Fprint(w, r.conditions(true, r.Reads), "With no events:\n\n")
	printTable(w, readColumns, r.Reads)
	fmt.Fprint(w, "Beside a writer:\n\n")
	printTable(w, busyColumns, r.Reads)
}

func (r *report) writeFifty(w io.Writer) {
	fmt.Fprint(w, r.conditions(true, r.Fifty))
	printTable(w, fiftyColumns, r.Fifty)
}

func (r *report) writePrograms(w io.Writer) {
	fmt.Fprint(w, r.conditions(false, r.Programs))
	printTable(w, programColumns, r.Programs)
}

// writeCurve writes a table of each figure against the object count.
func (r *report) writeCurve(w io.Writer) {
	fmt.Fprint(w, r.conditions(false, nil))
	for _, figure := range []struct {
		title, format string
		value         func(point) float64
	}{
		{"sync s", "%.2f", func(p point) float64 { return p.Sync }},
		{"peak RSS MB after sync", "%.0f", func(p point) float64 { return p.RSS }},
		{"CPU s/100k events", "%.2f", func(p point) float64 { return p.EventCost }},
		{"CPU s/100k events of a second burst", "%.2f", func(p point) float64 { return p.AgainCost }},
	} {
		columns := []column{}
		results := []result{}
		for _, name := range curveNames(r.Curve) {
			results = append(results, result{name, []figures{{}}})
		}
		for _, n := range sizes {
			columns = append(columns, column{thousands(n), thousands(n), figure.format})
		}
		for _, p := range r.Curve {
			for _, row := range results {
				if value := figure.value(p); row.name == p.Name && value != 0 {
					row.rounds[0][thousands(p.Objects)] = value
				}
			}
		}
		fmt.Fprintf(w, "%s, by objects:\n\n", figure.title)
		printTable(w, columns, results)
	}
}

func printTable(w io.Writer, columns []column, results []result) {
	t := tabwriter.NewWriter(w, 0, 1, 1, ' ', 0)
	fmt.Fprint(t, "| ")
	for _, c := range columns {
		fmt.Fprintf(t, "\t| %s", c.title)
	}
	fmt.Fprint(t, "\t|\n|---", strings.Repeat("\t|---", len(columns)), "\t|\n")
	for _, result := range results {
		f := result.median()
		fmt.Fprintf(t, "| %s", result.name)
		for _, c := range columns {
			value, there := f[c.figure]
			text := "-"
			if there {
				text = fmt.Sprintf(c.format, value)
			}
			fmt.Fprintf(t, "\t| %s", text)
		}
		fmt.Fprint(t, "\t|\n")
	}
	_ = t.Flush() // who cannot read it sees that
	fmt.Fprintln(w)
}
