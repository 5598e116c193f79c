package child

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// moment is the cumulative state of the process at some time.
type moment struct {
	time      time.Time
	cpu       float64 // seconds
	system    float64 // of them in the kernel
	faults    int64   // pages that the kernel had to bring, nearly all of them because they were touched for the first time
	allocated uint64  // bytes
	mallocs   uint64
}

func now() moment {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for oneself
	system := float64(u.Stime.Nano()) / 1e9
	cpu := float64(u.Utime.Nano())/1e9 + system
	return moment{time.Now(), cpu, system, u.Minflt, m.TotalAlloc, m.Mallocs}
}

// until is what has been used since, at a moment that was just now.
func (m moment) until(end time.Time) map[string]float64 {
	n := now()
	return map[string]float64{
		"elapsed_s":       end.Sub(m.time).Seconds(),
		"cpu_s":           n.cpu - m.cpu,
		"system_s":        n.system - m.system,
		"page_faults":     float64(n.faults - m.faults),
		"allocated_bytes": float64(n.allocated - m.allocated),
		"allocations":     float64(n.mallocs - m.mallocs),
	}
}

// settled measures memory after two collections, and the time of the second.
func settled() map[string]float64 {
	runtime.GC()
	start := time.Now()
	runtime.GC()
	gc := time.Since(start)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	mapped := mappedOutside(&m)
	return map[string]float64{
		"gc_ms":        gc.Seconds() * 1e3,
		"heap_mb":      float64(m.HeapAlloc)/1e6 + mapped,
		"mapped_mb":    mapped,
		"heap_objects": float64(m.HeapObjects),
		"rss_mb":       proc("VmRSS"),
		"goroutines":   float64(runtime.NumGoroutine()),
	}
}

// leftAlone measures what the process holds when nothing has happened for a while, so that the runtime's scavenger had time;
// and what it holds once the runtime has given back all that it keeps for its next growth.
func leftAlone(while time.Duration) map[string]float64 {
	runtime.GC()
	runtime.GC()
	time.Sleep(while)
	idle := proc("VmRSS")
	debug.FreeOSMemory()
	return map[string]float64{"idle_mb": idle, "given_back_mb": proc("VmRSS")}
}

// mappedOutside is what the process has in anonymous memory beyond what Go's runtime has of the system, in MB: storage
// that is not in the heap must be counted. The runtime's own part beyond its count and the threads' stacks stay below a few MB.
func mappedOutside(m *runtime.MemStats) float64 {
	outside := proc("RssAnon") - float64(m.Sys-m.HeapReleased)/1e6
	if outside < 16 {
		return 0
	}
	return outside
}

// proc is a figure of /proc/self/status, in MB.
func proc(name string) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb * 1024 / 1e6
		}
	}
	return 0
}
