package chaos

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rawwatch/rawwatch/conformance/cluster"
)

const (
	// converge bounds how long after the last fault the stores may take.
	converge = 60 * time.Second
	usual    = 60 * time.Second
)

// A cluster in motion is mistreated for a while: connections are cut, stalled
// and sliced, etcd is compacted, the API server killed, etcd put back to an old
// state. Then stores and handlers of this module are what the server is, and
// nobody was told what never was. What client-go does is printed beside it.
// RAWWATCH_CHAOS is for how long (default 1m), RAWWATCH_CHAOS_SEED which chaos.
func TestInformersSurviveAMistreatedCluster(t *testing.T) {
	leaks := known()
	duration, seed := settings(t)
	c := cluster.Run(t, cluster.Options{})
	ctx := cluster.Deadline(t, duration+5*time.Minute)
	w := &truth{client: c.Client(cluster.AdminToken), states: map[state]bool{}}
	r, err := w.client.Do(ctx, http.MethodPost, "/api/v1/namespaces", http.Header{"Content-Type": {"application/json"}}, []byte(`{"metadata":{"name":"`+namespace+`"}}`))
	must(t, err)
	if r.Code != 201 {
		t.Fatalf("%d %s", r.Code, r.Body)
	}

	churning, endChurn := context.WithCancel(ctx)
	defer endChurn()
	var wait sync.WaitGroup
	for id := range writers {
		wait.Go(func() { w.churn(churning, id, seed) })
	}
	time.Sleep(2 * time.Second)
	network := newProxy(t, c.Addr(), seed)
	ours, stopOurs := ourInformers(t, ctx, network.url(), c.CA())
	theirs, stopTheirs := theirInformers(t, ctx, network.url(), c.CA())
	all := append(ours, theirs...)

	m := &mischief{t: t, cluster: c, truth: w, network: network, random: rand.New(rand.NewPCG(seed, 2)), began: time.Now(), done: map[string]int{}}
	m.run(ctx, duration)
	network.heal()
	endChurn()
	wait.Wait()
	t.Logf("%5.1fs the last fault: %v; %v; %d writes, %d more without a clear answer", m.now(), m.done, network, w.writes, w.unclear)

	healed := time.Now()
	want, version := w.list(t, ctx)
	late := waitFor(ctx, all, want, healed, t)
	for _, f := range all {
		faults := f.judge(w, m.done["restore"])
		t.Logf("%s: events %v; %d faults; %s", f.name, f.events, len(faults), f.details())
		complain := t.Logf
		if f.ours {
			complain = t.Errorf
		}
		if late[f] {
			complain("%s: not the server's state (%d objects at %s) within %v", f.name, len(want), version, converge)
		}
		for _, fault := range faults[:min(5, len(faults))] {
			complain("%s: %s", f.name, fault)
		}
	}
	stopOurs()
	stopTheirs()
	network.close()
	w.client.Close()
	goleak.VerifyNone(t, leaks...)
}

// waitFor waits for all to have the state, and returns who has not.
func waitFor(ctx context.Context, all []*follower, want map[string]state, began time.Time, t *testing.T) map[*follower]bool {
	late := map[*follower]bool{}
	for _, f := range all {
		late[f] = true
	}
	for len(late) > 0 && time.Since(began) < converge && ctx.Err() == nil {
		for f := range late {
			if f.is(want) {
				t.Logf("%s: has the server's %d objects %.2fs after the last fault", f.name, len(want), time.Since(began).Seconds())
				delete(late, f)
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return late
}

// mischief is what is done to the cluster.
type mischief struct {
	t       *testing.T
	cluster *cluster.Cluster
	truth   *truth
	network *proxy
	random  *rand.Rand
	began   time.Time
	done    map[string]int
	backup  string
}

func (m *mischief) now() float64 { return time.Since(m.began).Seconds() }

// run does the large things in order and again from the start, one about every
// twelve seconds, and small ones in between.
func (m *mischief) run(ctx context.Context, d time.Duration) {
	large := []func(context.Context) error{m.keep, m.kill, m.compact, m.restore, m.compact, m.kill}
	for i := 0; time.Since(m.began) < d || m.done["restore"] == 0; i++ {
		for until := time.Now().Add(d / 10).Add(-time.Second); time.Now().Before(until); {
			time.Sleep(time.Duration(m.random.IntN(2000)) * time.Millisecond)
			m.network.cut(m.random.Float64())
			m.done["cut"]++
		}
		must(m.t, large[i%len(large)](ctx))
	}
}

func (m *mischief) note(what string) {
	m.done[what]++
	m.t.Logf("%5.1fs %s", m.now(), what)
}

func (m *mischief) kill(ctx context.Context) error {
	m.note("kill -9")
	return m.cluster.RestartAPIServer(ctx, syscall.SIGKILL)
}

// compact forgets all that was, while nobody is connected, so that resumes are refused.
func (m *mischief) compact(ctx context.Context) error {
	m.truth.gate.Lock()
	_, version := m.truth.list(m.t, ctx)
	m.truth.gate.Unlock()
	m.network.cut(1)
	m.note("compact")
	return m.cluster.Compact(ctx, version)
}

func (m *mischief) keep(ctx context.Context) (err error) {
	m.truth.gate.Lock()
	defer m.truth.gate.Unlock()
	m.note("backup")
	m.backup, err = m.cluster.Backup(ctx)
	return err
}

func (m *mischief) restore(ctx context.Context) error {
	m.truth.gate.Lock()
	defer m.truth.gate.Unlock()
	m.note("restore")
	return m.cluster.Restore(ctx, m.backup)
}

func settings(t *testing.T) (time.Duration, uint64) {
	duration, seed := usual, uint64(1)
	var err error
	if s := os.Getenv("RAWWATCH_CHAOS"); s != "" {
		duration, err = time.ParseDuration(s)
		must(t, err)
	}
	if s := os.Getenv("RAWWATCH_CHAOS_SEED"); s != "" {
		seed, err = strconv.ParseUint(s, 10, 64)
		must(t, err)
	}
	return duration, seed
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
