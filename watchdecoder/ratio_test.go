package watchdecoder_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// BenchmarkRatios compares what must not lose touch with each other, on one core: go test -run '^$' -bench Ratios -cpu 1.
// All take turns of a few hundred microseconds on the same events and each counts with its best turn, so that a busy machine
// changes figures little and ratios hardly at all.
//
//	ns/event    time of the decoder: framing and identity
//	x-loop      how many times faster it is than a plain loop that finds the end of the value (endOfValue)
//	x-json      ... than encoding/json.Valid
//	valid-ns    time of Valid
//	valid-x-json how many times faster that is than encoding/json.Valid
func BenchmarkRatios(b *testing.B) {
	benchmarks(b, func(b *testing.B, objects [][]byte) {
		events := frames(objects)
		d := watchdecoder.NewDecoder(&endless{b: bytes.Join(events, nil)}, watchdecoder.Options{})
		turns := []func(event []byte) bool{
			func(event []byte) bool { return endOfValue(event) > 0 },
			json.Valid,
			func([]byte) bool { f, err := d.Next(); return err == nil && len(f.Identity.Name) > 0 },
			func(event []byte) bool { return watchdecoder.Valid(event) == nil },
		}
		best := []float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
		b.ReportAllocs()
		for b.Loop() {
			for i, turn := range turns {
				start := time.Now()
				for _, event := range events {
					if !turn(event) {
						b.Fatal("refused")
					}
				}
				best[i] = min(best[i], float64(time.Since(start).Nanoseconds())/float64(len(events)))
			}
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(best[2], "ns/event")
		b.ReportMetric(best[0]/best[2], "x-loop")
		b.ReportMetric(best[1]/best[2], "x-json")
		b.ReportMetric(best[3], "valid-ns")
		b.ReportMetric(best[1]/best[3], "valid-x-json")
	})
}
