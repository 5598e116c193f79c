package informer

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/rawwatch/rawwatch/store"
)

// Problem is an object that could not be stored as it came: its frame was bad, it did not decode, its transform failed,
// an index function panicked on it. Everything else goes on. Where the key is known, the object is read again by GET.
type Problem struct {
	Key             Key // zero where the frame did not say
	ResourceVersion string
	Reason          string // a short constant, for counting
	Err             error
	Time            time.Time

	again bool   // it is not to be read again
	order uint64 // counts them
}

// Error does not print the object: key, reason and cause only.
func (p Problem) Error() string {
	return fmt.Sprintf("informer: %s: %s: %v", store.FormatKey(p.Key), p.Reason, p.Err)
}

// Unwrap returns the cause.
func (p Problem) Unwrap() error { return p.Err }

// problems is what is known to be wrong in the store.
type problems struct {
	mu        sync.Mutex
	counts    map[string]uint64
	stale     map[Key]Problem // the store's state of these is not the newest
	order     uint64          // how many there have been
	last      *Problem
	rereads   []Key // to be read again
	more      chan struct{}
	panics    uint64
	lastPanic error // of a handler, until acknowledged
}

// maxStale bounds the list of stale keys: a codec that fails on everything must not double the store.
const maxStale = 1000

func (p *problems) add(problem Problem) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counts == nil {
		p.counts = make(map[string]uint64)
		p.stale = make(map[Key]Problem)
	}
	p.counts[problem.Reason]++
	p.order++
	problem.order = p.order
	p.last = &problem
	if problem.Key.Name == "" {
		return
	}
	if _, known := p.stale[problem.Key]; !known && len(p.stale) >= maxStale {
		return
	}
	p.stale[problem.Key] = problem
	if !problem.again {
		p.readAgain(problem.Key)
	}
}

// readAgain has an object read again by GET. The caller holds mu.
//
//go:noinline // it is called from everywhere
func (p *problems) readAgain(key Key) {
	if slices.Contains(p.rereads, key) {
		return
	}
	p.rereads = append(p.rereads, key)
	select {
	case p.more <- struct{}{}:
	default:
	}
}

// known returns how many problems there have been.
func (p *problems) known() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.order
}

func (p *problems) isStale(key Key) bool { return p.problemOf(key) > 0 }

// problemOf returns the number of a key's problem, zero if it has none.
func (p *problems) problemOf(key Key) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stale[key].order
}

// relisted forgets the problems of a namespace, "" for all, that were known before a list which has not repeated them.
func (p *problems) relisted(namespace string, before uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.stale, func(key Key, problem Problem) bool {
		return problem.order <= before && (namespace == "" || key.Namespace == namespace)
	})
}

// clearProblems forgets the problems, up to one, of keys of which a good state, or the removal, is in the store.
func clearProblems[T any](p *problems, changes iter.Seq[*store.Change[T]], last uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.stale) == 0 {
		return
	}
	for c := range changes {
		p.settled(c.Key, last)
	}
}

// settled forgets a key's problem if there has been none after the last one given. The caller holds mu.
func (p *problems) settled(key Key, last uint64) {
	if p.stale[key].order <= last {
		delete(p.stale, key)
	}
}

// cleared is settled for those who do not hold mu.
//
//go:noinline // it is called from everywhere
func (p *problems) cleared(key Key, last uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settled(key, last)
}

// problem reports and counts, and has the object read again.
func (i *Informer[T]) problem(p Problem) {
	p.Time = time.Now()
	i.problems.add(p)
	i.options.Logger.Warn("object skipped", "resource", i.resource.String(), "key", store.FormatKey(p.Key), "reason", p.Reason, "error", p.Err)
	if i.options.OnProblem != nil {
		i.options.OnProblem(p)
	}
}

// indexProblems reports the objects that an index function panicked on. They are in the store, so they are not stale.
func (i *Informer[T]) indexProblems(err error) {
	if err == nil {
		return
	}
	list := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list = joined.Unwrap()
	}
	for _, err := range list {
		p := Problem{Reason: "index", Err: err, again: true}
		if ie, ok := errors.AsType[*store.IndexError](err); ok {
			p.Key = ie.Key
		}
		i.problem(p)
		i.problems.cleared(p.Key, math.MaxUint64)
	}
}

// older reports whether version a is known to be older than b. Versions that cannot be compared are only ever equal.
//
//go:noinline // it is called from everywhere
func older(a, b string) bool {
	c, err := resourceversion.CompareResourceVersion(a, b)
	if err != nil {
		return a != b
	}
	return c < 0
}
