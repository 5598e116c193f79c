package sim

// final is I1 and I8: in the end the store is what the server has, and the index is what the store has.
func (c *checker) final() {
	if !c.r.Converged {
		c.add(Violation{Invariant: "I1", Where: "store", Detail: "it did not converge in time"})
	}
	c.same("I1", "store", c.present(), c.r.Store)
	c.same("I8", "index", c.r.Store, c.r.Index)
}

// present is what the server has in the end.
func (c *checker) present() []State {
	var all []State
	for _, steps := range c.steps {
		if last := steps[len(steps)-1]; !last.Deleted {
			all = append(all, last.State)
		}
	}
	return all
}

// same compares two sets of states.
func (c *checker) same(invariant, where string, want, got []State) {
	have := make(map[Key]State, len(got))
	for _, s := range got {
		if _, twice := have[s.Key]; twice {
			c.add(Violation{Invariant: invariant, Where: where, Key: s.Key, Version: s.Version, Detail: "it is there twice"})
		}
		have[s.Key] = s
	}
	for _, s := range want {
		h, ok := have[s.Key]
		delete(have, s.Key)
		switch {
		case !ok:
			c.add(Violation{Invariant: invariant, Where: where, Key: s.Key, Other: s.Version, Detail: "it is missing"})
		case h != s:
			c.add(Violation{Invariant: invariant, Where: where, Key: s.Key, Version: h.Version, Other: s.Version, Detail: "it is another state"})
		}
	}
	for _, s := range have {
		c.add(Violation{Invariant: invariant, Where: where, Key: s.Key, Version: s.Version, Detail: "it should not be there"})
	}
}
