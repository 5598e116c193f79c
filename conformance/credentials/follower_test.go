package credentials

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
)

// follower is a listwatch.Follow of the scene's config maps that runs in the background.
type follower struct {
	t       *testing.T
	client  *rest.Client
	cancel  context.CancelFunc
	changed chan struct{}
	done    chan struct{}

	mu    sync.Mutex
	seen  []string
	notes []string
	err   error
}

// follow returns when the three first config maps have been told. The server ends each watch after two seconds, so that there are many requests.
func (s *scene) follow(config rest.Config) *follower {
	s.t.Helper()
	return s.followFor(config, 2)
}

func (s *scene) followFor(config rest.Config, seconds int64) *follower {
	s.t.Helper()
	client, err := rest.NewClient(config)
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	f := &follower{t: s.t, client: client, cancel: cancel, changed: make(chan struct{}, 1), done: make(chan struct{})}
	go func() {
		defer close(f.done)
		defer client.Close()
		o := listwatch.Options{
			Resource: rest.ConfigMaps, Namespace: s.namespace, List: rest.ListOptions{TimeoutSeconds: seconds},
			Backoff: listwatch.Backoff{Initial: 10 * time.Millisecond, Max: time.Second},
		}
		for e, err := range listwatch.Follow(ctx, client, o) {
			f.note(e, err)
		}
	}()
	s.t.Cleanup(func() {
		f.stop()
		if s.t.Failed() {
			s.t.Logf("notes: %s; ended with %v", strings.Join(f.notes, "; "), f.err)
		}
	})
	f.wait("the first config maps", func() bool { return len(f.lines()) >= 3 })
	return f
}

func (f *follower) note(e *listwatch.Event, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	types := map[listwatch.Kind]string{listwatch.Added: "ADDED", listwatch.Modified: "MODIFIED", listwatch.Deleted: "DELETED"}
	switch {
	case e == nil:
		f.err = errors.Join(f.err, err)
	case types[e.Kind] != "":
		f.seen = append(f.seen, fmt.Sprintf("%s %s %s", types[e.Kind], e.Identity.Name, e.Identity.ResourceVersion))
	case e.Kind != listwatch.Bookmark:
		f.notes = append(f.notes, fmt.Sprintf("%v %s %v", e.Kind, e.Reason, e.Err))
	}
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

func (f *follower) lines() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.seen)
}

func (f *follower) stop() {
	f.cancel()
	<-f.done
}

// finish makes a last change, waits for it, and compares.
func (f *follower) finish(s *scene) {
	f.t.Helper()
	s.create() // its answer, unlike a deletion's, names the version
	history := s.writer.History()
	last := history[len(history)-1]
	f.wait(fmt.Sprintf("%+v", last), func() bool {
		return slices.Contains(f.lines(), fmt.Sprintf("%s %s %s", last.Type, last.Name, last.ResourceVersion))
	})
	f.stop()
	s.compare(f.lines())
	f.t.Logf("%+v", f.client.Stats())
}

func (f *follower) wait(what string, condition func() bool) {
	f.t.Helper()
	deadline := time.NewTimer(60 * time.Second)
	defer deadline.Stop()
	for !condition() {
		select {
		case <-f.changed:
		case <-f.done:
			if !condition() {
				f.t.Fatalf("the iteration ended (%v) before %s", f.err, what)
			}
		case <-deadline.C:
			f.t.Fatalf("waited too long for %s", what)
		}
	}
}
