package store

import "sync"

// views knows which commits somebody is reading, and what goes with the newest one. Its lock is held for a few
// assignments only, so opening a view takes well under a microsecond whatever the store holds.
type views struct {
	mu       sync.Mutex
	seq      uint64 // the newest commit
	count    int    // objects as of seq
	versions []sourceVersion
	readers  []reader // sorted by seq: a new reader always takes the newest commit
	closed   bool     // a commit lost its last reader since the writer looked
}

type sourceVersion struct {
	name    string
	version string
	gone    bool
}

type reader struct {
	seq  uint64
	refs int
}

// open registers a reader of the newest commit.
func (v *views) open() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.openLocked()
}

func (v *views) openLocked() uint64 {
	if n := len(v.readers); n > 0 && v.readers[n-1].seq == v.seq {
		v.readers[n-1].refs++
	} else {
		v.readers = append(v.readers, reader{seq: v.seq, refs: 1})
	}
	return v.seq
}

// release ends one registration of seq and reports whether it was the last one of an old commit, so that something
// may be waiting to be pruned.
func (v *views) release(seq uint64) (last bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range v.readers {
		if v.readers[i].seq != seq {
			continue
		}
		if v.readers[i].refs--; v.readers[i].refs == 0 {
			v.readers = append(v.readers[:i], v.readers[i+1:]...)
			v.closed = v.closed || seq < v.seq
			return seq < v.seq
		}
		return false
	}
	return false
}

// sequences appends the commits that somebody reads to dst, ascending, and reports whether one of them lost its last
// reader since the previous call.
func (v *views) sequences(dst []uint64) (open []uint64, closed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.readers {
		dst = append(dst, r.seq)
	}
	closed, v.closed = v.closed, false
	return dst, closed
}

func (v *views) anyClosed() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.closed
}

func (v *views) len() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.count
}

// commit makes seq the newest commit: grown by objects, its source now at version (unchanged when empty). then runs
// under the lock, so that no reader registers an older commit after it.
func (v *views) commit(seq uint64, grown, source int, version string, then func(uint64)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.seq = seq
	v.count += grown
	if version != "" {
		v.versions[source].version = version
	}
	then(seq)
}

// held returns how many registrations have not been released.
func (v *views) held() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	held := 0
	for _, r := range v.readers {
		held += r.refs
	}
	return held
}
