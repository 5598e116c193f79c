// Package fidelity holds fakeapi to the real server: the same requests to
// both, and the answers compared - codes, heads, Status objects word by word,
// the order of keys, what is in a list or watch and what is not.
package fidelity

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/conformance/cluster"
	"github.com/rawwatch/rawwatch/fakeapi"
)

// The same definition as fakeWidgets.
const crd = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList","shortNames":["wd"]},
"versions":[{"name":"v1","served":true,"storage":true,"selectableFields":[{"jsonPath":".spec.color"}],
"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"color":{"type":"string"}}}}}}}]}}`

var fakeWidgets = fakeapi.Resource{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", ShortNames: []string{"wd"},
	Namespaced: true, SelectableFields: []string{".spec.color"}}

func realSide(t *testing.T, c *cluster.Cluster) *side {
	d := &side{name: "kube-apiserver", client: c.Client(cluster.AdminToken), limited: c.Client("limited-token"), nobody: c.Client("unknown-token"),
		versions: newVersions(), vars: map[string]string{}}
	if _, err := d.client.Do(t.Context(), "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", nil, []byte(crd)); err != nil {
		t.Fatal(err)
	}
	awaitWidgets(t, d.client)
	return d
}

// awaitWidgets returns once the custom resource is served: after its
// definition, and after a restart.
func awaitWidgets(t *testing.T, client *cluster.Client) {
	ctx := cluster.Deadline(t, 30*time.Second)
	for _, path := range []string{"/apis/example.com/v1/widgets", "/apis/example.com/v1/widgets?resourceVersion=0", "/apis/example.com"} {
		for code := 0; code != 200; time.Sleep(50 * time.Millisecond) {
			response, err := client.Do(ctx, "GET", path, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			code = response.Code
		}
	}
}

func fakeSide(t *testing.T, s *fakeapi.Server) *side {
	url, err := s.Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	client := func(token string) *cluster.Client { return cluster.NewClient(url, nil, token) }
	return &side{name: "fakeapi", client: client(cluster.AdminToken), limited: client("limited-token"), nobody: client("unknown-token"),
		versions: newVersions(), vars: map[string]string{}}
}

func TestFakeAPIAnswersAsTheRealServer(t *testing.T) {
	c := cluster.Run(t, cluster.Options{Tokens: []cluster.Token{{Value: "limited-token", User: "limited"}}})
	fake := fakeapi.New(fakeapi.Options{
		Resources: []fakeapi.Resource{fakeWidgets},
		Tokens:    map[string]fakeapi.User{cluster.AdminToken: {Name: "admin"}, "limited-token": {Name: "limited", Rules: []fakeapi.Rule{}}},
	})
	real, other := realSide(t, c), fakeSide(t, fake)

	both := comparison{t: t}
	both.run("setup", setup(), 1, real, other)
	both.run("reads", reads(), 16, real, other)
	both.run("writes", writes(), 1, real, other)
	// etcd's compaction alone leaves the watch cache's memory: a restart with
	// nothing but the compacted state does not.
	if err := c.Compact(t.Context(), real.vars["gone"]); err != nil {
		t.Fatal(err)
	}
	if err := c.RestartAPIServer(t.Context(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	awaitWidgets(t, real.client)
	fake.Compact()
	both.run("compacted", compacted(), 16, real, other)
	both.finish()
}

// comparison performs steps on two servers and reports where they differ.
type comparison struct {
	t          *testing.T
	steps      int
	different  int
	used       map[string]bool // accepted differences that were met
	transcript strings.Builder // of the real server
	report     strings.Builder
}

func (c *comparison) run(name string, steps []step, width int, real, fake *side) {
	c.t.Helper()
	start := time.Now()
	var want, got []string
	var wg sync.WaitGroup
	wg.Go(func() { want = performAll(c.t.Context(), real, steps, width) })
	wg.Go(func() { got = performAll(c.t.Context(), fake, steps, width) })
	wg.Wait()
	if c.used == nil {
		c.used = map[string]bool{}
	}
	before := c.different
	for i, s := range steps {
		// A watch of one second on a busy machine may end too early. What may be
		// asked in any order may be asked again.
		for again := 0; again < 2 && width > 1 && want[i] != got[i] && accepted[s.title()] == ""; again++ {
			want[i] = performAll(c.t.Context(), real, steps[i:i+1], 1)[0]
			got[i] = performAll(c.t.Context(), fake, steps[i:i+1], 1)[0]
		}
		c.steps++
		fmt.Fprintf(&c.transcript, "## %s\n%s\n", s.title(), want[i])
		reason := accepted[s.title()]
		switch {
		case want[i] == got[i]:
		case reason != "":
			c.used[s.title()] = true
		default:
			c.different++
			fmt.Fprintf(&c.report, "## %s\n%s\n", s.title(), difference(want[i], got[i]))
		}
	}
	c.t.Logf("%s: %d steps, %d differ, %.1fs", name, len(steps), c.different-before, time.Since(start).Seconds())
}

// difference shows the lines that only one of the answers has: - is
// kube-apiserver, + is fakeapi.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	for _, side := range []struct {
		mark       string
		mine, less []string
	}{{"-", w, g}, {"+", g, w}} {
		for _, line := range side.mine {
			if !slices.Contains(side.less, line) {
				fmt.Fprintf(&b, "%s %s\n", side.mark, line)
			}
		}
	}
	if b.Len() == 0 {
		fmt.Fprintf(&b, "the same lines in another order or number:\n%s\nagainst\n%s", want, got)
	}
	return b.String()
}

// finish fails the test for differences, and for accepted ones that are gone.
// $RAWWATCH_FIDELITY names a folder for the whole report and the real server's
// transcript.
func (c *comparison) finish() {
	for title, reason := range accepted {
		if !c.used[title] {
			c.t.Errorf("an accepted difference is gone, strike it from the table: %s (%s)", title, reason)
		}
	}
	if dir := os.Getenv("RAWWATCH_FIDELITY"); dir != "" {
		_ = os.WriteFile(dir+"/real.txt", []byte(c.transcript.String()), 0o644)
		_ = os.WriteFile(dir+"/differences.txt", []byte(c.report.String()), 0o644)
	}
	c.t.Logf("%d requests on both servers, %d accepted differences", c.steps, len(c.used))
	if c.different > 0 {
		c.t.Errorf("%d answers differ, the first of them:\n%.20000s", c.different, c.report.String())
	}
}

// performAll performs the steps on one side, width at a time, and returns the
// rendered answers in order.
func performAll(ctx context.Context, d *side, steps []step, width int) []string {
	texts := make([]string, len(steps))
	var wg sync.WaitGroup
	slots := make(chan struct{}, width)
	for i, s := range steps {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			text, err := d.perform(ctx, s)
			if err != nil {
				text = "no answer: " + err.Error() + "\n"
			}
			texts[i] = text
		})
	}
	wg.Wait()
	return texts
}
