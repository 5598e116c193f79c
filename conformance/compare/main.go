// Compare measures this project's informer beside client-go's: separate processes, in turns, against one load server.
//
//	go run ./compare                       # all rows at 100,000 pods and 200,000 updates
//	go run ./compare -n 2000 -m 2000 -rounds 1 -only raw,typed-proto -json
//
//	go run ./compare -json >a.json         # measure in several runs, and put them together
//	go run ./compare -from a.json,b.json -docs ../docs/benchmarks.md
//
// Both sides run with the default GOGC and no memory limit, ask for identity encoding and take the same initial path: a
// watch-list, which both prefer, or with -by-list a LIST.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("compare: ")
	o := options{idle: 5 * time.Second}
	flag.IntVar(&o.n, "n", 100_000, "objects")
	flag.IntVar(&o.m, "m", 200_000, "updates in the burst, and at each size of the plot, where there are at least two for each object; 0 measures the sync alone")
	flag.IntVar(&o.rounds, "rounds", 3, "how often every row is measured, in turns; figures are medians")
	flag.StringVar(&o.only, "only", "", "rows and parts to measure, with commas between (see -list)")
	flag.BoolVar(&o.list, "list", false, "print the names of rows and parts, and measure nothing")
	flag.BoolVar(&o.tls, "tls", false, "over TLS in place of plain HTTP")
	flag.IntVar(&o.kinds, "kinds", 1, "how many kinds of pods there are; those of a kind are alike")
	flag.BoolVar(&o.byList, "by-list", false, "the initial state by LIST: the server refuses a watch-list")
	flag.BoolVar(&o.json, "json", false, "print JSON")
	flag.StringVar(&o.bin, "bin", "", "a folder for the programs, to keep them; else a temporary one")
	flag.StringVar(&o.plot, "plot", "", "measure at 1,000 to 300,000 objects in place of -n, and draw it into this SVG file")
	flag.IntVar(&o.curveTo, "plot-to", 300_000, "the largest object count of the plot")
	flag.StringVar(&o.from, "from", "", "measure nothing: take what earlier runs printed with -json from these files, with commas between")
	flag.StringVar(&o.docs, "docs", "", "a Markdown file whose sections <!-- compare:NAME --> are rewritten with what was measured")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}
	if o.list {
		printNames(os.Stdout)
		return
	}
	if err := run(o, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

type options struct {
	n, m, rounds int
	only, bin    string
	plot, docs   string
	from         string
	curveTo      int
	tls, json    bool
	kinds        int
	list, byList bool
	idle         time.Duration // until a process that is left alone has given back what it will
}

// wants says whether a row or part is to be measured.
func (o options) wants(name string) bool {
	return o.only == "" || slices.Contains(strings.Split(o.only, ","), name)
}

// check says what cannot be done, before anything is measured.
func (o options) check() error {
	for name := range strings.SplitSeq(o.only, ",") {
		if o.only != "" && !slices.Contains(names(), name) {
			return fmt.Errorf("-only: there is no row or part %q; -list prints their names", name)
		}
	}
	if o.docs != "" {
		if err := checkDocument(o.docs); err != nil {
			return fmt.Errorf("-docs: %w", err)
		}
	}
	return nil
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

// printNames writes what -only takes.
func printNames(w io.Writer) {
	fmt.Fprintln(w, "rows:")
	for _, r := range rows {
		fmt.Fprintf(w, "  %-20s %s\n", r.only, r.name)
	}
	fmt.Fprintln(w, "parts:")
	for _, p := range parts {
		fmt.Fprintf(w, "  %-20s %s\n", p.only, p.what)
	}
}

// run measures, or reads what was measured, and says it. What was measured before something failed is said, too, but not
// written into the document.
func run(o options, w io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	var r report
	var failed error
	if o.from != "" {
		if r, failed = readReports(o.from); failed != nil {
			return fmt.Errorf("-from: %w", failed)
		}
	} else {
		r, failed = measureAll(o)
	}
	r.compare()
	if o.json {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		failed = errors.Join(failed, e.Encode(r))
	} else {
		r.print(w)
	}
	if failed != nil {
		return failed
	}
	if o.plot != "" {
		if err := os.WriteFile(o.plot, plot(&r), 0o644); err != nil {
			return err
		}
	}
	if o.docs != "" {
		return r.rewriteFile(o.docs)
	}
	return nil
}

// measureAll returns what was measured until something failed.
func measureAll(o options) (report, error) {
	r := report{N: o.n, M: o.m, Rounds: o.rounds, Runs: 1, TLS: o.tls, ByList: o.byList, Kinds: o.kinds, Machine: machine(), Load: loadAverage()}
	if o.bin == "" {
		folder, err := os.MkdirTemp("", "compare")
		if err != nil {
			return r, err
		}
		defer func() { _ = os.RemoveAll(folder) }() // of our own making
		o.bin = folder
	}
	err := build(o.bin)
	switch {
	case err != nil:
	case o.plot != "":
		r.N, r.Rounds = 0, 1 // sizes of its own
		err = measureCurve(o, &r)
	default:
		if err = measure(o, &r); err == nil {
			err = measureParts(o, &r)
		}
	}
	r.Load += " to " + loadAverage()
	return r, err
}

// measure runs all rows, round by round, so that what else the machine does hits all of them.
func measure(o options, r *report) error {
	b, err := newBench(o, o.n)
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
