package server

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/conformance/cluster"
)

// Everything that happens is printed once and in its order: by an open watch,
// across watches that the server ends, across a killed API server and across
// one that was told to stop. The truth is what an independent writer was
// answered, and what etcd recorded.
func TestWatchPrintsEveryChangeOnceAndInOrder(t *testing.T) {
	t.Parallel()
	c := cluster.Run(t, cluster.Options{})
	ctx := cluster.Deadline(t, 3*time.Minute)
	pods := newMaker(t, c)
	for range 5 {
		pods.create(ctx)
	}
	pods.patch(ctx)
	begun := len(pods.writer.History())

	// The server ends each watch after five seconds, and sends a bookmark some
	// two seconds before that.
	watch := runRawwatch(t, adminKubeconfig(t, c), "watch", "pods", "-A", "-o", "json", "--timeout-seconds", "5")
	watch.waitFor("the initial pods", func(all []event) bool { return len(changesIn(all)) >= len(pods.present) })
	for start := time.Now(); time.Since(start) < 11*time.Second; {
		pods.step(ctx)
	}
	watch.waitForChange(pods.last())

	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		if err := c.RestartAPIServer(ctx, signal); err != nil {
			t.Fatal(err)
		}
		// Until it has found the new server nothing happens: what happens
		// while nobody looks may be told as one difference.
		pods.create(ctx)
		watch.waitForChange(pods.last())
		for range 200 {
			pods.step(ctx)
		}
		watch.waitForChange(pods.last())
	}
	watch.waitFor("a bookmark after the last change", func(all []event) bool { return all[len(all)-1].Type == "BOOKMARK" })
	if code := watch.interrupt(); code != 130 {
		t.Errorf("exit code %d after SIGINT, want 130", code)
	}

	truth := pods.truth(ctx)
	compareHistory(t, truth[:begun], truth[begun:], watch.printed())
	checkBookmarks(t, watch.printed())
	if len(watch.bad) > 0 {
		t.Errorf("lines that are no event: %q", watch.bad)
	}
	requests, err := c.Requests()
	if err != nil {
		t.Fatal(err)
	}
	ended, relists := 0, 0
	for _, r := range requests {
		switch ours := strings.HasPrefix(r.UserAgent, "rawwatch"); {
		case ours && r.Verb == "watch" && r.Stage == "ResponseComplete":
			ended++
		case ours && r.Verb == "list":
			relists++
		}
	}
	t.Logf("%d changes, %d bookmarks, %d watches ended, %d lists", len(truth), len(watch.printed())-len(changesIn(watch.printed())), ended, relists)
	if ended < 4 {
		t.Errorf("the server has ended %d watches, want several: the test shows too little", ended)
	}
}

// While an API server is killed under a writer that does not wait, what is
// printed is still a history without contradiction that ends in the truth:
// what is missing was superseded while no server could tell it.
func TestWatchStaysTrueWhileServersDieUnderLoad(t *testing.T) {
	t.Parallel()
	c := cluster.Run(t, cluster.Options{})
	ctx := cluster.Deadline(t, 3*time.Minute)
	pods := newMaker(t, c)
	for range 20 {
		pods.create(ctx)
	}
	watch := runRawwatch(t, adminKubeconfig(t, c), "watch", "pods", "-A", "-o", "json")
	watch.waitFor("the initial pods", func(all []event) bool { return len(changesIn(all)) >= 20 })

	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		restarted := make(chan error, 1)
		go func() { restarted <- c.RestartAPIServer(ctx, signal) }()
		for up := false; !up; {
			select {
			case err := <-restarted:
				if err != nil {
					t.Fatal(err)
				}
				up = true
			default:
				pods.attempt(ctx)
			}
		}
		for range 100 {
			pods.attempt(ctx)
		}
	}
	pods.create(ctx)
	watch.waitForChange(pods.last())
	watch.interrupt()
	checkLegal(t, pods.truth(ctx), watch.printed())
}

// maker changes pods at random through net/http.
type maker struct {
	t       *testing.T
	cluster *cluster.Cluster
	writer  *cluster.Writer
	random  *rand.Rand
	present []string
	next    int
}

func newMaker(t *testing.T, c *cluster.Cluster) *maker {
	return &maker{t: t, cluster: c, writer: cluster.NewWriter(witness(t, c), "/api/v1", "pods"), random: rand.New(rand.NewPCG(3, 5))}
}

func (m *maker) create(ctx context.Context) {
	m.t.Helper()
	name := fmt.Sprintf("p-%d", m.next)
	m.next++
	m.must(m.writer.Create(ctx, "default", podJSON(name)))
	m.present = append(m.present, name)
}

func podJSON(name string) []byte {
	return fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"labels":{"text":"x"},"annotations":{"text":"<&> \u2028 é"}},"spec":{"containers":[{"name":"c","image":"i"}]}}`, name)
}

func (m *maker) patch(ctx context.Context) {
	m.t.Helper()
	m.must(m.writer.Patch(ctx, "default", m.present[m.random.IntN(len(m.present))], m.patchJSON()))
}

func (m *maker) patchJSON() []byte {
	m.next++
	return fmt.Appendf(nil, `{"metadata":{"annotations":{"n":"%d"}}}`, m.next)
}

// step makes one change of any kind.
func (m *maker) step(ctx context.Context) {
	m.t.Helper()
	switch i := m.random.IntN(len(m.present)); {
	case len(m.present) < 5 || m.random.IntN(4) == 0:
		m.create(ctx)
	case len(m.present) > 30 || m.random.IntN(4) == 0:
		name := m.present[i]
		m.must(m.writer.Delete(ctx, "default", name))
		m.present = slices.Delete(m.present, i, i+1)
		if m.random.IntN(2) == 0 { // the same name, another pod
			m.must(m.writer.Create(ctx, "default", podJSON(name)))
			m.present = append(m.present, name)
		}
	default:
		m.patch(ctx)
	}
}

func (m *maker) must(_ cluster.Change, err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// attempt is a change that may fail because there is no server: whether it
// took place, etcd knows.
func (m *maker) attempt(ctx context.Context) {
	name := fmt.Sprintf("p-%d", m.random.IntN(25))
	switch m.random.IntN(4) {
	case 0:
		_, _ = m.writer.Create(ctx, "default", podJSON(name))
	case 1:
		_, _ = m.writer.Delete(ctx, "default", name)
	default:
		_, _ = m.writer.Patch(ctx, "default", name, m.patchJSON())
	}
}

func (m *maker) last() cluster.Change {
	history := m.writer.History()
	return history[len(history)-1]
}

// state is what the writer's changes add up to: name to version.
func (m *maker) state() map[string]string {
	state := map[string]string{}
	for _, c := range m.writer.History() {
		state[c.Name] = c.ResourceVersion
		if c.Type == "DELETED" {
			delete(state, c.Name)
		}
	}
	return state
}

// truth is etcd's record, in which each of the writer's changes must stand.
func (m *maker) truth(ctx context.Context) []cluster.Change {
	m.t.Helper()
	truth, err := m.cluster.History(ctx, "pods")
	if err != nil {
		m.t.Fatal(err)
	}
	known := map[string]int{}
	for i, change := range truth {
		known[change.ResourceVersion] = i
	}
	for _, change := range m.writer.History() {
		i, ok := known[change.ResourceVersion]
		if !ok || truth[i].Name != change.Name || truth[i].Type != change.Type {
			m.t.Fatalf("etcd does not know the writer's %+v", change)
		}
		truth[i].UID = change.UID
	}
	return truth
}

// changesIn leaves out the bookmarks.
func changesIn(all []event) []event {
	var changes []event
	for _, e := range all {
		if e.Type != "BOOKMARK" {
			changes = append(changes, e)
		}
	}
	return changes
}

// compareHistory holds the printed changes to the truth: the first are the
// state that came of the changes before the beginning, in any order, the
// others are every change since.
func compareHistory(t *testing.T, before, since []cluster.Change, printed []event) {
	t.Helper()
	state := map[string]string{}
	for _, c := range before {
		state[c.Name] = c.ResourceVersion
		if c.Type == "DELETED" {
			delete(state, c.Name)
		}
	}
	printed = changesIn(printed)
	if len(printed) < len(state) {
		t.Fatalf("%d changes printed", len(printed))
	}
	initial := map[string]string{}
	for _, e := range printed[:len(state)] {
		initial[e.Object.Metadata.Name] = e.version()
		if e.Type != "ADDED" {
			t.Errorf("%v in the initial state", e)
		}
	}
	if d := cmp.Diff(state, initial); d != "" {
		t.Errorf("initial state (- etcd, + rawwatch):\n%s", d)
	}
	var want, got []string
	for _, c := range since {
		want = append(want, fmt.Sprintf("%s %s/%s %s", c.Type, c.Namespace, c.Name, c.ResourceVersion))
	}
	for _, e := range printed[len(state):] {
		got = append(got, e.String())
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%d changes happened, %d were printed (- etcd, + rawwatch):\n%s", len(want), len(got), d)
	}
	uids := map[string]string{}
	for _, c := range append(slices.Clone(before), since...) {
		uids[c.ResourceVersion] = c.UID
	}
	for _, e := range printed {
		if uid := uids[e.version()]; uid != "" && uid != e.Object.Metadata.UID {
			t.Errorf("%v printed with uid %s, the writer was told %s", e, e.Object.Metadata.UID, uid)
		}
	}
}

// checkBookmarks: each stands between the changes before and after it.
func checkBookmarks(t *testing.T, printed []event) {
	t.Helper()
	bookmarks, last := 0, uint64(0)
	for _, e := range printed {
		version, err := strconv.ParseUint(e.version(), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == "BOOKMARK" {
			bookmarks++
			if e.Object.Kind != "Pod" || e.Object.Metadata.Name != "" || version < last {
				t.Errorf("bookmark %s after version %d", e.line, last)
			}
			last = version
			continue
		}
		if bookmarks > 0 && version <= last {
			t.Errorf("%v after version %d", e, last)
		}
		last = max(last, version)
	}
	if bookmarks < 2 {
		t.Errorf("%d bookmarks, want several", bookmarks)
	}
}

// checkLegal replays the printed changes: each fits the state before it and
// names a state that was, and the last state is the truth's.
func checkLegal(t *testing.T, truth []cluster.Change, printed []event) {
	t.Helper()
	was := map[string]bool{}
	state := map[string]string{}
	for _, c := range truth {
		was[c.Name+" "+c.ResourceVersion] = true
		state[c.Name] = c.ResourceVersion
		if c.Type == "DELETED" {
			delete(state, c.Name)
		}
	}
	type shown struct{ uid, version, as string }
	view := map[string]shown{}
	for _, e := range changesIn(printed) {
		m := e.Object.Metadata
		old, have := view[m.Name]
		if !was[m.Name+" "+m.ResourceVersion] {
			t.Errorf("%v: that never was", e)
		}
		switch {
		case e.Type == "ADDED" && have, e.Type != "ADDED" && !have, e.Type != "ADDED" && old.uid != m.UID:
			t.Errorf("%v, but shown before was %+v", e, old)
		case e.Type == "MODIFIED" && number(old.version) >= number(m.ResourceVersion):
			t.Errorf("%v, but shown before was %+v", e, old)
		}
		view[m.Name] = shown{m.UID, m.ResourceVersion, e.Type}
		if e.Type == "DELETED" {
			delete(view, m.Name)
		}
	}
	got := map[string]string{}
	for name, s := range view {
		got[name] = s.version
	}
	if d := cmp.Diff(state, got); d != "" {
		t.Errorf("the last state (- etcd, + printed)\n%s", d)
	}
	t.Logf("%d changes happened, %d were printed", len(truth), len(changesIn(printed)))
}

func number(version string) uint64 {
	n, _ := strconv.ParseUint(version, 10, 64)
	return n
}
