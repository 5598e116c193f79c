// Package fifo keeps what changed, in order.
//
// Queue stands before the store: deltas of one collection, in the order of the wire, bounded, so that a slow store
// slows the socket down and nothing is lost in between. Log stands after the store: events that many readers follow,
// each at its own pace, none of them able to make the others wait or to make memory grow without end.
//
// All types are safe for use by several goroutines where their documentation does not say otherwise. No goroutine is
// started here.
package fifo
