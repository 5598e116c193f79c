package rest

import "sync/atomic"

// Stats counts what a client did and holds. One watch is one connection: InUse is the number of requests and open bodies at this moment.
type Stats struct {
	Requests uint64 `json:"requests"` // valid calls of Do, retries not counted
	Dials    uint64 `json:"dials"`    // connections attempted
	Failed   uint64 `json:"failed"`   // connections that could not be made (dial, proxy, TLS)
	Reused   uint64 `json:"reused"`   // requests sent on a connection that had served another
	Retries  uint64 `json:"retries"`  // requests sent again because a kept connection turned out dead
	Stale    uint64 `json:"stale"`    // kept connections dropped because the peer had closed them or had sent bytes nobody asked for
	Closed   uint64 `json:"closed"`   // connections closed
	Open     int    `json:"open"`     // connections open now: InUse + Idle
	InUse    int    `json:"inUse"`
	Idle     int    `json:"idle"`
}

// counters are the running part of Stats; the pool knows the rest.
type counters struct {
	requests, dials, failed, reused, retries, stale, closed atomic.Uint64
}

// Stats returns the client's counters. Those of one moment need not belong together exactly.
func (c *Client) Stats() Stats {
	open, idle := c.pool.size()
	return Stats{
		Requests: c.count.requests.Load(), Dials: c.count.dials.Load(), Failed: c.count.failed.Load(), Reused: c.count.reused.Load(),
		Retries: c.count.retries.Load(), Stale: c.count.stale.Load(), Closed: c.count.closed.Load(),
		Open: open, Idle: idle, InUse: open - idle,
	}
}
