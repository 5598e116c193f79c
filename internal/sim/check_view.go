package sim

import "maps"

// replay is the server's state at one place of its history.
type replay struct {
	steps []Step
	next  int
	epoch int
	state map[Key]State
}

// to moves on to a version of an epoch, which is not behind.
func (p *replay) to(epoch int, version string) {
	p.epoch = epoch
	for ; p.next < len(p.steps); p.next++ {
		s := &p.steps[p.next]
		if s.Epoch > epoch || s.Epoch == epoch && !s.Restored && compareVersions(s.Version, version) > 0 {
			return
		}
		if s.Deleted {
			delete(p.state, s.Key)
		} else {
			p.state[s.Key] = s.State
		}
	}
}

// shows reports whether the state is what a view showed.
func (p *replay) shows(objects []State, except map[Key]bool) bool {
	n := 0
	for _, s := range objects {
		if except[s.Key] {
			continue
		}
		if p.state[s.Key] != s {
			return false
		}
		n++
	}
	for key := range p.state {
		if !except[key] {
			n--
		}
	}
	return n == 0
}

// views is I8 and I11: whenever a handler looked, the store was a state that the server had had, whole, at the version that the store named; and the
// index agreed with it.
func (c *checker) views(h *HandlerRecord) {
	p := &replay{steps: c.r.Server, state: make(map[Key]State)}
	for i := range h.Seen {
		v := h.Seen[i].View
		if v == nil {
			continue
		}
		c.same("I8", h.Name+"'s view of the index", v.Objects, v.Index)
		if next := c.locate(p, v); next != nil {
			p = next
			continue
		}
		c.add(Violation{Invariant: "I11", Where: h.Name, Key: h.Seen[i].Key, Version: v.Version, Detail: "the store showed what the server did not have at that version"})
	}
}

// locate finds the place of the history that a view shows: in the present epoch, or in one that has begun since.
func (c *checker) locate(p *replay, v *View) *replay {
	for epoch := p.epoch; epoch <= c.epochs; epoch++ {
		try := p
		if c.epochs > p.epoch {
			clone := *p
			clone.state = maps.Clone(p.state)
			try = &clone
		}
		try.to(epoch, v.Version)
		if try.shows(v.Objects, c.problems) {
			return try
		}
	}
	return nil
}
