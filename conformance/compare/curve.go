package main

import (
	"fmt"
	"os"

	"github.com/rawwatch/rawwatch/conformance/compare/protocol"
)

// sizes are the object counts of the plot.
var sizes = []int{1_000, 3_000, 10_000, 30_000, 100_000, 300_000}

// point is one row at one object count.
type point struct {
	Name      string  `json:"name"`
	Objects   int     `json:"objects"`
	Sync      float64 `json:"sync_s"`
	RSS       float64 `json:"peak_rss_mb"`
	EventCost float64 `json:"cpu_s_per_100k_events,omitempty"`
	AgainCost float64 `json:"again_cpu_s_per_100k_events,omitempty"` // of a second burst, once the heap has grown
}

// measureCurve measures the rows at every size up to -plot-to. The cost of an event has a share of collections in it, which
// come the later the larger the heap is: so there are as many events as make some of them, at every size. In the first
// burst the heap grows to twice its size, once, which the kernel has a part in; a second one is without that.
func measureCurve(o options, r *report) error {
	for _, n := range sizes {
		if n > o.curveTo {
			break
		}
		b, err := newBench(o, n)
		if err != nil {
			return err
		}
		err = b.curve(o, n, r)
		b.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// curve measures all rows at one size.
func (b *bench) curve(o options, n int, r *report) error {
	for _, row := range rows {
		if !o.wants(row.only) || row.slow && n > 100_000 {
			continue
		}
		steps := []func(*protocol.Process, figures) error{b.sync, b.burst, b.again}
		b.m = max(o.m, 2*n)
		if row.json {
			b.m = max(1, o.m/10)
		}
		if row.slow || o.m == 0 {
			steps = steps[:1]
		}
		f, err := b.steps(row, steps...)
		if err != nil {
			return err
		}
		r.Curve = append(r.Curve, point{row.name, n, f["sync_s"], f["peak_rss_mb"], f["cpu_s_per_100k_events"], f["again_cpu_s_per_100k_events"]})
		fmt.Fprintf(os.Stderr, "%d objects: %-26s sync %.2f s, %.0f MB\n", n, row.name, f["sync_s"], f["peak_rss_mb"])
	}
	return nil
}
