// Package lively keeps a fakeapi server busy the way a small cluster would:
// nodes report, deployments roll out and scale, pods are scheduled, run,
// crash, restart and go, and events tell of it.
package lively

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// Options configure Run. For numbers zero means the stated default.
type Options struct {
	// Seed decides everything that is random.
	Seed uint64
	// Rate is the average number of changes per second. Default 4.
	Rate float64
	// Nodes is the number of nodes. Default 3.
	Nodes int
	// Namespaces get two deployments each. Default "shop" and "billing".
	Namespaces []string
	// ExpireAfter is when all watches are ended beyond recall, once, so that
	// clients must relist. Default 6 s. Negative never does.
	ExpireAfter time.Duration
	// Ready, if set, is called once when the server has been filled, before
	// the first change.
	Ready func()
}

func (o Options) withDefaults() Options {
	if o.Rate <= 0 {
		o.Rate = 4
	}
	if o.Nodes <= 0 {
		o.Nodes = 3
	}
	if len(o.Namespaces) == 0 {
		o.Namespaces = []string{"shop", "billing"}
	}
	if o.ExpireAfter == 0 {
		o.ExpireAfter = 6 * time.Second
	}
	return o
}

// Run fills the server at once, before the first tick of its clock, and then
// changes it until ctx ends; it returns the cause of that. Objects that
// somebody else deletes are replaced. Another error of a write ends it early:
// two runs on one server, say.
func Run(ctx context.Context, server *fakeapi.Server, o Options) error {
	c, err := newCluster(server, o)
	if err != nil {
		return err
	}
	if o.Ready != nil {
		o.Ready()
	}
	return c.run(ctx)
}

// cluster is what the controllers of a real one know between them.
type cluster struct {
	server    *fakeapi.Server
	options   Options
	rand      *rand.Rand
	nodes     []*node
	workloads []*workload
}

func newCluster(server *fakeapi.Server, o Options) (*cluster, error) {
	o = o.withDefaults()
	c := &cluster{server: server, options: o, rand: rand.New(rand.NewPCG(o.Seed, 0x6c6976656c79))}
	for i := range o.Nodes {
		if err := c.addNode(fmt.Sprintf("node-%d", i+1)); err != nil {
			return nil, err
		}
	}
	for _, namespace := range o.Namespaces {
		if err := c.addNamespace(namespace); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *cluster) run(ctx context.Context) error {
	var expire <-chan time.Time
	if c.options.ExpireAfter > 0 {
		timer := time.NewTimer(c.options.ExpireAfter)
		defer timer.Stop()
		expire = timer.C
	}
	tick := time.NewTimer(c.pause())
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-expire:
			c.server.ExpireWatches()
		case <-tick.C:
			if err := c.step(); err != nil {
				return err
			}
			tick.Reset(c.pause())
		}
	}
}

// pause makes changes come as independent events do: exponentially spaced,
// but for the longest silences, which would look like a stall.
func (c *cluster) pause() time.Duration {
	mean := float64(time.Second) / c.options.Rate
	return time.Duration(mean * min(c.rand.ExpFloat64(), 4))
}

// action is something that can happen now, and how likely against the others.
type action struct {
	weight int
	do     func() error
}

// step lets one thing happen.
func (c *cluster) step() error {
	actions := []action{{2, c.heartbeat}}
	for _, w := range c.workloads {
		actions = append(actions, c.workloadActions(w)...)
		for _, p := range w.pods {
			actions = append(actions, c.podActions(w, p)...)
		}
	}
	total := 0
	for _, a := range actions {
		total += a.weight
	}
	n := c.rand.IntN(total)
	for _, a := range actions {
		if n -= a.weight; n < 0 {
			return a.do()
		}
	}
	return nil
}

// object is a JSON object under construction.
type object = map[string]any

// missing says that somebody else has deleted what was to be written.
func missing(err error) bool {
	var status *fakeapi.StatusError
	return errors.As(err, &status) && status.Code == http.StatusNotFound
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }
