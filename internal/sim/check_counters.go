package sim

import (
	"fmt"

	"github.com/rawwatch/rawwatch/listwatch"
)

// counters is I38: what Status says adds up with what the network and the server saw. It checks the checker, too: a fault that nobody noticed was none.
func (c *checker) counters() {
	r := c.r
	var asked, replaces, relists, complete uint64
	for _, s := range r.Status.Sources {
		f := s.Reflector
		asked += f.WatchLists + f.Lists + f.Pages + f.Probes + f.Watches
		complete += f.WatchLists + f.Lists
		replaces += s.Replaces
		for _, n := range f.Relists {
			relists += n
		}
	}
	if len(r.Problems) == 0 {
		c.equal("requests by purpose and by the client", asked+r.Status.Rereads, r.Stats.Requests)
	} else { // a GET that got no answer is a request, and no object read again
		c.atMost("requests by purpose and by the client", asked+r.Status.Rereads, r.Stats.Requests)
	}
	c.equal("connections dialled and asked of the network", r.Stats.Dials, uint64(r.Dials))
	c.atMost("requests received by the server and sent", uint64(r.Requests), r.Stats.Requests+r.Stats.Retries)
	sources := uint64(len(r.Status.Sources))
	c.atMost("complete states stored and begun", replaces, sources+relists)
	c.atMost("complete states stored and asked for", replaces, complete)
	for i := range r.Handlers {
		c.equal("events of handler "+r.Handlers[i].Name, uint64(len(r.Handlers[i].Seen)), r.Handlers[i].Handled)
	}
	if r.Exact {
		c.atMost("failures of connections and faults injected", uint64(c.failures()), uint64(c.cuts()+r.Refused)+r.Stats.Retries)
	}
}

// failures counts what the machine blamed on connections.
func (c *checker) failures() int {
	n := 0
	for _, t := range c.r.Transitions {
		switch t.Reason {
		case listwatch.ReasonCut, listwatch.ReasonConnection, listwatch.ReasonIdle, listwatch.ReasonOverdue, listwatch.ReasonSilent:
			if t.Err != nil {
				n++
			}
		}
	}
	return n
}

func (c *checker) cuts() int {
	n := 0
	for _, f := range c.r.Fired {
		if f.Kind.Cuts() || f.Kind == Trickle {
			n++
		}
	}
	return n
}

func (c *checker) equal(what string, a, b uint64) {
	if a != b {
		c.add(Violation{Invariant: "I38", Where: "counters", Detail: fmt.Sprintf("%s: %d and %d", what, a, b)})
	}
}

func (c *checker) atMost(what string, a, b uint64) {
	if a > b {
		c.add(Violation{Invariant: "I38", Where: "counters", Detail: fmt.Sprintf("%s: %d, more than %d", what, a, b)})
	}
}

// leaks is I24: nothing is left of a run. Goroutines are the bubble's to find.
func (c *checker) leaks() {
	for _, l := range []struct {
		what string
		n    int
	}{
		{"connections that the client has not closed", c.r.OpenConns},
		{"connections that the client knows of", c.r.Stats.Open},
		{"snapshots that are open", c.r.OpenViews},
	} {
		if l.n != 0 {
			c.add(Violation{Invariant: "I24", Where: "client", Detail: fmt.Sprintf("%d %s", l.n, l.what)})
		}
	}
}

// versions is I9 and I12: what the machine has received never goes back but at the beginning of an epoch, and epochs are not invented.
func (c *checker) versions() {
	var last listwatch.Transition
	for _, t := range c.r.Transitions {
		if t.Version == "" || t.Epoch < last.Epoch {
			if t.Epoch < last.Epoch {
				c.add(Violation{Invariant: "I12", Where: "machine", Version: t.Version, Other: last.Version, Detail: "the epoch went back"})
			}
			continue
		}
		if t.Epoch == last.Epoch && compareVersions(t.Version, last.Version) < 0 {
			c.add(Violation{Invariant: "I9", Where: "machine", Version: t.Version, Other: last.Version, Detail: "the received version went back"})
		}
		last = t
	}
	if int(last.Epoch) > c.epochs {
		c.add(Violation{Invariant: "I12", Where: "machine", Detail: fmt.Sprintf("%d epochs were seen, there were %d", last.Epoch, c.epochs)})
	}
}
