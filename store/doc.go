// Package store keeps the objects of one or several collections in memory, indexed, and hands out consistent views of
// them: one writer at a time, any number of readers, and no reader ever waits for a relist.
//
// Every batch of changes is one commit with a sequence number of its own. An object is a node with a short chain of
// entries, the newest first; a reader takes a sequence number and sees, of each node, the newest entry that is not
// younger. Writers prune the chains down to what some open reader can still see, so a Snapshot costs nothing to take
// and then only what has changed since.
//
// The store never looks into an object: key, UID and resourceVersion come beside it, so a value may be anything, and
// may have had anything stripped from it. Values are shared with every reader and must not be modified.
package store
