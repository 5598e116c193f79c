package fakeapi

// The methods of this file act on the state as an administrator of etcd
// could: no authentication, no validation beyond what keeps the state sane.
// A resource is named as Resource.Name does ("pods", "deployments.apps",
// "widgets.example.com"). An object is a []byte, json.RawMessage or string of
// JSON, or anything encoding/json turns into an object; kind and apiVersion
// may be left out. Errors are *StatusError.

// Create adds an object. A namespaced object without a namespace goes to
// "default". A uid or creationTimestamp in the object is kept.
func (s *Server) Create(resource string, object any) (Object, error) { return Object{}, nil }

// Update replaces an object, whatever its resourceVersion says. The uid and
// creationTimestamp of the stored object are kept.
func (s *Server) Update(resource string, object any) (Object, error) { return Object{}, nil }

// Apply creates the object or, if its name is taken, updates it.
func (s *Server) Apply(resource string, object any) (Object, error) { return Object{}, nil }

// Delete removes an object at once, finalizers or not, and returns its last
// state at the version of the deletion.
func (s *Server) Delete(resource, namespace, name string) (Object, error) { return Object{}, nil }

// Get returns the present state of an object.
func (s *Server) Get(resource, namespace, name string) (Object, error) { return Object{}, nil }

// List returns the present state of a collection in the order of the server's
// lists, and the version it stands at. An empty namespace means all.
func (s *Server) List(resource, namespace string) ([]Object, uint64, error) { return nil, 0, nil }

// Version returns the newest version: etcd's revision, one increasing number
// for all resources.
func (s *Server) Version() uint64 { return 0 }

// SetVersion moves the version forward without a change to any object, as
// writes to resources elsewhere in etcd do. Bookmarks show it. A version that
// is not ahead is ignored; Restore goes back.
func (s *Server) SetVersion(version uint64) {}

// Compact forgets every state and change older than the present version: a
// watch or an exact list from before it is answered 410. Watches that are
// open and up to date go on.
func (s *Server) Compact() {}

// CompactTo is Compact for versions below the given one.
func (s *Server) CompactTo(version uint64) {}

// ExpireWatches ends every open watch and compacts beyond the newest version
// any of them can know, so that each resume is answered 410 and must relist.
func (s *Server) ExpireWatches() {}

// Bookmark sends a bookmark now on every open watch that asked for them.
func (s *Server) Bookmark() {}

// Snapshot is the state of a server at one version.
type Snapshot struct{ version uint64 }

// Version returns the version the snapshot was taken at.
func (s *Snapshot) Version() uint64 { return s.version }

// Snapshot keeps the present state for Restore.
func (s *Server) Snapshot() *Snapshot { return &Snapshot{} }

// Restore puts the state back to a snapshot, as an etcd restore does: the
// version goes back to the snapshot's, later versions are issued a second
// time with other content, and history begins anew there. All connections are
// cut, because API servers have to be restarted with such an etcd.
func (s *Server) Restore(*Snapshot) {}
