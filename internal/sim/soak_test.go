package sim

import (
	"flag"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var (
	soakDays = flag.Int("soak.days", 2, "how many days to soak, each in a world of its own; 365 is the year of the figures")
	soakLog  = flag.Bool("soak.log", false, "say what goes wrong when")
	soakOnly = flag.String("soak.fault", "", "let only those faults of the catalogue happen whose name contains this, fair or not")
	soakSeed = flag.Uint64("soak.seed", 1, "seed of the first day")
)

// A day has about 14,200 changes and something going wrong every two minutes, so that a year has five million and 200,000.
func day(seed uint64) Soak {
	return Soak{Seed: seed, Duration: 24 * time.Hour, Events: 14_400, Pause: 120 * time.Second}
}

// TestSoak lets worlds live for a day each while faults of the catalogue, of the network and of etcd go on and on: nothing is lost, invented, reordered or
// delivered twice, nothing is stuck and nothing is left over.
func TestSoak(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	total := Soaked{ByName: make(map[string]int)}
	var mu sync.Mutex
	var next atomic.Int64
	t.Run("run", func(t *testing.T) {
		for worker := range 2 {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for n := next.Add(1) - 1; n < int64(*soakDays); n = next.Add(1) - 1 {
					var s Soaked
					synctest.Test(t, func(t *testing.T) {
						hangs := time.AfterFunc(30*24*time.Hour, func() { panic(fmt.Sprintf("soak of seed %d: a month has gone by", *soakSeed+uint64(n))) })
						defer hangs.Stop()
						d := day(*soakSeed + uint64(n))
						d.Only = *soakOnly
						if *soakLog {
							d.Log = t.Logf
						}
						s = d.Run(t)
					})
					mu.Lock()
					for i, v := range s.Violations {
						if i < 20 {
							t.Errorf("seed %d: %v", s.Seed, v)
						}
					}
					total.add(s)
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%v simulated in %d worlds: %d server events, %d faults of %d kinds (%d hits), %d restores, %d requests, %d relists, %d deliveries, slowest recovery %v, %d violations",
		total.Simulated.Round(time.Minute), *soakDays, total.Events, total.Faults, len(total.ByName), total.Hits, total.Restores, total.Requests, total.Relists, total.Delivered,
		total.Longest.Round(time.Second), len(total.Violations))
}

func (s *Soaked) add(o Soaked) {
	s.Simulated += o.Simulated
	s.Events += o.Events
	s.Faults += o.Faults
	s.Hits += o.Hits
	s.Restores += o.Restores
	s.Requests += o.Requests
	s.Relists += o.Relists
	s.Delivered += o.Delivered
	s.Longest = max(s.Longest, o.Longest)
	s.Violations = append(s.Violations, o.Violations...)
	for name, n := range o.ByName {
		s.ByName[name] += n
	}
}
