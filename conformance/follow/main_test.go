// Package follow runs informers against a real kube-apiserver while it is
// written to, restarted and compacted, and the smallest example program.
package follow

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/rawwatch/rawwatch/conformance/cluster"
)

var shared struct {
	sync.Once
	cluster *cluster.Cluster
	err     error
}

// sharedCluster is the one of this package's tests, which run one by one.
func sharedCluster(t *testing.T) *cluster.Cluster {
	t.Helper()
	shared.Do(func() {
		shared.cluster, shared.err = cluster.Start(context.Background(), cluster.Options{Log: os.Stderr})
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.cluster
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	code := m.Run()
	if c := shared.cluster; c != nil {
		if code != 0 {
			fmt.Fprintln(os.Stderr, c.LogTail(10))
		}
		if err := c.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	if err := goleak.Find(flushDaemon()); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// flushDaemon is started by a package that k8s.io/api imports.
func flushDaemon() goleak.Option {
	return goleak.IgnoreAnyFunction("k8s.io/klog/v2.(*flushDaemon).run.func1")
}

// waitsForServer is the goroutine that waits for a server of the cluster.
func waitsForServer() goleak.Option {
	return goleak.IgnoreAnyFunction("github.com/rawwatch/rawwatch/conformance/cluster.startProcess.func1")
}
