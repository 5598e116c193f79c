package sim

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/rest"
)

// Options configure a World. The zero value is a good one.
type Options struct {
	// Seed decides everything that is left to chance.
	Seed uint64
	// Server configures the server; its Seed is the world's.
	Server fakeapi.Options
	// Client configures the client; Server, Dial and what TLS needs are the world's.
	Client rest.Config
	// Informer configures the informer; the reflector's Rand and Observe are the world's, which calls an Observe given here, too.
	Informer informer.Options
	// Handlers are those of the informer. Nil is Handlers().
	Handlers []HandlerOptions

	// Dial, if set, stands around the network's Dial.
	Dial func(dial DialFunc) DialFunc

	// Exact says that the network's faults are the only ones, so that each failure of a connection must be one of them.
	Exact bool

	// TLS encrypts, with Certificate or, where it is nil, a new one.
	TLS         bool
	Certificate *tls.Certificate
	// Gzip has the client ask for compressed lists and watch-lists, and the server compress everything.
	Gzip bool

	// Latency lets what the server sends travel for so long, and Pace bounds how many bytes arrive at one instant: with both, what a run does is the same each
	// time. Zero is none and no bound: faster, and good where nothing is repeated.
	Latency time.Duration
	Pace    int
	// Trace keeps the hash of the run.
	Trace bool
	// Lines, with Trace, sees every entry of the trace: what to look at where two runs differ. It is called from many goroutines.
	Lines func(stream string, line string)
}

// HandlerOptions is one handler of the informer.
type HandlerOptions struct {
	informer.Handler[*Object] // Name, Policy, Limit, Resync, Match; the callbacks are the world's
	// Batch takes events by OnBatch.
	Batch bool
	// Delay is how long a call takes.
	Delay time.Duration
	// Look has the handler look at the store as each event comes: whether that is as new as the event, and a state that the server had.
	Look bool
	// Do, if set, is called at the end of each call.
	Do func()
}

// DialFunc is a rest.Config.Dial.
type DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// Handlers are three of different speed: one that takes no time and looks at the store, one that is slow and has its changes merged, one that takes batches.
func Handlers() []HandlerOptions {
	fast, slow, batch := HandlerOptions{Look: true}, HandlerOptions{Delay: 300*time.Millisecond + 17}, HandlerOptions{Batch: true, Delay: 40*time.Millisecond + 13}
	fast.Name, slow.Name, batch.Name = "fast", "slow", "batch"
	slow.Limit = 3
	return []HandlerOptions{fast, slow, batch}
}
