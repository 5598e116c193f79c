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
	Transitions []listwatch.Transition
	OpenConns   int // that the client has not closed
	OpenViews   int // snapshots that have not been closed
	Converged   bool
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

// Check returns what is wrong with a run.
func Check(r *Record) []Violation {
	c := &checker{r: r}
	c.index()
	c.final()
	return c.found
}
