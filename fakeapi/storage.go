package fakeapi

import (
	"context"
	"slices"
	"sync"
	"time"
)

// storage is what etcd and the watch cache are to an API server: all objects
// of all resources under one increasing version.
type storage struct {
	history int // Options.History

	mu       sync.Mutex // guards everything below, collections included
	random   *random    // here, so that it follows the order of writes
	version  uint64
	advanced chan struct{} // closed and replaced when version moves
	byName   map[string]*collection
	order    []*collection
	changed  []*hook[func(Change)] // told of every commit
}

func newStorage(seed uint64, history int) *storage {
	s := &storage{
		history:  history,
		random:   newRandom(seed),
		version:  1,
		advanced: make(chan struct{}),
		byName:   make(map[string]*collection),
	}
	for _, b := range builtins {
		s.register(b.build())
	}
	return s
}

// advance moves the version and wakes whoever waits for it.
func (s *storage) advance(version uint64) {
	s.version = version
	close(s.advanced)
	s.advanced = make(chan struct{})
}

func (s *storage) compactTo(version uint64) {
	for _, c := range s.order {
		c.compact(version)
	}
}

func (s *storage) endWatches() {
	for _, c := range s.order {
		for _, w := range slices.Clone(c.watchers) {
			w.end(s.version)
		}
	}
}

func (s *storage) register(k *kind) {
	if s.byName[k.Name()] != nil {
		return
	}
	c := newCollection(k, s.history)
	c.floor = s.version
	s.byName[k.Name()] = c
	s.order = append(s.order, c)
}

// groups returns the API groups in the order of discovery, the core group
// first.
func (s *storage) groups() []string {
	seen := map[string]bool{}
	var groups []string
	for _, c := range s.order {
		if !seen[c.Group] {
			seen[c.Group] = true
			groups = append(groups, c.Group)
		}
	}
	return groups
}

// awaitVersion returns once the server has reached a version, or refuses
// after a while. The mutex is held on entry and return, not between.
func (s *storage) awaitVersion(ctx context.Context, version uint64, patience time.Duration) error {
	if version <= s.version {
		return nil
	}
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for version > s.version {
		advanced := s.advanced
		s.mu.Unlock()
		select {
		case <-advanced:
			s.mu.Lock()
		case <-deadline.C:
			s.mu.Lock()
			if version > s.version {
				return tooLarge(version, s.version)
			}
		case <-ctx.Done():
			s.mu.Lock()
			return context.Cause(ctx)
		}
	}
	return nil
}
