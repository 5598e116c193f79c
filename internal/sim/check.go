package sim

import (
	"fmt"

	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
)

// Record is everything that the checker looks at: data, taken from a world that has been stopped, or made up by a test.
type Record struct {
	Server   []Step
	Handlers []HandlerRecord
	Store    []State // at the end
	Index    []State // at the end, by way of the index
	Status   informer.Status
	Stats    rest.Stats
	// Requests is how many the server received, Dials how many connections were asked of the network.
	Requests    int
	Dials       int
	Fired       []Fired
	Refused     int // connections that the network refused
	Transitions []listwatch.Transition
	OpenConns   int // that the client has not closed
	OpenViews   int // snapshots that have not been closed
	Converged   bool
	Epochs      int   // restores of the server
	Problems    []Key // of objects that were reported as unusable: for a time the store may lack what the server has
	Exact       bool  // the network's faults are the only ones
	Lossy       bool  // there may be events of which nobody can say which object they were about: the store lacks them until the next list
}

// HandlerRecord is what one handler saw.
type HandlerRecord struct {
	Name     string
	Seen     []Seen
	Overlaps int    // calls that ran beside another one
	Handled  uint64 // what Status says
	Slow     uint64
	Synced   bool
	Narrow   bool // Match hides some of it: only legality is checked
}

// Violation is an invariant that does not hold.
type Violation struct {
	Invariant string // I1 to I40
	Where     string // "store", or the handler's name
	Key       Key
	Version   string // of the state that is wrong
	Other     string // of the state it is compared with
	Detail    string
}

func (v Violation) Error() string {
	return fmt.Sprintf("%s: %s: %s@%s (%s): %s", v.Invariant, v.Where, v.Key, v.Version, v.Other, v.Detail)
}

// Check returns what is wrong with a run. Each violation names the invariant of the table in docs/reliability.md.
func Check(r *Record) []Violation {
	c := &checker{r: r, steps: make(map[Key][]Step), problems: make(map[Key]bool)}
	c.index()
	c.final()
	for i := range r.Handlers {
		c.handler(&r.Handlers[i])
		if !r.Lossy {
			c.views(&r.Handlers[i])
		}
	}
	c.versions()
	c.counters()
	c.leaks()
	return c.found
}

// checker goes through a record.
type checker struct {
	r        *Record
	steps    map[Key][]Step // the server's, by key
	epochs   int
	unbroken bool // one list, one epoch, no bad object: everything after the list must have been delivered
	problems map[Key]bool
	found    []Violation
}

func (c *checker) add(v Violation) { c.found = append(c.found, v) }

func (c *checker) index() {
	for _, s := range c.r.Server {
		c.steps[s.Key] = append(c.steps[s.Key], s)
		c.epochs = max(c.epochs, s.Epoch)
	}
	c.epochs = max(c.epochs, c.r.Epochs)
	for _, key := range c.r.Problems {
		c.problems[key] = true
	}
	c.unbroken = c.epochs == 0 && len(c.r.Problems) == 0
	for _, s := range c.r.Status.Sources {
		c.unbroken = c.unbroken && len(s.Reflector.Relists) == 0
	}
}
