// Package listwatch keeps one collection of a Kubernetes API server in sight: it lists, watches, resumes and lists again when it must.
//
// [Reflector.Events] is the long-lived form: complete states framed by ReplaceBegin and ReplaceEnd, and every change between them. [Follow] yields only
// what changed, across relists too; [Until] waits for something to happen; [Watch] and [List] are a single request each, for those who want to see
// precisely that.
//
// # How it works
//
// The protocol is a machine without I/O and without a clock: step(now, input) gives the actions to perform, one struct per state. The driver beside it
// performs them in the goroutine that iterates: requests through rest, frames through watchdecoder. No goroutine is started.
//
//	idle ──> watch-list ──(marker)──────────────> watching <──> probing
//	  │          └──(refused, silent)──> list ──────^  │  resumes at the received version after whatever broke the stream
//	  └──────────────────────────────────^  ^────────┘  410, an impossible version, malformed bytes twice, ...: relist
//	waiting stands between any two of them when there is something to wait for
//
// # Versions
//
// Received is the version of the last frame taken off the wire: a resume starts there. Applied is the version that the consumer is done with; by default
// an event is applied when the loop body returns. A resume starts there when what was received has been lost. Versions are compared as numbers where both
// are decimal (KEP-5504), and for equality otherwise.
//
// An epoch is a period in which the server's versions only grow. It ends when a server is found to be behind what it had said before, as after the restore
// of an etcd backup; then everything is listed again, and nothing of the old state may be kept because its version looks familiar.
package listwatch
