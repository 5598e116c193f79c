package sim

import (
	"flag"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	seeds = flag.Int("seeds", 30, "how many seeds to run twice")
	seed  = flag.Int64("seed", -1, "run this seed only, and show where its two runs differ")
)

// TestSeeds lets chance rule in a world of each seed, wants every invariant to hold in the end, and the same trace the second time.
func TestSeeds(t *testing.T) {
	first, count := 0, *seeds
	if *seed >= 0 {
		first, count = int(*seed), 1
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	certificate := NewCertificate()
	var total Run
	var mu sync.Mutex
	var next atomic.Int64
	t.Run("run", func(t *testing.T) {
		for worker := range 2 {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for n := next.Add(1) - 1; n < int64(count); n = next.Add(1) - 1 {
					var runs [2]Run
					var traces [2]map[string][]string
					for i := range runs {
						synctest.Test(t, func(t *testing.T) {
							lines := collect(&traces[i])
							if *seed < 0 {
								lines = nil
							}
							runs[i] = RunSeed(t, uint64(first)+uint64(n), &certificate, lines)
						})
					}
					judge(t, runs, traces)
					mu.Lock()
					total.Events += runs[0].Events
					total.Faults += runs[0].Faults
					total.Restores += runs[0].Restores
					total.Simulated += runs[0].Simulated
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%d seeds, each twice: %d server events, %d faults of the network, %d restores, %v simulated",
		count, total.Events, total.Faults, total.Restores, total.Simulated.Round(time.Second))
}

func judge(t *testing.T, runs [2]Run, traces [2]map[string][]string) {
	for _, v := range runs[0].Violations {
		t.Errorf("seed %d: %v", runs[0].Seed, v)
	}
	if runs[0].Hash == runs[1].Hash {
		return
	}
	t.Errorf("seed %d: two runs, two traces", runs[0].Seed)
	for stream := range traces[0] {
		if diff := cmp.Diff(traces[0][stream], traces[1][stream]); diff != "" {
			t.Errorf("%s: -first +second\n%.4000s", stream, diff)
		}
	}
}

// collect returns a function that keeps the lines of a trace by stream.
func collect(into *map[string][]string) func(stream, line string) {
	var mu sync.Mutex
	*into = make(map[string][]string)
	return func(stream, line string) {
		mu.Lock()
		defer mu.Unlock()
		(*into)[stream] = append((*into)[stream], strings.ToValidUTF8(line, "?"))
	}
}
