package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/conformance/cluster"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
)

// libraryAgent is the user agent of library clients, to tell them from the
// command's in the audit log.
const libraryAgent = "library"

// followed is a listwatch.Follow that runs in the background.
type followed struct {
	t       *testing.T
	cancel  context.CancelFunc
	changed chan struct{}
	done    chan struct{}

	mu    sync.Mutex
	seen  []event
	notes []string // relists, problems
	err   error
}

// followInCluster follows all pods with the configuration of a pod whose
// service account is mounted at dir.
func followInCluster(t *testing.T, c *cluster.Cluster, dir string) *followed {
	t.Helper()
	host, port, err := net.SplitHostPort(c.Addr())
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port, "HOME": t.TempDir()}
	config, err := rest.LoadConfig(rest.LoadOptions{Env: func(name string) string { return env[name] }, InClusterDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return follow(t, config, listwatch.Options{Resource: rest.Pods, List: rest.ListOptions{TimeoutSeconds: 3}})
}

func follow(t *testing.T, config rest.Config, o listwatch.Options) *followed {
	t.Helper()
	config.UserAgent = libraryAgent
	client, err := rest.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	f := &followed{t: t, cancel: cancel, changed: make(chan struct{}, 1), done: make(chan struct{})}
	go func() {
		defer close(f.done)
		defer client.Close()
		for e, err := range listwatch.Follow(ctx, client, o) {
			f.note(e, err)
		}
		f.wake()
	}()
	t.Cleanup(func() {
		f.stop()
		if t.Failed() {
			t.Logf("the library's notes: %s; ended with %v", strings.Join(f.notes, "; "), f.err)
		}
	})
	return f
}

func (f *followed) note(e *listwatch.Event, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer f.wake()
	if e == nil {
		f.err = errors.Join(f.err, err)
		return
	}
	types := map[listwatch.Kind]string{listwatch.Added: "ADDED", listwatch.Modified: "MODIFIED", listwatch.Deleted: "DELETED", listwatch.Bookmark: "BOOKMARK"}
	kind, ok := types[e.Kind]
	if !ok {
		f.notes = append(f.notes, fmt.Sprintf("%v %s %v", e.Kind, e.Reason, e.Err))
		return
	}
	out := event{Type: kind}
	m := &out.Object.Metadata
	m.Namespace, m.Name = string(e.Identity.Namespace), string(e.Identity.Name)
	m.UID, m.ResourceVersion = string(e.Identity.UID), string(e.Identity.ResourceVersion)
	out.Object.Kind = string(e.Identity.Kind)
	f.seen = append(f.seen, out)
}

func (f *followed) wake() {
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

func (f *followed) events() []event {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen[:len(f.seen):len(f.seen)]
}

func (f *followed) stop() {
	f.cancel()
	<-f.done
}

// waitFor waits for a number of changes.
func (f *followed) waitFor(what string, changes int) {
	f.t.Helper()
	f.wait(what, func(all []event) bool { return len(changesIn(all)) >= changes })
}

func (f *followed) waitForChange(change cluster.Change) {
	f.t.Helper()
	f.wait(fmt.Sprintf("%+v", change), func(all []event) bool {
		for _, e := range all {
			if e.Type == change.Type && e.version() == change.ResourceVersion {
				return true
			}
		}
		return false
	})
}

func (f *followed) wait(what string, condition func([]event) bool) {
	f.t.Helper()
	deadline := time.NewTimer(60 * time.Second)
	defer deadline.Stop()
	for !condition(f.events()) {
		select {
		case <-f.changed:
		case <-f.done:
			if !condition(f.events()) {
				f.t.Fatalf("the iteration ended (%v) before %s", f.err, what)
			}
		case <-deadline.C:
			f.t.Fatalf("waited too long for %s; %d events", what, len(f.events()))
		}
	}
}

// state is what the events so far add up to: name to version.
func (f *followed) state() map[string]string {
	state := map[string]string{}
	for _, e := range f.events() {
		switch name := e.Object.Metadata.Name; e.Type {
		case "ADDED", "MODIFIED":
			state[name] = e.version()
		case "DELETED":
			delete(state, name)
		}
	}
	return state
}

func (f *followed) checkState(want map[string]string) {
	f.t.Helper()
	if d := cmp.Diff(want, f.state()); d != "" {
		f.t.Errorf("the state followed (- truth, + events)\n%s", d)
	}
}

func (f *followed) waitForState(want map[string]string) {
	f.t.Helper()
	f.wait(fmt.Sprintf("the state %v", want), func([]event) bool { return maps.Equal(want, f.state()) })
}
