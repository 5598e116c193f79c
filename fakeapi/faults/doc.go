// Package faults is a catalogue of what goes wrong between a Kubernetes API
// server and its clients, to be done to a fakeapi.Server on purpose: broken
// connections, contested HTTP, API servers that expire, throttle, restart and
// forget, proxies that answer in their place, credentials that are refused.
//
//	server := fakeapi.New(fakeapi.Options{})
//	injector := faults.New(server) // before the first connection
//	...
//	injection := injector.Inject(faults.MustFind("watch-error-410"), faults.When{Times: 3})
//	... what the controller under test does about it
//	injection.Stop()
//
// Each Fault has a name, says what it does and which invariants of a client it
// tries (see Invariants), and whether a client may notice it at all: a Legal
// fault is unusual and right, and has to be without any effect.
//
// Faults never make the server lie about its state in a way that no client
// could find out: when a fault has ended, a client that copes with it comes
// back to the server's state by itself.
//
// Everything is usable inside a testing/synctest bubble and takes its time from
// package time. An Injector is safe for concurrent use and starts no goroutine
// that outlives the connection or the timer it serves.
package faults
