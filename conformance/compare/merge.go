package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// readReports makes one report of the files that earlier runs printed with -json.
func readReports(files string) (report, error) {
	var all report
	for name := range strings.SplitSeq(files, ",") {
		text, err := os.ReadFile(name)
		if err != nil {
			return all, err
		}
		var r report
		if err := json.Unmarshal(text, &r); err != nil {
			return all, fmt.Errorf("%s: %w", name, err)
		}
		if err := all.merge(r); err != nil {
			return all, fmt.Errorf("%s: %w", name, err)
		}
	}
	all.order()
	return all, nil
}

// merge adds another run of the same machine. Rounds of a row that both measured are rounds of one row.
func (r *report) merge(o report) error {
	if o.Machine == "" {
		return errors.New("not what -json prints")
	}
	if r.Machine != "" && r.Machine != o.Machine {
		return fmt.Errorf("measured on %q, the others on %q", o.Machine, r.Machine)
	}
	if o.sized() {
		if r.sized() && r.size() != o.size() {
			return fmt.Errorf("measured at %s, the others at %s", o.size(), r.size())
		}
		r.N, r.M, r.TLS, r.ByList, r.Kinds = o.N, o.M, o.TLS, o.ByList, o.Kinds
	}
	r.Machine, r.Rounds, r.Runs = o.Machine, max(r.Rounds, o.Rounds), r.Runs+max(o.Runs, 1)
	r.Load = strings.TrimPrefix(r.Load+", "+o.Load, ", ")
	r.Rows, r.Memory, r.Fifty = join(r.Rows, o.Rows), join(r.Memory, o.Memory), join(r.Fifty, o.Fifty)
	r.Reads, r.Programs = join(r.Reads, o.Reads), join(r.Programs, o.Programs)
	for _, p := range o.Curve { // the later run of a row at a size counts
		r.Curve = append(slices.DeleteFunc(r.Curve, func(q point) bool { return p.Name == q.Name && p.Objects == q.Objects }), p)
	}
	return nil
}

// sized says whether what was measured depends on N and M.
func (r *report) sized() bool { return len(r.Rows)+len(r.Memory)+len(r.Fifty)+len(r.Reads) > 0 }

// size says what rows must have in common.
func (r *report) size() string {
	protocol, initial := "plain HTTP", "watch-list"
	if r.TLS {
		protocol = "TLS"
	}
	if r.ByList {
		initial = "LIST"
	}
	size := fmt.Sprintf("N = %s, M = %s, %s, %s", thousands(r.N), thousands(r.M), protocol, initial)
	if r.Kinds > 1 {
		size += fmt.Sprintf(", pods of %d kinds", r.Kinds)
	}
	return size
}

func join(all, more []result) []result {
	for _, r := range more {
		for _, round := range r.rounds {
			all = add(all, r.name, round)
		}
	}
	return all
}

// order puts rows in the order of the table, whichever run they come from.
func (r *report) order() {
	at := func(name string) int { return slices.IndexFunc(rows, func(r row) bool { return r.name == name }) }
	for _, results := range [][]result{r.Rows, r.Memory, r.Fifty, r.Reads} {
		slices.SortStableFunc(results, func(a, b result) int { return at(a.name) - at(b.name) })
	}
	slices.SortStableFunc(r.Curve, func(a, b point) int {
		return cmp.Or(a.Objects-b.Objects, at(a.Name)-at(b.Name))
	})
}
