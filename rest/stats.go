package rest

// Stats counts what a client did and holds. One watch is one connection: InUse is the number of requests and open bodies at this moment.
type Stats struct {
	Requests uint64 `json:"requests"` // calls of Do that reached a connection
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
