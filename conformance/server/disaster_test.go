package server

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/conformance/cluster"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
)

// What was compacted away is gone, in each of the forms the server says so,
// and a collection that is followed from such a version ends in the truth.
func TestCompactedVersions(t *testing.T) {
	t.Parallel()
	c := cluster.Run(t, cluster.Options{})
	ctx := cluster.Deadline(t, 2*time.Minute)
	pods := newMaker(t, c)
	for range 30 {
		pods.create(ctx)
	}
	old := pods.writer.History()[10].ResourceVersion
	client := newClient(t, configFor(c, cluster.AdminToken))
	forget := func() {
		if err := c.Compact(ctx, pods.last().ResourceVersion); err != nil {
			t.Fatal(err)
		}
		if err := c.RestartAPIServer(ctx, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}

	// A list whose later pages have expired begins anew, without pages.
	items, aborts := map[string]string{}, 0
	for e, err := range listwatch.List(ctx, client, listwatch.Options{Resource: rest.Pods, PageSize: 10}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e.Kind {
		case listwatch.ReplaceItem:
			items[string(e.Identity.Name)] = string(e.Identity.ResourceVersion)
			if len(items) == 5 && aborts == 0 {
				pods.patch(ctx)
				forget()
			}
		case listwatch.ReplaceAbort:
			aborts++
			items = map[string]string{}
		}
	}
	if aborts != 1 {
		t.Errorf("%d aborts, want one", aborts)
	}
	if d := cmp.Diff(pods.state(), items); d != "" {
		t.Errorf("the list (- etcd, + List)\n%s", d)
	}

	// A watch and a list at that version are refused.
	exact := rest.ListOptions{ResourceVersion: old, ResourceVersionMatch: rest.MatchExact}
	if _, err := client.Do(ctx, rest.Request{Path: rest.Pods.Path("", ""), Query: exact.Query()}); !status.IsGone(err) {
		t.Errorf("exact list: %v, want gone", err)
	}
	var end error
	for _, err := range listwatch.Watch(ctx, client, listwatch.Options{Resource: rest.Pods, List: rest.ListOptions{ResourceVersion: old}}) {
		end = err
	}
	if !status.IsGone(end) {
		t.Errorf("watch: %v, want gone", end)
	}

	// Following from it finds the present state, and goes on.
	f := follow(t, configFor(c, cluster.AdminToken), listwatch.Options{Resource: rest.Pods, List: rest.ListOptions{ResourceVersion: old}})
	f.waitFor("the state", len(pods.present))
	for range 50 {
		pods.step(ctx)
	}
	f.waitForChange(pods.last())
	f.checkState(pods.state())
}

// After etcd was restored from a backup, versions go back and are used again
// for other states. A watch from the lost future is accepted and silent;
// following notices all the same, and ends in the truth.
func TestRestoredEtcd(t *testing.T) {
	t.Parallel()
	c := cluster.Run(t, cluster.Options{})
	ctx := cluster.Deadline(t, 3*time.Minute)
	pods := newMaker(t, c)
	for range 10 {
		pods.create(ctx)
	}
	backup, err := c.Backup(ctx)
	if err != nil {
		t.Fatal(err)
	}
	f := follow(t, configFor(c, cluster.AdminToken), listwatch.Options{Resource: rest.Pods})
	f.waitFor("the state", 10)
	for range 300 { // the future that will be lost
		pods.step(ctx)
	}
	f.waitForChange(pods.last())

	if err := c.Restore(ctx, backup); err != nil {
		t.Fatal(err)
	}
	// One other pod under the name of each that was: other objects at versions
	// that were used before.
	w := witness(t, c)
	want := map[string]string{}
	for i := range 10 {
		want[fmt.Sprintf("p-%d", i)] = ""
	}
	for name := range want {
		must(t, w, "DELETE", "/api/v1/namespaces/default/pods/"+name, "")
	}
	again := cluster.NewWriter(w, "/api/v1", "pods")
	for name := range want {
		change, err := again.Create(ctx, "default", podJSON(name))
		if err != nil {
			t.Fatal(err)
		}
		want[name] = change.ResourceVersion
	}
	f.waitForState(want)
}
