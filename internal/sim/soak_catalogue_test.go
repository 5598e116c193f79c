package sim

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/fakeapi/faults"
	"github.com/rawwatch/rawwatch/listwatch"
)

var (
	catalogueAll    = flag.Bool("catalogue.all", false, "try every fault at every moment, once and for ten minutes, and compare with testdata/catalogue.txt")
	catalogueFault  = flag.String("catalogue.fault", "", "try only the faults whose name contains this")
	catalogueUpdate = flag.Bool("catalogue.update", false, "with -catalogue.all: write testdata/catalogue.txt")
)

// trials are all of them, or a fourth of those that happen once.
func trials() []Trial {
	var all []Trial
	for n, f := range faults.All() {
		if !strings.Contains(f.Name, *catalogueFault) {
			continue
		}
		for m := range moments {
			for p := range plans {
				for _, storm := range []bool{false, true} {
					if *catalogueAll || *catalogueFault != "" || !storm && (n+int(m)+2*int(p))%4 == 0 {
						all = append(all, Trial{f, m, p, storm})
					}
				}
			}
		}
	}
	return all
}

// allowed are the invariants that a client has to break for a while under a fault, because nobody can read from what comes what it was about. That it ends as the
// server is (I1) is never among them for a fault that happens once.
func allowed(v *Verdict, invariant string) bool {
	if unfair[v.Fault.Name] || nameless[v.Fault.Name] {
		return invariant != "I1" || v.Storm || v.Fault.Name == "handler-exits"
	}
	// An object in doubt is read again after the list, and until then the store shows what it had.
	unnamed := strings.HasPrefix(v.Fault.Name, "item-") || strings.HasPrefix(v.Fault.Name, "list-version-")
	if strings.HasPrefix(v.Fault.Name, "item-") && v.Storm {
		return true // every list lacks it for ten minutes, and no event tells of it
	}
	return unnamed && (invariant == "I11" || invariant == "I5" || invariant == "I10" || invariant == "I12" || invariant == "I3")
}

// TestCatalogue does every fault of the catalogue to a whole client at the moments at which it can come. The client ends as the server is, its handlers have seen
// a legal history, it has sent few requests, and Status says what has happened.
func TestCatalogue(t *testing.T) {
	all := trials()
	verdicts := make([]Verdict, len(all))
	var next atomic.Int64
	t.Run("run", func(t *testing.T) {
		for worker := range 2 {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for n := next.Add(1) - 1; n < int64(len(all)); n = next.Add(1) - 1 {
					synctest.Test(t, func(t *testing.T) {
						hangs := time.AfterFunc(7*24*time.Hour, func() { panic(all[n].String() + ": a week has gone by") })
						defer hangs.Stop()
						verdicts[n] = RunTrial(t, all[n])
					})
				}
			})
		}
	})
	hits, requests := map[string]int{}, 0
	for i := range verdicts {
		v := &verdicts[i]
		hits[v.Fault.Name] += v.Hits
		requests = max(requests, v.Requests)
		judgeTrial(t, v)
	}
	met := 0
	for _, n := range hits {
		if n > 0 {
			met++
		}
	}
	t.Logf("%d trials of %d faults, %d of which happened; at most %d requests in a trial", len(all), len(hits), met, requests)
	if *catalogueAll {
		for name, n := range hits {
			if n == 0 {
				t.Errorf("%s never happened", name)
			}
		}
		compareReasons(t, verdicts)
	}
}

// bound is how many requests a trial may take: two minutes that begin with the fault, and ten more where it goes on. Pages count one by one.
func bound(v *Verdict) int {
	if v.Storm {
		return 110
	}
	return 45
}

func judgeTrial(t *testing.T, v *Verdict) {
	for _, violation := range v.Violations {
		if !allowed(v, violation.Invariant) {
			t.Errorf("%s: %v", v.Trial, violation)
		}
	}
	if v.Requests > bound(v) && !strings.HasPrefix(v.Fault.Name, "page-token-endless") { // each page is a request
		t.Errorf("%s: %d requests", v.Trial, v.Requests)
	}
	if v.Fault.Legal && v.Fault.Place() == faults.AtEvent && v.Fault.Name != "event-large" {
		for _, reason := range v.Reasons {
			if slices.Contains([]string{listwatch.ReasonBadFrame, listwatch.ReasonMalformed, listwatch.ReasonContent, listwatch.ReasonVersion}, reason) {
				t.Errorf("%s is legal, and the client says %s", v.Trial, reason)
			}
		}
	}
}

// compareReasons holds what Status and the transitions say of each fault to what they are known to say.
func compareReasons(t *testing.T, verdicts []Verdict) {
	usual := []string{listwatch.ReasonStart, listwatch.ReasonStopped, listwatch.ReasonSynced, listwatch.ReasonNotOlder, listwatch.ReasonEndedEarly, listwatch.ReasonTimeoutSeconds}
	byFault := map[string]map[string]bool{}
	for i := range verdicts {
		v := &verdicts[i]
		said := byFault[v.Fault.Name]
		if said == nil {
			said = map[string]bool{}
			byFault[v.Fault.Name] = said
		}
		for _, reason := range v.Reasons {
			expected := reason == listwatch.ReasonExpired && v.Moment == AtRelist || reason == listwatch.ReasonCut && v.Moment == AtReconnect
			if v.Hits > 0 && !v.Storm && !expected && !slices.Contains(usual, reason) {
				said[reason] = true
			}
		}
		for reason := range v.Status.Problems {
			if v.Hits > 0 && !v.Storm {
				said["problem:"+reason] = true
			}
		}
	}
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(byFault)) {
		fmt.Fprintf(&lines, "%s: %s\n", name, strings.Join(slices.Sorted(maps.Keys(byFault[name])), " "))
	}
	file := filepath.Join("testdata", "catalogue.txt")
	if *catalogueUpdate {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(lines.String(), "\n")); diff != "" && *catalogueFault == "" {
		t.Errorf("what the client says of the faults (-testdata +now):\n%s", diff)
	}
}
