// Package informer keeps the objects of a Kubernetes resource in memory, indexed, and tells any number of handlers what
// changes. It is what most programs import.
//
// An Informer is generic in the handle that the program holds: a pointer to a struct that declares the fields it reads,
// raw bytes, bytes decoded on access, or metadata alone. A Factory shares informers among the parts of a program.
// Nothing runs before Run; when Run returns every goroutine has ended.
//
// What a handler may rely on:
//
//   - The store is at least as new as the event.
//   - Events of one key come in order, and make sense one after the other: an object is added before it is updated.
//   - Another UID under the same key is a Deleted and an Added.
//   - Objects that a relist finds unchanged are not delivered again; the removal of an object never seen is nothing.
//   - A deletion that only a relist noticed is marked Stale.
//   - A handler that is too slow costs bounded memory and nobody else's time, unless it asks to Block.
package informer
