package fifo

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Key names an object.
type Key = types.NamespacedName

// DeltaType says what a Delta does to a collection.
type DeltaType uint8

const (
	Added    DeltaType = iota + 1 // the object is new, or says to be
	Updated                       // the object has a new state
	Deleted                       // the object is gone; Value is its last known state
	Replaced                      // the whole collection is Objects, as of ResourceVersion
	Resync                        // nothing changed: the object, or with no key every object, is to be looked at again
	Bookmark                      // nothing changed up to ResourceVersion
)

var deltaNames = [...]string{"Unknown", "Added", "Updated", "Deleted", "Replaced", "Resync", "Bookmark"}

func (t DeltaType) String() string {
	if int(t) < len(deltaNames) {
		return deltaNames[t]
	}
	return deltaNames[0]
}

// Delta is one change of a collection.
type Delta[T any] struct {
	Type            DeltaType
	Key             Key
	UID             string
	ResourceVersion string
	Value           T
	Stale           bool       // a tombstone: a relist noticed the deletion, so Value may not be the object's last state
	Objects         []Delta[T] // of Replaced: tombstones first, then what is there
	Received        time.Time
}
