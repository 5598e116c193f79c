package main

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// The types of events, as they stand on the wire.
const (
	typeAdded    = "ADDED"
	typeModified = "MODIFIED"
	typeDeleted  = "DELETED"
	typeBookmark = "BOOKMARK"
	typeError    = "ERROR"
)

// event is one thing to print. Its slices are the iterator's and valid while it is printed.
type event struct {
	time     time.Time
	kind     string // one of the types
	resource string // as the user would name it: "pods", "deployments.apps"; or a path
	typeName string // "pods", "deployments.apps", for a path too
	key      types.NamespacedName
	uid      string
	version  string

	// apiVersion and objectKind are what the object is known to be, for a delete whose object nobody has.
	apiVersion, objectKind string

	object []byte // nil when only the identity is known
	raw    []byte // the envelope as sent, nil when the object came in a list or was missing from one

	conn   uint64 // 0: not known
	offset int64  // of raw, or of object, in the response's body
	chunks span

	initial bool // belongs to the state at the beginning
	relist  bool // found by comparison with a new state, not sent as a change
	marker  bool // the bookmark that ends the initial events of a watch-list
}

// size is how many bytes of the body the event took.
func (e *event) size() int {
	if e.raw != nil {
		return len(e.raw)
	}
	return len(e.object)
}

// note is what people should know besides.
func (e *event) note() string {
	switch {
	case e.marker:
		return "initial events end"
	case e.relist:
		return "found by relist"
	case e.initial:
		return "initial"
	}
	return ""
}
