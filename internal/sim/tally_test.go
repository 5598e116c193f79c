package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

func (c *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  faults that happened %d, server events %d, relists %d, TLS %d, gzip %d, violations %d\n", c.fired, c.events, c.relists, c.tls, c.gzip, c.violations)
	for _, name := range slices.Sorted(maps.Keys(c.by)) {
		fmt.Fprintf(&b, "  %-40s %7d\n", name, c.by[name])
	}
	for _, name := range slices.Sorted(maps.Keys(c.slowest)) {
		fmt.Fprintf(&b, "  slowest recovery from %-20s %v\n", name, c.slowest[name].Round(time.Millisecond))
	}
	return b.String()
}
