// Package credentials runs watches on a real kube-apiserver with every kind of credential and transport that a kubeconfig can name, and changes them
// under way: what the watch says is the server's history, nothing lost and nothing twice.
package credentials

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/rawwatch/rawwatch/conformance/cluster"
)

// tokens are static; each is a user of its own.
var tokens = []cluster.Token{
	{Value: "planted-first", User: "first", Groups: admins},
	{Value: "planted-second", User: "second", Groups: admins},
	{Value: "planted-impersonator", User: "impersonator"},
	{Value: "planted-plugin-1", User: "plugin-1", Groups: admins},
	{Value: "planted-plugin-2", User: "plugin-2", Groups: admins},
	{Value: "planted-plugin-3", User: "plugin-3", Groups: admins},
	{Value: "planted-plugin-4", User: "plugin-4", Groups: admins},
}

var admins = []string{"system:masters"}

// shared is the cluster of all tests that leave it as it is.
var shared struct {
	sync.Once
	cluster *cluster.Cluster
	err     error
}

func sharedCluster(t *testing.T) *cluster.Cluster {
	t.Helper()
	shared.Do(func() {
		shared.cluster, shared.err = cluster.Start(context.Background(), cluster.Options{Log: os.Stderr, Tokens: tokens})
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.cluster
}

func TestMain(m *testing.M) {
	if os.Getenv(pluginVariable) != "" {
		os.Exit(beThePlugin())
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	// These tests wait for servers far more than they compute.
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("12"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
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
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
