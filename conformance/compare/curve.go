package main

import (
	"fmt"
	"os"
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
}

// measureCurve measures the rows of the plot at every size up to -plot-to. As many events at every size: what an event costs
// has a share of collections in it, and these come after so many bytes, the more the larger the heap.
func measureCurve(o options, r *report) error {
	for _, n := range sizes {
		if n > o.curveTo {
			break
		}
		b, err := newBench(o, n)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if !o.wants(row.only) || row.slow && n > 100_000 {
				continue
			}
			b.m = o.m
			if row.slow {
				b.m = 0
			}
			f, err := b.follow(row)
			if err != nil {
				b.close()
				return err
			}
			r.Curve = append(r.Curve, point{row.name, n, f["sync_s"], f["peak_rss_mb"], f["cpu_s_per_100k_events"]})
			fmt.Fprintf(os.Stderr, "%d objects: %-26s sync %.2f s, %.0f MB\n", n, row.name, f["sync_s"], f["peak_rss_mb"])
		}
		b.close()
	}
	return nil
}
