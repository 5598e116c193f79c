package listwatch

import (
	"time"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// Kind is what an event is about.
type Kind uint8

const (
	// ReplaceBegin starts a complete state: a list, or the initial events of a watch-list. Everything up to ReplaceEnd belongs to it and is not to be shown
	// before; Reason says why it is made. A ReplaceBegin is always followed by ReplaceEnd or ReplaceAbort before the next one, or by the end of the iteration.
	ReplaceBegin Kind = iota + 1
	// ReplaceItem is an object of the complete state. The same object may come again, changed: the last one counts.
	ReplaceItem
	// ReplaceRemove is an object that was deleted while the complete state was being sent (a DELETED event before a watch-list's marker).
	// It need not have come before.
	ReplaceRemove
	// ReplaceEnd completes the state, which stands at Version: what was there before and did not come is gone.
	ReplaceEnd
	// ReplaceAbort says that the state was not completed and must be forgotten; Err and Reason say why. Another ReplaceBegin follows.
	ReplaceAbort
	// Added, Modified and Deleted are changes. The object of a Deleted is its last state, at the version of its deletion.
	Added
	Modified
	Deleted
	// Bookmark says that everything up to Version has been sent.
	Bookmark
	// Problem is an object that could not be read; it was skipped. Err says why, Reason is a watchdecoder rule, Identity holds what is known of the object.
	// Inside a replace it was part of the state: keep what you have of it.
	Problem
)

// String returns the kind's name, such as ReplaceBegin.
func (k Kind) String() string {
	if int(k) < len(kindNames) && k > 0 {
		return kindNames[k]
	}
	return "Unknown"
}

var kindNames = [...]string{
	ReplaceBegin: "ReplaceBegin", ReplaceItem: "ReplaceItem", ReplaceRemove: "ReplaceRemove", ReplaceEnd: "ReplaceEnd", ReplaceAbort: "ReplaceAbort",
	Added: "Added", Modified: "Modified", Deleted: "Deleted", Bookmark: "Bookmark", Problem: "Problem",
}

// Event is one step of what an iteration yields. It and the bytes it refers to are valid until the next iteration.
type Event struct {
	Kind Kind
	// Identity is the object's. Of a bookmark it is that of the bookmark's object.
	Identity watchdecoder.Identity
	// Object is the object's JSON, not validated; Raw is the whole watch event around it, nil for an item of a list. Both are nil for a Deleted that a
	// relist noticed.
	Object []byte
	Raw    []byte
	// Version is where the collection stands after this event: a watch could begin there. Empty inside a replace; the object's own is in Identity.
	Version string
	// Offset is where Raw, or Object when there is no Raw, begins in the response body.
	Offset int64
	// Conn numbers the connection within the client, from 1.
	Conn     uint64
	Received time.Time
	// Initial marks what belongs to the first complete state, or to the initial events of a Watch.
	Initial bool
	// Stale marks a Deleted that a relist noticed: the last state and the time of the deletion are not known (Follow only).
	Stale  bool
	Err    error
	Reason string
}
