package faults

import (
	"net/http"
	"time"
)

// replicas are several API servers with one etcd, whose watch caches stand at
// different heights, as during a rolling restart.
func replicas() []*Fault {
	tries := []Invariant{Replicas, Monotone, FinalState}
	// behind serves requests from a cache that stands still since the injection.
	behind := func(name, says string, own time.Duration, which func(n int) bool) *Fault {
		return &Fault{Name: name, Summary: says, Invariants: tries, On: Reads | Get, begin: func(n *Injection) func() {
			caughtUp := make(chan struct{})
			height := n.injector.server.Version()
			number := 0
			remove := n.injector.server.Replica(func(r *http.Request) (uint64, <-chan struct{}) {
				number++
				if !which(number) {
					return 0, nil
				}
				return height, caughtUp
			})
			n.expire(n.lasting(own))
			return func() { remove(); close(caughtUp) }
		}}
	}
	return []*Fault{
		behind("replica-behind", "every request meets a server whose cache stands still for a minute", time.Minute, func(int) bool { return true }),
		behind("replicas-apart", "every other request meets a server whose cache stands still for five minutes", 5*time.Minute, func(n int) bool { return n%2 == 0 }),
		behind("replica-far-behind", "two of three requests meet a server whose cache stands still for an hour", time.Hour, func(n int) bool { return n%3 != 0 }),
	}
}
