package fifo

import "time"

// EventKind says what happened to an object.
type EventKind uint8

const (
	ObjectAdded   EventKind = iota + 1 // New is there
	ObjectUpdated                      // New took the place of Old
	ObjectDeleted                      // New was the last known state, Old the one that the log showed before
	ObjectResync                       // nothing happened: New is as it was
)

var eventNames = [...]string{"Unknown", "Added", "Updated", "Deleted", "Resync"}

func (k EventKind) String() string {
	if int(k) < len(eventNames) {
		return eventNames[k]
	}
	return eventNames[0]
}

// Event is one change of one object. Old and New are shared with the store and with every other
// handler: they may be kept and must not be modified.
type Event[T any] struct {
	Kind            EventKind
	Key             Key
	UID             string
	ResourceVersion string // of New; of a deletion, where the deletion is known to have happened, else of Old
	Old, New        T
	Initial         bool      // part of the state that a subscription begins with
	Stale           bool      // a relist noticed the deletion: Old may not be the object's last state
	Received        time.Time // when the bytes that carried it had arrived

	// Generation counts the relists that replaced the collection. Events of different generations are never merged.
	Generation uint64
}
