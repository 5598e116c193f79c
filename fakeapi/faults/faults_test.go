package faults

import (
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The catalogue is an interface: what is in it has a name that stays, says what it does, what it tries, and how it is done.
func TestCatalogueIsComplete(t *testing.T) {
	all := All()
	if len(all) < 120 {
		t.Errorf("%d faults", len(all))
	}
	name, invariant := regexp.MustCompile(`^[a-z0-9]+([-.][a-z0-9]+)*$`), regexp.MustCompile(`^I\d+$`)
	seen := map[string]string{}
	for _, f := range all {
		if !name.MatchString(f.Name) {
			t.Errorf("the name %q", f.Name)
		}
		if f.Group == "" || f.Summary == "" || strings.HasSuffix(f.Summary, ".") || len(f.Invariants) == 0 {
			t.Errorf("%s: %+v", f.Name, f)
		}
		if other := seen[f.Summary]; other != "" {
			t.Errorf("%s and %s have one summary", f.Name, other)
		}
		seen[f.Summary] = f.Name
		for _, i := range f.Invariants {
			if !invariant.MatchString(string(i)) {
				t.Errorf("%s: invariant %q", f.Name, i)
			}
		}
		ways := 0
		for _, set := range []bool{f.answer != nil, f.alter != nil, f.event != nil, f.wire != nil, f.accept != nil, f.begin != nil, f.dial != nil, f.handle != nil} {
			if set {
				ways++
			}
		}
		if ways != 1 {
			t.Errorf("%s is done in %d ways", f.Name, ways)
		}
		if found, err := Find(f.Name); err != nil || found != f {
			t.Errorf("Find(%q) = %v, %v", f.Name, found, err)
		}
	}
	for _, g := range []Group{Network, HTTP, API, Process, Credentials} {
		t.Logf("%s: %d", g, len(InGroup(g)))
		if len(InGroup(g)) < 10 {
			t.Errorf("%d faults of the group %s", len(InGroup(g)), g)
		}
	}
	if _, err := Find("nothing-like-it"); err == nil {
		t.Error("a fault that does not exist was found")
	}
}
