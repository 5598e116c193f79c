// Package sim runs the whole client against fakeapi in a testing/synctest bubble, over a network whose faults are exact to the byte, and then compares
// what everybody saw with what the server had.
//
// A World is one run: a server, a network, a client, an informer and its handlers. Everything that happens in it follows from its seed: no two timers fall
// together, because each source of simulated time has a nanosecond offset of its own, and between two reads of a connection time moves on, so that what one
// piece of a stream causes has happened before the next arrives. Trace hashes what was seen; one seed has one hash.
//
// Check is the judge: a function from a Record, which is data, to violations, so that a test can break a history and see it found.
package sim
