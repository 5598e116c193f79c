package sim

import "time"

// FaultKind is something that happens to a connection.
type FaultKind uint8

// What can happen to the server's stream after a byte.
const (
	FIN         FaultKind = iota // it ends; over TLS without close_notify
	RST                          // it is reset
	Stall                        // nothing more comes, what the client writes arrives
	HalfOpen                     // nothing more comes, what the client writes is lost, and the server never learns of its end
	Trickle                      // the next Bytes bytes come one every For
	Split                        // a pause of a millisecond: the reader sees a boundary there
	Coalesce                     // what comes during For arrives at once
	Corrupt                      // the next byte is another one
	CloseNotify                  // the server's side of TLS ends orderly; At counts bytes before encryption. Without TLS it is a FIN
	faultKinds
)

var faultNames = [faultKinds]string{"FIN", "RST", "stall", "half-open", "trickle", "split", "coalesce", "corrupt", "close_notify"}

func (k FaultKind) String() string { return faultNames[k] }

// Cuts reports whether a connection does not survive it.
func (k FaultKind) Cuts() bool {
	switch k {
	case Trickle, Split, Coalesce:
		return false
	}
	return true
}

// Fault is one of them at its place.
type Fault struct {
	Kind FaultKind
	// Conn is the connection's number, from 1, and At how many bytes of it the client has received before. Zero counts over all connections.
	Conn int
	At   int64
	// For is how long a Coalesce holds (zero is 7 s), or the time between two bytes of a Trickle (zero is a second).
	For time.Duration
	// Bytes is the length of a Trickle; zero is 40.
	Bytes int64
}

func (f Fault) withDefaults() Fault {
	switch {
	case f.Kind == Coalesce && f.For == 0:
		f.For = 7 * time.Second
	case f.Kind == Trickle && f.For == 0:
		f.For = time.Second
	}
	if f.Kind == Trickle && f.Bytes == 0 {
		f.Bytes = 40
	}
	return f
}

// Fired is a fault that has happened.
type Fired struct {
	Fault
	Conn   int   // which connection it met
	Offset int64 // what that had received
	Time   time.Time
}
