package main

import (
	"encoding/json"
	"maps"
	"slices"
)

// figures are what one row was measured at, by name; see columns for the units.
type figures map[string]float64

// MarshalJSON puts the name beside the figures.
func (r result) MarshalJSON() ([]byte, error) {
	o := map[string]any{"name": r.name}
	for name, value := range r.median() {
		o[name] = value
	}
	return json.Marshal(o)
}

// result is one row and what each round gave.
type result struct {
	name   string
	rounds []figures
}

// median is, of each figure, the median over the rounds.
func (r result) median() figures {
	all := map[string][]float64{}
	for _, round := range r.rounds {
		for name, value := range round {
			all[name] = append(all[name], value)
		}
	}
	m := figures{}
	for name, values := range all {
		slices.Sort(values)
		m[name] = (values[(len(values)-1)/2] + values[len(values)/2]) / 2
	}
	return m
}

// ratio is a figure of ours beside one of client-go's, and what it is held to.
type ratio struct {
	Ours   string  `json:"ours"`
	Theirs string  `json:"theirs"`
	Figure string  `json:"figure"`
	Ratio  float64 `json:"ratio"`
	Bar    float64 `json:"bar"`
	// Least says that the bar is what the ratio must reach; else what it must not exceed.
	Least bool `json:"least"`
	Met   bool `json:"met"`
}

// report is what -json prints.
type report struct {
	N        int      `json:"n"`
	M        int      `json:"m"`
	Rounds   int      `json:"rounds"`
	Machine  string   `json:"machine"`
	Load     string   `json:"load,omitempty"` // average over a minute, before and after: what else ran
	TLS      bool     `json:"tls"`
	Rows     []result `json:"rows"`
	Ratios   []ratio  `json:"ratios"`
	Fifty    []result `json:"fifty_informers,omitempty"`
	Reads    []result `json:"reads,omitempty"`
	Programs []result `json:"programs,omitempty"`
	Curve    []point  `json:"curve,omitempty"`
}

// compare fills in the ratios of the bars whose both rows were measured.
func (r *report) compare() {
	medians := map[string]figures{}
	for _, row := range r.Rows {
		medians[row.name] = row.median()
	}
	r.Ratios = nil
	for _, b := range bars {
		ours, there := medians[b.ours][b.figure]
		theirs, alsoThere := medians[b.theirs][b.figure]
		if !there || !alsoThere || ours == 0 || theirs == 0 {
			continue
		}
		x := ratio{Ours: b.ours, Theirs: b.theirs, Figure: b.figure, Ratio: ours / theirs, Bar: max(b.least, b.most), Least: b.least > 0}
		if b.figure == "sync_s" {
			x.Ratio = theirs / ours
		}
		x.Met = x.Least && x.Ratio >= b.least || !x.Least && x.Ratio <= b.most
		r.Ratios = append(r.Ratios, x)
	}
}

// add puts a round of a row where it belongs.
func add(results []result, name string, f figures) []result {
	at := slices.IndexFunc(results, func(r result) bool { return r.name == name })
	if at < 0 {
		return append(results, result{name, []figures{maps.Clone(f)}})
	}
	results[at].rounds = append(results[at].rounds, maps.Clone(f))
	return results
}
