package faults

import (
	"net/http"
	"time"
)

// When says to what, how often and for how long a fault happens. The zero
// value is once, at the first occasion.
type When struct {
	// On narrows, or widens, what requests the fault happens to. Zero is what
	// the fault is made for.
	On Requests
	// Match narrows further. Nil matches all.
	Match func(*http.Request) bool
	// Skip lets this many occasions pass first: requests, or, for a fault at
	// events, events of each watch.
	Skip int
	// Times is how often it happens: to how many requests, events, dials or
	// calls of a handler. Zero is once, negative is without bound.
	Times int
	// For is how long it lasts, from Inject on. Zero is until Stop, or until it
	// has happened often enough. For a fault that begins at once and is
	// undone later (a server that is down, say) zero is its own time.
	For time.Duration
	// Offset moves a fault of the connection by that many bytes: from the
	// first byte of the answer, or from the place that its name says.
	Offset int64
	// Reached, if set, is called each time it happens, by the goroutine it
	// happens in, before it does: the place to cancel the client under test.
	Reached func()
}
