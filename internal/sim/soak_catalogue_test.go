package sim

import (
	"flag"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi/faults"
)

var (
	trialNames = flag.String("fault", "", "try only the faults whose name contains this")
)

func trials() []Trial {
	var all []Trial
	for _, f := range faults.All() {
		if !strings.Contains(f.Name, *trialNames) {
			continue
		}
		for m := range moments {
			for p := range plans {
				for _, storm := range []bool{false, true} {
					all = append(all, Trial{f, m, p, storm})
				}
			}
		}
	}
	return all
}

func TestCatalogue(t *testing.T) {
	all := trials()
	if raceEnabled { // a fixed part: it takes ten times as long
		kept := all[:0]
		for n := 0; n < len(all); n += 11 {
			kept = append(kept, all[n])
		}
		all = kept
	}
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
	for _, v := range verdicts {
		for _, violation := range v.Violations {
			t.Logf("%s: %v", v.Trial, violation) // TODO
		}
		t.Logf("%s: hits %d, requests %d, recovery %v, reasons %v", v.Trial, v.Hits, v.Requests, v.Recovery.Round(time.Second), v.Reasons)
	}
}
