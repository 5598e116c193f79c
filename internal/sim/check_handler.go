package sim

import (
	"github.com/rawwatch/rawwatch/informer"
)

// cursor is how far a handler has come in the history of one key.
type cursor struct {
	pos     int // of the server's steps, -1 before the first
	first   int
	present bool
	state   State
	gaps    bool // a step was left out
}

// handler goes through what one handler saw.
func (c *checker) handler(h *HandlerRecord) {
	at := make(map[Key]*cursor)
	for i := range h.Seen {
		e := &h.Seen[i]
		cur := at[e.Key]
		if cur == nil {
			cur = &cursor{pos: -1, first: -1}
			at[e.Key] = cur
		}
		c.legal(h, cur, e)
		if !h.Narrow {
			c.follow(h, cur, e)
		}
		switch e.Kind {
		case informer.Deleted:
			cur.present = false
		default:
			cur.present, cur.state = true, e.New
		}
	}
	if h.Overlaps > 0 {
		c.add(Violation{Invariant: "I7", Where: h.Name, Detail: "two calls ran at a time"})
	}
	if !h.Synced && c.r.Converged {
		c.add(Violation{Invariant: "I37", Where: h.Name, Detail: "it never synced"})
	}
	if h.Narrow {
		return
	}
	c.ended(h, at)
	c.lossless(h, at)
}

// legal is I6, I7 and I37: what a handler is told makes sense by itself.
func (c *checker) legal(h *HandlerRecord, cur *cursor, e *Seen) {
	bad := func(invariant, detail string) {
		c.add(Violation{Invariant: invariant, Where: h.Name, Key: e.Key, Version: e.Version, Other: cur.state.Version, Detail: e.Kind.String() + ": " + detail})
	}
	switch {
	case e.Kind == informer.Added && cur.present:
		bad("I7", "it was there")
	case e.Kind != informer.Added && !cur.present:
		bad("I7", "it was not there")
	case e.Kind == informer.Updated && e.Old != cur.state:
		bad("I7", "the old state is not the one that was seen")
	case e.Kind == informer.Resync && e.New != cur.state:
		bad("I7", "a resync shows another state")
	case e.Kind != informer.Added && e.UID != cur.state.UID:
		bad("I6", "it is another object's")
	}
	if e.Kind != informer.Deleted && (e.New.Version != e.Version || e.New.UID != e.UID || e.New.Key != e.Key) {
		bad("I4", "the object is not the one that the event names")
	}
	if e.Initial && e.Synced {
		bad("I37", "a first state after the subscription was synced")
	}
}

// follow is I2 to I5 and I10: what a handler is told happened, in this order.
func (c *checker) follow(h *HandlerRecord, cur *cursor, e *Seen) {
	var pos int
	switch e.Kind {
	case informer.Resync:
		return
	case informer.Deleted:
		var agrees bool
		if pos, agrees = c.deletion(cur, e); pos < 0 {
			c.add(Violation{Invariant: "I5", Where: h.Name, Key: e.Key, Version: e.Version, Detail: "the server deleted nothing then"})
			return
		}
		if !agrees {
			c.add(Violation{Invariant: "I5", Where: h.Name, Key: e.Key, Version: e.Version, Other: e.Old.Version, Detail: "the last known state is none that came before"})
		}
	default:
		if pos = c.find(e.Key, cur.pos+1, e.New); pos < 0 {
			c.add(c.misplaced(h, cur, e))
			return
		}
	}
	if cur.first < 0 {
		cur.first = pos
	} else if pos != cur.pos+1 {
		cur.gaps = true
	}
	cur.pos = pos
	c.fresh(h, e, pos)
}

// find returns the first place, from one on, where the server had a state.
func (c *checker) find(key Key, from int, s State) int {
	steps := c.steps[key]
	for i := max(from, 0); i < len(steps); i++ {
		if !steps[i].Deleted && steps[i].State == s {
			return i
		}
	}
	return -1
}

// deletion returns where the server deleted what a handler is told is gone, and whether what it is told was there agrees with that. The version says which
// deletion it was; that of a stale one says what was known last, so it may be any.
func (c *checker) deletion(cur *cursor, e *Seen) (pos int, agrees bool) {
	steps := c.steps[e.Key]
	first, likely := -1, -1
	for i := cur.pos + 1; i < len(steps); i++ {
		s := &steps[i]
		if !s.Deleted || s.UID != e.UID {
			continue
		}
		if first < 0 {
			first = i
		}
		if e.Old != s.State && !c.known(e.Key, cur.pos, i, e.Old) {
			continue
		}
		if s.Version == e.Version && !e.Stale {
			return i, true
		}
		if likely < 0 {
			likely = i
		}
	}
	if likely >= 0 {
		return likely, true
	}
	return first, false
}

// known reports whether the server had a state between two places.
func (c *checker) known(key Key, from, to int, s State) bool {
	i := c.find(key, from, s)
	return i >= 0 && i <= to
}

// misplaced says what is wrong with a state that is not where it should be.
func (c *checker) misplaced(h *HandlerRecord, cur *cursor, e *Seen) Violation {
	v := Violation{Where: h.Name, Key: e.Key, Version: e.Version, Other: cur.state.Version}
	steps := c.steps[e.Key]
	for i := cur.pos; i >= 0; i-- {
		if steps[i].Deleted || steps[i].State != e.New {
			continue
		}
		switch {
		case i == cur.pos:
			v.Invariant, v.Detail = "I10", "it was delivered twice"
		case steps[i].Epoch == steps[cur.pos].Epoch:
			v.Invariant, v.Detail = "I3", "it was overtaken"
		default:
			v.Invariant, v.Detail = "I2", "it is of an epoch that has ended"
		}
		return v
	}
	v.Invariant, v.Detail = "I4", "the server never had it"
	return v
}

// fresh is I7: the store is at least as new as the event.
func (c *checker) fresh(h *HandlerRecord, e *Seen, pos int) {
	if e.View == nil {
		return
	}
	steps := c.steps[e.Key]
	for _, s := range e.View.Objects {
		if s.Key != e.Key {
			continue
		}
		if c.find(e.Key, pos, s) < 0 {
			c.add(Violation{Invariant: "I7", Where: h.Name, Key: e.Key, Version: s.Version, Other: e.Version, Detail: "the store is older than the event"})
		}
		return
	}
	for i := pos; i < len(steps); i++ {
		if steps[i].Deleted {
			return
		}
	}
	c.add(Violation{Invariant: "I7", Where: h.Name, Key: e.Key, Other: e.Version, Detail: "the store does not have what the event is about"})
}

// ended is I1 and I5 for a handler: what it knows in the end is what there is.
func (c *checker) ended(h *HandlerRecord, at map[Key]*cursor) {
	for key, steps := range c.steps {
		last, cur := steps[len(steps)-1], at[key]
		there := cur != nil && cur.present
		switch {
		case there && last.Deleted:
			c.add(Violation{Invariant: "I5", Where: h.Name, Key: key, Version: cur.state.Version, Other: last.Version, Detail: "it was never told of the deletion"})
		case !there && !last.Deleted:
			c.add(Violation{Invariant: "I1", Where: h.Name, Key: key, Other: last.Version, Detail: "it does not know of it"})
		case there && cur.state != last.State:
			c.add(Violation{Invariant: "I1", Where: h.Name, Key: key, Version: cur.state.Version, Other: last.Version, Detail: "it ends with another state"})
		}
	}
	for key, cur := range at {
		if _, known := c.steps[key]; !known && cur.present {
			c.add(Violation{Invariant: "I4", Where: h.Name, Key: key, Version: cur.state.Version, Detail: "the server never had the key"})
		}
	}
}

// lossless is I10: without a relist, a handler that kept up sees everything once.
func (c *checker) lossless(h *HandlerRecord, at map[Key]*cursor) {
	if h.Slow > 0 || !c.unbroken || len(h.Seen) == 0 || !c.r.Converged {
		return
	}
	for key, cur := range at {
		if cur.gaps {
			c.add(Violation{Invariant: "I10", Where: h.Name, Key: key, Detail: "a state was left out without a relist"})
		}
	}
	if h.Seen[0].View == nil {
		return
	}
	began := h.Seen[0].View.Version
	for key, steps := range c.steps {
		for i := range steps {
			cur := at[key]
			if compareVersions(steps[i].Version, began) > 0 && (cur == nil || i < cur.first) {
				c.add(Violation{Invariant: "I10", Where: h.Name, Key: key, Version: steps[i].Version, Other: began, Detail: "it was not delivered"})
			}
		}
	}
}
