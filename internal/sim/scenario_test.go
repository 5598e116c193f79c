package sim

import (
	"flag"
	"fmt"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var scenarios = flag.String("scenarios", "", "which scenarios to run: all, or every so many; empty is every 250th, under the race detector every fiftieth")

// TestScenarios breaks a session at one byte, in one way, and wants every invariant to hold in the end. All of them: -scenarios=all.
func TestScenarios(t *testing.T) {
	var all *Scenarios
	synctest.Test(t, func(t *testing.T) { all = NewScenarios(t) })
	step := 250
	switch {
	case *scenarios == "all":
		step = 1
	case *scenarios != "":
		var err error
		if step, err = strconv.Atoi(*scenarios); err != nil || step < 1 {
			t.Fatalf("-scenarios=%s: neither all nor a number", *scenarios)
		}
	case raceEnabled:
		step = 50
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a world is garbage as a whole
	tally := newTally()
	var next atomic.Int64
	began := time.Now()
	t.Run("run", func(t *testing.T) {
		for worker := range 2 {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for !tally.enough() {
					n := int(next.Add(int64(step))) - step
					if n >= all.Len() {
						return
					}
					synctest.Test(t, func(t *testing.T) { tally.add(t, n, all.Run(t, all.At(n))) })
				}
			})
		}
	})
	t.Logf("%d scenarios of %d in %v\n%s", tally.count, all.Len(), time.Since(began).Round(time.Second), tally)
}

// tally sums up outcomes.
type tally struct {
	mu         sync.Mutex
	count      int
	fired      int
	events     int
	violations int
	tls, gzip  int
	relists    uint64
	by         map[string]int
	slowest    map[string]time.Duration
}

func newTally() *tally {
	return &tally{by: make(map[string]int), slowest: make(map[string]time.Duration)}
}

// enough reports whether so much is wrong that more would not help.
func (c *tally) enough() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.violations > 100
}

func (c *tally) add(t *testing.T, n int, o Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	c.events += o.Events
	c.relists += o.Relists
	if o.Fired {
		c.fired++
	} else {
		c.by["not met: "+o.Fault.Kind.String()+" over "+o.Framing.String()]++
	}
	if o.Framing.TLS {
		c.tls++
	}
	if o.Framing.Gzip {
		c.gzip++
	}
	c.by["fault "+o.Fault.Kind.String()]++
	c.by["framing "+o.Framing.String()]++
	c.by["phase "+o.Phase]++
	kind := o.Fault.Kind.String()
	c.slowest[kind] = max(c.slowest[kind], o.Recovery)
	for _, v := range o.Violations {
		c.violations++
		t.Errorf("scenario %d, %s: %v", n, o.Scenario, v)
	}
}
