package informer

import (
	"github.com/rawwatch/rawwatch/fifo"
	"github.com/rawwatch/rawwatch/store"
)

// Key names an object: namespace and name.
type Key = store.Key

// Event is one change of one object. Old and New are shared with the store and with every other handler: they may be
// kept and must not be modified.
type Event[T any] = fifo.Event[T]

// What an Event may say.
const (
	Added   = fifo.ObjectAdded   // New is there; Initial when it was there already as the subscription began
	Updated = fifo.ObjectUpdated // New took the place of Old
	Deleted = fifo.ObjectDeleted // Old was the last known state; Stale when only a relist noticed
	Resync  = fifo.ObjectResync  // nothing happened: New is as it was
)

// Slow-handler policies; see fifo.Policy.
const (
	Coalesce      = fifo.Coalesce
	Block         = fifo.Block
	DropAndResync = fifo.DropAndResync
)
