package main

import (
	"fmt"
	"os"

	"github.com/rawwatch/rawwatch/conformance/compare/child"
	"github.com/rawwatch/rawwatch/conformance/compare/protocol"
)

// parts are what is measured beside the rows, under the names that -only takes.
var parts = []struct {
	only    string
	measure func(options, *report) error
}{
	{"fifty", measureFifty},
	{"reads", measureReads},
	{"programs", measurePrograms},
}

// measureFifty follows 50 namespaces of 100, an informer and so a watch for each.
func measureFifty(o options, r *report) error {
	return eachRow(o, func(b *bench, row row) error {
		if row.only != "typed-proto" && row.only != "raw" && row.only != "five" {
			return nil
		}
		const informers = 50
		p, err := b.start(row, child.Config{Objects: o.n/100*informers + min(informers, o.n%100), Informers: informers})
		if err != nil {
			return err
		}
		defer b.end(p)
		a, err := p.Do(protocol.Command{Do: "sync"})
		if err != nil {
			return err
		}
		f := a.Figures
		if a, err = p.Do(protocol.Command{Do: "memory"}); err != nil {
			return err
		}
		for name, value := range a.Figures {
			f[name] = value
		}
		if a, err = b.server.Do(protocol.Command{Do: "connections"}); err != nil {
			return err
		}
		f["connections"], f["most_connections"] = float64(a.Open), float64(a.Most)
		r.Fifty = add(r.Fifty, row.name, f)
		return nil
	})
}

// measureReads reads from informers that have an index, idle and beside a burst.
func measureReads(o options, r *report) error {
	return eachRow(o, func(b *bench, row row) error {
		if !row.node {
			return nil
		}
		p, err := b.start(row, child.Config{Objects: o.n, Micro: true})
		if err != nil {
			return err
		}
		defer b.end(p)
		if _, err := p.Do(protocol.Command{Do: "sync"}); err != nil {
			return err
		}
		if _, err := b.server.Do(protocol.Command{Do: "await", Count: 1}); err != nil {
			return err
		}
		idle, err := p.Do(protocol.Command{Do: "micro"})
		if err != nil {
			return err
		}
		burst := make(chan error, 1)
		go func() {
			_, err := b.server.Do(protocol.Command{Do: "burst", Count: o.m})
			burst <- err
		}()
		busy, err := p.Do(protocol.Command{Do: "micro"})
		if err != nil {
			return err
		}
		idle.Figures["get_busy_ns"] = busy.Figures["get_ns"]
		r.Reads = add(r.Reads, row.name, idle.Figures)
		return <-burst
	})
}

// eachRow calls do for every row in every round, against one server.
func eachRow(o options, do func(*bench, row) error) error {
	b, err := newBench(o.bin, o.n, o.m, o.tls)
	if err != nil {
		return err
	}
	defer b.close()
	for range o.rounds {
		for _, row := range rows {
			if err := do(b, row); err != nil {
				return fmt.Errorf("%s: %w", row.name, err)
			}
		}
	}
	return nil
}

// measureParts measures those that are wanted.
func measureParts(o options, r *report) error {
	for _, part := range parts {
		if !o.wants(part.only) {
			continue
		}
		fmt.Fprintln(os.Stderr, part.only)
		if err := part.measure(o, r); err != nil {
			return fmt.Errorf("%s: %w", part.only, err)
		}
	}
	return nil
}

var (
	fiftyColumns = []column{
		{"connections", "connections", "%.0f"}, {"goroutines", "goroutines", "%.0f"}, {"sync_s", "sync s", "%.2f"},
		{"heap_mb", "heap MB", "%.1f"}, {"peak_rss_mb", "peak RSS MB", "%.0f"},
	}
	readColumns = []column{
		{"get_ns", "Get ns", "%.0f"}, {"lister_get_ns", "lister Get ns", "%.0f"}, {"get_busy_ns", "Get beside a burst ns", "%.0f"},
		{"by_index_ns", "ByIndex ns", "%.0f"}, {"by_index_allocs", "allocs", "%.0f"},
		{"namespace_ns", "namespace ns", "%.0f"}, {"namespace_allocs", "allocs", "%.0f"},
		{"list_all_ns", "all ns", "%.0f"}, {"snapshot_ns", "snapshot ns", "%.1f"},
	}
	programColumns = []column{{"bytes", "bytes", "%.0f"}, {"packages", "packages", "%.0f"}, {"cold_build_s", "cold build s", "%.0f"}}
)
