package watchdecoder

import (
	"bytes"

	"k8s.io/apimachinery/pkg/types"
)

// EventType is the type of a watch event.
type EventType uint8

// The types of a watch event (API concepts, "Efficient detection of changes"). Unknown is none of them.
const (
	Unknown EventType = iota
	Added
	Modified
	Deleted
	Bookmark
	Error
)

// String is the type as it stands on the wire, such as ADDED.
func (t EventType) String() string {
	switch t {
	case Added:
		return "ADDED"
	case Modified:
		return "MODIFIED"
	case Deleted:
		return "DELETED"
	case Bookmark:
		return "BOOKMARK"
	case Error:
		return "ERROR"
	}
	return "UNKNOWN"
}

// Frame is one watch event. It and everything that it refers to is valid until the next call to the decoder.
type Frame struct {
	Type     EventType
	Object   []byte // value of "object"
	Raw      []byte // the whole event {...} as sent, without surrounding white space
	Identity Identity
	// InitialEventsEnd says that this bookmark ends the initial events of a watch-list: its annotation
	// k8s.io/initial-events-end is "true" (KEP-3157).
	InitialEventsEnd bool
	Offset           int64 // of Raw's first byte in the body
}

// Item is one object of a list. It and everything that it refers to is valid until the next call to the decoder.
type Item struct {
	Object   []byte
	Identity Identity
	Index    int   // in the list's items, from 0
	Offset   int64 // of Object's first byte in the body
}

// Identity says which object at which version. The slices are unescaped, empty where absent, and valid until the next call
// to the decoder they came from; Clone outlives it.
type Identity struct {
	APIVersion, Kind, Namespace, Name, UID, ResourceVersion []byte
}

// Key is namespace and name, as strings of their own.
//
//go:noinline // it is called from everywhere
func (i Identity) Key() types.NamespacedName {
	return types.NamespacedName{Namespace: string(i.Namespace), Name: string(i.Name)}
}

// Clone copies the identity into memory of its own.
func (i Identity) Clone() Identity {
	return Identity{
		APIVersion:      bytes.Clone(i.APIVersion),
		Kind:            bytes.Clone(i.Kind),
		Namespace:       bytes.Clone(i.Namespace),
		Name:            bytes.Clone(i.Name),
		UID:             bytes.Clone(i.UID),
		ResourceVersion: bytes.Clone(i.ResourceVersion),
	}
}
