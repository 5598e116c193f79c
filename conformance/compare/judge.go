package main

// ratio is a figure of ours beside one of client-go's, or beside an earlier one of its own, and what it is held to.
type ratio struct {
	Section string `json:"section"`
	Ours    string `json:"ours"`
	Figure  string `json:"figure"`
	Theirs  string `json:"theirs,omitempty"`  // none: Ratio is the figure itself
	Against string `json:"against,omitempty"` // their figure
	// Ratio is how many times better ours is where Least is set, else ours over theirs.
	Ratio float64 `json:"ratio"`
	Bar   float64 `json:"bar"`
	// Least says that the bar is what the ratio must reach; else what it must not exceed.
	Least bool `json:"least"`
	// Judged says that there is a bar; else the ratio is there to be seen.
	Judged bool `json:"judged"`
	Met    bool `json:"met"`
}

// compare fills in the ratios of the bars whose both figures were measured.
func (r *report) compare() {
	medians := r.medians()
	r.Ratios = nil
	for _, b := range bars {
		if x, measured := b.judge(medians); measured {
			r.Ratios = append(r.Ratios, x)
		}
	}
}

// medians are the figures by section and by row.
func (r *report) medians() map[string]map[string]figures {
	all := map[string]map[string]figures{"curve": eventCosts(r.Curve)}
	for section, results := range map[string][]result{"rows": r.Rows, "memory": r.Memory, "reads": r.Reads, "fifty": r.Fifty} {
		all[section] = map[string]figures{}
		for _, row := range results {
			all[section][row.name] = row.median()
		}
	}
	return all
}

// eventCosts are the CPU seconds for 100,000 events at both ends of the curve.
func eventCosts(curve []point) map[string]figures {
	all := map[string]figures{}
	for _, p := range curve {
		if p.EventCost == 0 {
			continue
		}
		if all[p.Name] == nil {
			all[p.Name] = figures{}
		}
		switch p.Objects {
		case 1_000:
			all[p.Name]["event_cost_1k"], all[p.Name]["again_cost_1k"] = p.EventCost, p.AgainCost
		case 300_000:
			all[p.Name]["event_cost_300k"], all[p.Name]["again_cost_300k"] = p.EventCost, p.AgainCost
		}
	}
	return all
}

func (b bar) judge(medians map[string]map[string]figures) (x ratio, measured bool) {
	ours, measured := medians[b.section][b.ours][b.figure]
	x = ratio{
		Section: b.section, Ours: b.ours, Figure: b.figure, Theirs: b.theirs, Against: b.against,
		Ratio: ours, Bar: b.bound, Least: b.rule == atLeast, Judged: b.rule != shown,
	}
	if b.rule != limit {
		theirs, alsoThere := medians[b.section][b.theirs][b.against]
		if !measured || !alsoThere || ours == 0 || theirs == 0 {
			return x, false
		}
		x.Ratio = ours / theirs
		if b.rule == atLeast && b.figure != "events_per_s" {
			x.Ratio = theirs / ours // less is better
		}
	}
	x.Met = x.Judged && (x.Least && x.Ratio >= x.Bar || !x.Least && x.Ratio <= x.Bar)
	return x, measured
}
