package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// writeBars writes the bars with what was measured, and then the ratios that nothing is promised of.
func (r *report) writeBars(w io.Writer) {
	judged := slices.DeleteFunc(slices.Clone(r.Ratios), func(x ratio) bool { return !x.Judged })
	rest := slices.DeleteFunc(slices.Clone(r.Ratios), func(x ratio) bool { return x.Judged })
	met, promised := 0, 0
	for _, x := range judged {
		if x.Met {
			met++
		}
	}
	for _, b := range bars {
		if b.rule != shown {
			promised++
		}
	}
	fmt.Fprintf(w, "%d bars: %d met, %d not met, %d not measured.", promised, met, len(judged)-met, promised-len(judged))
	if r.sized() && (r.N != promisedN || r.M != promisedM) {
		fmt.Fprintf(w, " They are for N = %s and M = %s, not for this run.", thousands(promisedN), thousands(promisedM))
	}
	fmt.Fprint(w, "\n\n")
	if len(judged) > 0 {
		printRatios(w, judged)
	}
	if len(rest) > 0 {
		fmt.Fprint(w, "Beside them, without a bar:\n\n")
		printRatios(w, rest)
	}
	if missing := r.missing(); len(missing) > 0 {
		fmt.Fprintf(w, "Not measured: %s.\n\n", strings.Join(missing, ", "))
	}
}

// missing are the rows and parts that bars were not measured for.
func (r *report) missing() []string {
	var all []string
	for _, b := range bars {
		there := slices.ContainsFunc(r.Ratios, func(x ratio) bool {
			return x.Section == b.section && x.Ours == b.ours && x.Figure == b.figure && x.Theirs == b.theirs
		})
		what := b.ours + " in " + b.section
		if b.theirs != "" && b.theirs != b.ours {
			what += " beside " + b.theirs
		}
		if !there && b.rule != shown && !slices.Contains(all, what) {
			all = append(all, what)
		}
	}
	return all
}

// printRatios writes a table of ratios, with bars or all without.
func printRatios(w io.Writer, ratios []ratio) {
	t := tabwriter.NewWriter(w, 0, 1, 1, ' ', 0)
	head, rule := "| ours\t| figure\t| beside\t| measured\t|", "|---\t|---\t|---\t|---\t|"
	if ratios[0].Judged {
		head, rule = head+" bar\t| met\t|", rule+"---\t|---\t|"
	}
	fmt.Fprintf(t, "%s\n%s\n", head, rule)
	for _, x := range ratios {
		fmt.Fprintf(t, "| %s\t| %s\t| %s\t| %.3g\t|", x.Ours, title(x.Section, x.Figure), x.beside(), x.Ratio)
		if x.Judged {
			met := "**no**"
			if x.Met {
				met = "yes"
			}
			fmt.Fprintf(t, " %s\t| %s\t|", x.bar(), met)
		}
		fmt.Fprintln(t)
	}
	_ = t.Flush() // who cannot read it sees that
	fmt.Fprintln(w)
}

func (x ratio) bar() string {
	switch {
	case x.Least:
		return fmt.Sprintf("at least %.3g times better", x.Bar)
	case x.Theirs == "" && x.Bar < 1:
		return "none"
	case x.Theirs == "":
		return fmt.Sprintf("at most %.5g", x.Bar)
	}
	return fmt.Sprintf("at most %.3g of it", x.Bar)
}

func (x ratio) beside() string {
	switch {
	case x.Theirs == "":
		return "-"
	case x.Theirs == x.Ours:
		return "its own " + title(x.Section, x.Against)
	case x.Against != x.Figure:
		return x.Theirs + ", " + title(x.Section, x.Against)
	}
	return x.Theirs
}

// title is what a figure is called in its section's bars.
func title(section, figure string) string {
	switch section {
	case "curve":
		return map[string]string{"event_cost_1k": "CPU s/100k events at 1,000", "event_cost_300k": "CPU s/100k events at 300,000",
			"again_cost_1k": "CPU s/100k events of the second burst at 1,000", "again_cost_300k": "CPU s/100k events of the second burst at 300,000"}[figure]
	case "memory":
		return titleIn(figure, memoryColumns)
	case "fifty":
		return "50 informers: " + titleIn(figure, fiftyColumns)
	case "reads":
		return titleIn(figure, readColumns, busyColumns)
	}
	if name := titleIn(figure, afterColumns); name != figure {
		return name + " after the burst"
	}
	return titleIn(figure, syncColumns, eventColumns, againColumns)
}

func titleIn(figure string, tables ...[]column) string {
	for _, c := range slices.Concat(tables...) {
		if c.figure == figure {
			return c.title
		}
	}
	return figure
}
