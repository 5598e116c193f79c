// Compare measures this project's informer beside client-go's: separate processes, in turns, against one load server.
//
//	go run ./compare                       # all rows at 100,000 pods and 200,000 updates
//	go run ./compare -n 2000 -m 2000 -rounds 1 -only raw,typed-proto -json
//
// Both sides run with the default GOGC and no memory limit, ask for identity encoding and take the same initial path: a
// watch-list, which both prefer, or with -list a LIST.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("compare: ")
	var o options
	flag.IntVar(&o.n, "n", 100_000, "objects")
	flag.IntVar(&o.m, "m", 200_000, "updates in the burst; 0 measures the sync alone")
	flag.IntVar(&o.rounds, "rounds", 3, "how often every row is measured, in turns; figures are medians")
	flag.StringVar(&o.only, "only", "", "rows and parts to measure, with commas between: "+strings.Join(names(), ", "))
	flag.BoolVar(&o.tls, "tls", false, "over TLS in place of plain HTTP")
	flag.BoolVar(&o.json, "json", false, "print JSON")
	flag.StringVar(&o.bin, "bin", "", "a folder with the programs, built before; they are built into it where it is empty")
	flag.StringVar(&o.plot, "plot", "", "measure at 1,000 to 300,000 objects in place of -n, and draw it into this SVG file")
	flag.IntVar(&o.curveTo, "plot-to", 300_000, "the largest object count of the plot")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	if err := run(o); err != nil {
		log.Fatal(err)
	}
}

type options struct {
	n, m, rounds int
	only, bin    string
	plot         string
	curveTo      int
	tls, json    bool
}

// wants says whether a row or part is to be measured.
func (o options) wants(name string) bool {
	for want := range strings.SplitSeq(o.only, ",") {
		if want == name {
			return true
		}
	}
	return o.only == ""
}

func names() []string {
	var all []string
	for _, r := range rows {
		all = append(all, r.only)
	}
	for _, p := range parts {
		all = append(all, p.only)
	}
	return all
}

func run(o options) error {
	for name := range strings.SplitSeq(o.only, ",") {
		if o.only != "" && !known(name) {
			return fmt.Errorf("-only: there is no row or part %q", name)
		}
	}
	if o.bin == "" {
		folder, err := os.MkdirTemp("", "compare")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(folder) }() // of our own making
		o.bin = folder
	}
	if err := build(o.bin); err != nil {
		return err
	}
	r := report{N: o.n, M: o.m, Rounds: o.rounds, TLS: o.tls, Machine: machine(), Load: loadAverage()}
	if o.plot != "" {
		if err := measureCurve(o, &r); err != nil {
			return err
		}
	} else if err := measure(o, &r); err != nil {
		return err
	} else if err := measureParts(o, &r); err != nil {
		return err
	}
	r.Load += " to " + loadAverage()
	r.compare()
	if o.json {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	r.print(os.Stdout)
	return nil
}

func known(name string) bool {
	for _, n := range names() {
		if n == name {
			return true
		}
	}
	return false
}

// measure runs all rows, round by round, so that what else the machine does hits all of them.
func measure(o options, r *report) error {
	b, err := newBench(o.bin, o.n, o.m, o.tls)
	if err != nil {
		return err
	}
	defer b.close()
	for round := range o.rounds {
		for _, row := range rows {
			if !o.wants(row.only) || row.slow && (o.n > 100_000 || round > 0 && o.n > 10_000) {
				continue
			}
			f, err := b.follow(row)
			if err != nil {
				return err
			}
			r.Rows = add(r.Rows, row.name, f)
			fmt.Fprintf(os.Stderr, "round %d: %-26s sync %.2f s, %.0f events/s\n", round+1, row.name, f["sync_s"], f["events_per_s"])
		}
	}
	return nil
}
