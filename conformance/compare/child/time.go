package child

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

// Read is one way of reading from an informer. Do must neither format nor allocate for itself: only what is read counts.
type Read struct {
	Name string
	Do   func(k int) // k grows
}

// Reads are ways of reading, and Busy those of them that are measured beside a writer, too.
type Reads struct{ Idle, Busy []Read }

// TimeIdle measures reads with nothing beside them: each as NAME_ns, NAME_allocs. The best of its times counts, for what
// makes the others longer is not in the process.
func TimeIdle(reads []Read) map[string]float64 { return timeAll(reads, 0) }

// TimeBusy measures reads beside a writer, who is in the process: the median counts.
func TimeBusy(reads []Read) map[string]float64 { return timeAll(reads, times/2) }

const (
	times = 7
	long  = 50 * time.Millisecond
)

// timeAll takes of each read's times, and allocations, the one at rank.
func timeAll(reads []Read, rank int) map[string]float64 {
	f := map[string]float64{}
	for _, read := range reads {
		took, allocated := read.time()
		slices.Sort(took)
		slices.Sort(allocated)
		f[read.Name+"_ns"], f[read.Name+"_allocs"] = took[rank], allocated[times/2]
	}
	return f
}

// time returns what a call takes and allocates, several times.
func (r Read) time() (took, allocated []float64) {
	k, n := 0, 1
	for len(took) < times {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		for range n {
			r.Do(k)
			k++
		}
		elapsed := time.Since(start)
		runtime.ReadMemStats(&after)
		if elapsed < long && len(took) == 0 {
			n *= 2 // more calls, until they take long enough
			continue
		}
		took = append(took, float64(elapsed.Nanoseconds())/float64(n))
		allocated = append(allocated, float64(after.Mallocs-before.Mallocs)/float64(n))
	}
	return took, allocated
}

const (
	namespaces = 100
	nodes      = 3000
	stride     = 7919 // between the pods that are read: not the order in which they came
)

// Asked is what the reads ask for, made before they are measured.
type Asked[K any] struct {
	keys              []K
	nodes, namespaces []string
}

// NewAsked returns what to ask of so many pods.
func NewAsked[K any](objects int, key func(namespace, name string) K) *Asked[K] {
	a := &Asked[K]{keys: make([]K, objects)}
	for k := range namespaces {
		a.namespaces = append(a.namespaces, fmt.Sprintf("team-%03d", k))
	}
	for k := range nodes {
		a.nodes = append(a.nodes, fmt.Sprintf("node-%04d", k))
	}
	for k := range a.keys {
		a.keys[k] = key(a.namespaces[k%namespaces], fmt.Sprintf("web-7d4b9c5f6-x%06d", k))
	}
	return a
}

// Key is that of a pod.
func (a *Asked[K]) Key(k int) K { return a.keys[k*stride%len(a.keys)] }

// Node is one where pods run.
func (a *Asked[K]) Node(k int) string { return a.nodes[k%nodes] }

// Namespace is one that has pods.
func (a *Asked[K]) Namespace(k int) string { return a.namespaces[k%namespaces] }
