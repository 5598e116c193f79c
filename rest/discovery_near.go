package rest

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// maxNear bounds the suggestions; maxNearName the names worth comparing, and
	// with it the work: distance is quadratic.
	maxNear     = 4
	maxNearName = 64
)

// near returns the names of the resources that look most like label.
func (d *Discovery) near(label string) []string {
	label = strings.ToLower(label)
	if label == "" || len(label) > maxNearName {
		return nil
	}
	type candidate struct {
		name     string
		distance int
	}
	var found []candidate
	for _, r := range d.resources {
		distance := r.distance(label)
		if distance > max(1, len(label)/3) {
			continue
		}
		name := printableName(r.GroupResource())
		if !slices.ContainsFunc(found, func(c candidate) bool { return c.name == name }) {
			found = append(found, candidate{name, distance})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	var names []string
	for _, c := range found[:min(maxNear, len(found))] {
		names = append(names, c.name)
	}
	return names
}

// printableName quotes a peer's name unless it is made of what names are made of.
func printableName(name string) string {
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.' && c != '-' {
			return quote(name)
		}
	}
	if len(name) > 4*maxNearName {
		return quote(name)
	}
	return name
}

// distance is the smallest of the distances to the resource's names. A name of
// which label is the beginning is one step away: people stop typing early.
func (r APIResource) distance(label string) int {
	best := maxNearName
	names := append([]string{r.Resource.Resource, r.Singular, strings.ToLower(r.Kind)}, r.ShortNames...)
	for _, name := range names {
		if len(name) > maxNearName {
			continue
		}
		if len(label) >= 3 && strings.HasPrefix(name, label) {
			return 1
		}
		best = min(best, editDistance(label, name))
	}
	return best
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours
// (optimal string alignment) between two names of at most maxNearName bytes.
func editDistance(a, b string) int {
	var rows [3][maxNearName + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			replace := last[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
