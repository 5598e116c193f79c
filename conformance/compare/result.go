package main

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// figures are what one row was measured at, by name; see columns for the units.
type figures map[string]float64

// MarshalJSON puts the name beside the medians, and the rounds beside both.
func (r result) MarshalJSON() ([]byte, error) {
	o := map[string]any{"name": r.name, "rounds": r.rounds}
	for name, value := range r.median() {
		o[name] = value
	}
	return json.Marshal(o)
}

// UnmarshalJSON reads what MarshalJSON writes: the medians are made again.
func (r *result) UnmarshalJSON(text []byte) error {
	var o struct {
		Name   string
		Rounds []figures
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	*r = result{o.Name, o.Rounds}
	if o.Name == "" || len(o.Rounds) == 0 {
		return errors.New("a row without a name or without rounds")
	}
	return nil
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

// report is what -json prints.
type report struct {
	N        int      `json:"n"`
	M        int      `json:"m"`
	Rounds   int      `json:"rounds"`
	Runs     int      `json:"runs"` // that are combined here
	Machine  string   `json:"machine"`
	Load     string   `json:"load,omitempty"` // average over a minute, before and after: what else ran
	TLS      bool     `json:"tls"`
	ByList   bool     `json:"by_list"`
	Kinds    int      `json:"kinds,omitempty"` // of pods; 0 is 1
	Rows     []result `json:"rows"`
	Ratios   []ratio  `json:"ratios"`
	Memory   []result `json:"memory,omitempty"`
	Fifty    []result `json:"fifty_informers,omitempty"`
	Reads    []result `json:"reads,omitempty"`
	Programs []result `json:"programs,omitempty"`
	Curve    []point  `json:"curve,omitempty"`
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
