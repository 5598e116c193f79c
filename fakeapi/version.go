package fakeapi

// Version returns the newest version: etcd's revision, one increasing number
// for all resources.
func (s *Server) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// SetVersion moves the version forward without a change to any object, as
// writes to resources elsewhere in etcd do. Bookmarks show it. A version that
// is not ahead is ignored; Restore goes back.
func (s *Server) SetVersion(version uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if version > s.version {
		s.advance(version)
	}
}

// Compact forgets every state and change older than the present version: a
// watch or an exact list from before it is answered 410. Watches that are
// open go on, because the real server feeds them from its own cache.
func (s *Server) Compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compactTo(s.version)
}

// CompactTo is Compact for versions below the given one.
func (s *Server) CompactTo(version uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compactTo(min(version, s.version))
}

// ExpireWatches ends every open watch and compacts beyond the newest version
// any of them can know, so that each resume is answered 410 and must relist.
func (s *Server) ExpireWatches() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endWatches()
	s.advance(s.version + 1)
	s.compactTo(s.version)
}

// Bookmark sends a bookmark now on every open watch that asked for them.
func (s *Server) Bookmark() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.order {
		for _, w := range c.watchers {
			w.bookmarkNow = true
			w.signal()
		}
	}
}

// CloseWatches ends every open watch with a complete body, as the server does
// at a watch's timeout. Changes made before the call are still sent.
func (s *Server) CloseWatches() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endWatches()
}

// Snapshot is the state of a server at one version.
type Snapshot struct {
	version uint64
	objects map[string][]*object // by resource name
}

// Version returns the version the snapshot was taken at.
func (s *Snapshot) Version() uint64 { return s.version }

// Snapshot keeps the present state for Restore.
func (s *Server) Snapshot() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	snap := &Snapshot{version: s.version, objects: make(map[string][]*object)}
	for name, c := range s.byName {
		snap.objects[name] = c.at(s.version, "", "")
	}
	return snap
}

// Restore puts the state back to a snapshot, as an etcd restore does: the
// version goes back to the snapshot's, later versions are issued a second
// time with other content, and history begins anew there. All connections are
// cut, because API servers have to be restarted with such an etcd.
func (s *Server) Restore(snap *Snapshot) {
	s.mu.Lock()
	s.endWatches()
	s.version = snap.version
	for name, c := range s.byName {
		c.restore(snap.objects[name], snap.version)
	}
	s.tellRestored()
	s.mu.Unlock()
	s.CutConnections()
}

func (c *collection) restore(objects []*object, version uint64) {
	fresh := newCollection(c.kind, c.limit) // kind itself stays: streams on their way out read it without the lock
	c.keys, c.sorted, c.revisions, c.dead = fresh.keys, fresh.sorted, fresh.revisions, fresh.dead
	c.log, c.floor, c.watchers = nil, version, nil
	for _, o := range objects {
		key := o.meta.key()
		c.keys = append(c.keys, key)
		c.revisions[key] = []revision{{o.version, o}}
	}
}

// Register adds a custom resource while the server runs, as the creation of a
// CustomResourceDefinition does. A resource that exists is left as it is.
func (s *Server) Register(r Resource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.register(newCustom(r))
}
