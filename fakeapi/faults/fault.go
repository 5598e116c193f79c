package faults

import (
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// Group is where a fault happens.
type Group string

// The groups of the catalogue.
const (
	Network     Group = "network"     // bytes and connections
	HTTP        Group = "http"        // heads, framing, encodings, and proxies that answer themselves
	API         Group = "api"         // lists, watches and errors, in correct HTTP
	Process     Group = "process"     // servers and handlers that stop, wait, restart, panic
	Credentials Group = "credentials" // who the client is
)

// Fault is one way in which things go wrong. Faults are made by this package;
// find them with All, InGroup and Find.
type Fault struct {
	// Name is unique and stable: words in lower case, joined by hyphens.
	Name  string
	Group Group
	// Summary says in one line what happens.
	Summary string
	// Invariants are those that a client could break under it.
	Invariants []Invariant
	// On is what requests it happens to unless When says otherwise; zero for a
	// fault that needs no request.
	On Requests
	// Legal marks what is unusual but right: a client has to take it as if
	// nothing were.
	Legal bool

	// What follows is how it is done; one of them is set, or two.

	// answer takes the place of the server.
	answer func(*exchange)
	// alter stands around the server's answer.
	alter func(*exchange, http.Handler)
	// event takes the place of one event of a watch.
	event func(*exchange, fakeapi.Event) []fakeapi.Event
	// about is which events those are.
	about eventKind
	// wire makes what is done to the connection from the answer's first byte on.
	wire func(*exchange) wirePlan
	// accept is done to each new connection.
	accept func(*conn)
	// begin is done to the server or its connections at once; what it returns,
	// unless nil, ends it.
	begin func(*Injection) (end func())
	// dial takes the place of a connection that is asked for.
	dial func(*Injection, *dialing) error
	// handle is done inside a handler of the client.
	handle func(*Injection)
}

// Place says how a fault takes effect, which is also what it needs.
type Place string

// The places of faults.
const (
	AtRequest    Place = "request"    // a matching request
	AtEvent      Place = "event"      // an event of a matching watch
	AtConnection Place = "connection" // the bytes that answer a matching request
	AtOnce       Place = "at once"    // the server, from the injection on
	AtDial       Place = "dial"       // the client dials with Injector.Dial
	AtHandler    Place = "handler"    // the handler under test calls Injector.Handle
)

// Place returns how the fault takes effect.
func (f *Fault) Place() Place {
	switch {
	case f.event != nil:
		return AtEvent
	case f.wire != nil, f.accept != nil:
		return AtConnection
	case f.begin != nil:
		return AtOnce
	case f.dial != nil:
		return AtDial
	case f.handle != nil:
		return AtHandler
	}
	return AtRequest
}

// catalogue is made on first use: a program that does not ask pays nothing.
var catalogue = sync.OnceValue(func() []*Fault {
	all := slices.Concat(networkFaults(), httpFaults(), apiFaults(), processFaults(), credentialFaults())
	seen := make(map[string]bool, len(all))
	for _, f := range all {
		if seen[f.Name] {
			panic("faults: two of the name " + f.Name)
		}
		seen[f.Name] = true
	}
	return all
})

// All returns the catalogue, by group, in a fixed order. The faults are shared:
// do not modify them.
func All() []*Fault { return slices.Clone(catalogue()) }

// InGroup returns the faults of one group.
func InGroup(g Group) []*Fault {
	return slices.DeleteFunc(All(), func(f *Fault) bool { return f.Group != g })
}

// Find returns the fault of a name.
func Find(name string) (*Fault, error) {
	for _, f := range catalogue() {
		if f.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("faults: no fault is called %q", name)
}

// MustFind is Find for names that are constants of a test; it panics.
func MustFind(name string) *Fault {
	f, err := Find(name)
	if err != nil {
		panic(err)
	}
	return f
}

// in sets the group of faults.
func in(g Group, lists ...[]*Fault) []*Fault {
	all := slices.Concat(lists...)
	for _, f := range all {
		f.Group = g
	}
	return all
}

// eventKind is what events a fault is about.
type eventKind uint8

const (
	objects   eventKind = iota // and ERROR
	bookmarks                  // but for the marker of a watch-list
	markersOnly
)
