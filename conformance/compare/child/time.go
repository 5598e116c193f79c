package child

import (
	"fmt"
	"runtime"
	"time"
)

// Time measures an operation, with a growing k, into f: name_ns, name_allocs.
func Time(f map[string]float64, name string, do func(k int)) {
	const long = 200 * time.Millisecond
	k := 0
	for n := 1; ; n *= 2 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		for range n {
			do(k)
			k++
		}
		elapsed := time.Since(start)
		runtime.ReadMemStats(&after)
		if elapsed >= long {
			f[name+"_ns"] = float64(elapsed.Nanoseconds()) / float64(n)
			f[name+"_allocs"] = float64((after.Mallocs - before.Mallocs) / uint64(n))
			return
		}
	}
}

// Namespace is that of the load server's pod k.
func Namespace(k int) string { return fmt.Sprintf("team-%03d", k%100) }

// Node is where pod k runs.
func Node(k int) string { return fmt.Sprintf("node-%04d", k%3000) }

// Name is pod k's.
func Name(k int) string { return fmt.Sprintf("web-7d4b9c5f6-x%06d", k) }
