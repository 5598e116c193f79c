package cluster

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Run starts a cluster for one test and stops it at the test's end. When the
// test failed, the servers' last lines are printed and their whole logs kept
// in $RAWWATCH_LOGS, if that is set.
func Run(t testing.TB, o Options) *Cluster {
	t.Helper()
	if o.Log == nil {
		o.Log = t.Output()
	}
	c, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			c.report(t)
		}
		if err := c.Close(); err != nil {
			t.Errorf("stop the cluster: %v", err)
		}
	})
	return c
}

func (c *Cluster) report(t testing.TB) {
	t.Logf("last lines of the servers' logs:\n%s", c.LogTail(10))
	dir := os.Getenv("RAWWATCH_LOGS")
	if dir == "" {
		return
	}
	dir = filepath.Join(dir, t.Name())
	if err := c.KeepLogs(dir); err != nil {
		t.Logf("keep logs: %v", err)
		return
	}
	t.Logf("the servers' logs are in %s", dir)
}

// Deadline returns the test's context with a bound for waits on real servers,
// after which a test fails with what it was waiting for instead of hanging.
func Deadline(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
