package fakeapi

import "slices"

// Change is one write as the server committed it, whoever made it: the truth
// that a client's view of the server is compared with.
type Change struct {
	// Resource is the resource's Name.
	Resource string
	// Type is ADDED, MODIFIED, DELETED or RESTORED.
	Type string
	// Version is that of the write; of RESTORED, the one the server went back
	// to.
	Version uint64
	// Object is the new state; of DELETED, the last one at the version of the
	// deletion.
	Object Object
	// Objects are all there are after RESTORED, in the order of a list.
	Objects []Object
}

// OnChange lets f see every change from now on, in the order of their versions,
// until remove is called. A Restore is one change per resource. f is called
// with the server locked: it must not call the server.
func (s *Server) OnChange(f func(Change)) (remove func()) {
	entry := &hook[func(Change)]{f}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = append(slices.Clip(s.changed), entry)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed = slices.DeleteFunc(slices.Clone(s.changed), func(e *hook[func(Change)]) bool { return e == entry })
	}
}

// tell reports a commit. The mutex is held.
func (s *storage) tell(c *collection, ch *change) {
	if len(s.changed) == 0 {
		return
	}
	told := Change{Resource: c.Name(), Version: ch.version}
	switch {
	case ch.after == nil:
		told.Type, told.Object = "DELETED", ch.gone.public()
	case ch.before == nil:
		told.Type, told.Object = "ADDED", ch.after.public()
	default:
		told.Type, told.Object = "MODIFIED", ch.after.public()
	}
	for _, e := range s.changed {
		e.value(told)
	}
}

// tellRestored reports a Restore. The mutex is held.
func (s *storage) tellRestored() {
	for _, c := range s.order {
		if len(s.changed) == 0 {
			return
		}
		told := Change{Resource: c.Name(), Type: "RESTORED", Version: s.version}
		for _, o := range c.at(s.version, "", "") {
			told.Objects = append(told.Objects, o.public())
		}
		for _, e := range s.changed {
			e.value(told)
		}
	}
}
