package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
)

// column is one figure in the table.
type column struct{ figure, title, format string }

var columns = []column{
	{"sync_s", "sync s", "%.2f"},
	{"sync_cpu_s", "sync CPU s", "%.2f"},
	{"peak_rss_mb", "peak RSS MB", "%.0f"},
	{"heap_mb", "heap MB", "%.1f"},
	{"heap_objects", "heap objects", "%.0f"},
	{"gc_ms", "full GC ms", "%.1f"},
	{"events_per_s", "events/s", "%.0f"},
	{"cpu_s_per_100k_events", "CPU s/100k events", "%.2f"},
	{"bytes_per_event", "B/event", "%.0f"},
	{"allocations_per_event", "allocs/event", "%.1f"},
	{"burst_rss_mb", "peak RSS after burst MB", "%.0f"},
	{"heap_after_mb", "heap after burst MB", "%.1f"},
	{"latency_p50_ms", "p50 ms", "%.3f"},
	{"latency_p99_ms", "p99 ms", "%.3f"},
	{"relist_cpu_s", "relist CPU s", "%.2f"},
	{"relist_calls", "relist calls", "%.0f"},
}

// print writes the tables as Markdown that is aligned for reading, too.
func (r *report) print(w io.Writer) {
	fmt.Fprintf(w, "%s; N = %d, M = %d, %d rounds, median; load average %s; TLS %t\n\n", r.Machine, r.N, r.M, r.Rounds, r.Load, r.TLS)
	for _, t := range []struct {
		columns []column
		results []result
	}{{columns, r.Rows}, {fiftyColumns, r.Fifty}, {readColumns, r.Reads}, {programColumns, r.Programs}} {
		if len(t.results) > 0 {
			printTable(w, t.columns, t.results)
		}
	}
	if len(r.Ratios) > 0 {
		r.printRatios(w)
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

func (r *report) printRatios(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 1, 1, ' ', 0)
	fmt.Fprint(t, "| ours\t| against\t| figure\t| ratio\t| bar\t| met\t|\n|---\t|---\t|---\t|---\t|---\t|---\t|\n")
	for _, x := range r.Ratios {
		sign, met := "at most", "no"
		if x.Least {
			sign = "at least"
		}
		if x.Met {
			met = "yes"
		}
		fmt.Fprintf(t, "| %s\t| %s\t| %s\t| %.3g\t| %s %.3g\t| %s\t|\n", x.Ours, x.Theirs, x.Figure, x.Ratio, sign, x.Bar, met)
	}
	_ = t.Flush() // as above
}

// machine names the processor and the number of cores, and no more.
func machine() string {
	model := runtime.GOARCH
	text, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores, %s", model, runtime.NumCPU(), runtime.Version())
}

// loadAverage is that of the last minute.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
