// Package server runs the library and the rawwatch binary against a real
// kube-apiserver.
package server

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rawwatch/rawwatch/conformance/cluster"
	"github.com/rawwatch/rawwatch/rest"
)

// limitedToken authenticates a user who may do nothing but discovery.
const limitedToken = "limited-token"

// shared is the cluster of all tests that neither stop it nor need options.
var shared struct {
	sync.Once
	cluster *cluster.Cluster
	err     error
}

func sharedCluster(t *testing.T) *cluster.Cluster {
	t.Helper()
	shared.Do(func() {
		shared.cluster, shared.err = cluster.Start(context.Background(), cluster.Options{
			Log:    os.Stderr,
			Tokens: []cluster.Token{{Value: limitedToken, User: "limited"}},
		})
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.cluster
}

func TestMain(m *testing.M) {
	code := run(m)
	os.Exit(code)
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
	for _, remove := range binary.remove {
		remove()
	}
	if c := shared.cluster; c != nil {
		if code != 0 {
			fmt.Fprintln(os.Stderr, c.LogTail(10))
		}
		if err := c.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	if err := goleak.Find(goleak.IgnoreTopFunction("k8s.io/klog/v2.(*flushDaemon).run.func1")); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// configFor is a Config for the cluster, made by hand.
func configFor(c *cluster.Cluster, token string) rest.Config {
	return rest.Config{
		Server: c.URL(),
		CAData: c.CA(),
		Token:  func(context.Context) (string, error) { return token, nil },
	}
}

func newClient(t *testing.T, config rest.Config) *rest.Client {
	t.Helper()
	client, err := rest.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// witness is the net/http client that makes and checks what the library sees.
func witness(t *testing.T, c *cluster.Cluster) *cluster.Client {
	w := c.Client(cluster.AdminToken)
	t.Cleanup(w.Close)
	return w
}

// must fails the test unless the witness's request was accepted.
func must(t *testing.T, w *cluster.Client, method, path, body string) []byte {
	t.Helper()
	ctx := cluster.Deadline(t, 30*time.Second)
	response, err := w.Do(ctx, method, path, map[string][]string{"Content-Type": {"application/json"}}, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	if response.Code >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, response.Code, response.Body)
	}
	return response.Body
}

// namespace makes a namespace of the test's own.
func namespace(t *testing.T, w *cluster.Client, name string) string {
	t.Helper()
	must(t, w, "POST", "/api/v1/namespaces", fmt.Sprintf(`{"kind":"Namespace","apiVersion":"v1","metadata":{"name":%q}}`, name))
	return name
}
