package lively

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/rawwatch/rawwatch/fakeapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tally watches pods from the present until the watch ends and counts frames
// by type.
func tally(t *testing.T, server *fakeapi.Server, query string) map[string]int {
	t.Helper()
	r, err := server.HTTPClient().Get(server.URL() + "/api/v1/pods?watch=1&" + query)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	counts := map[string]int{}
	for d := json.NewDecoder(r.Body); ; {
		var frame struct{ Type string }
		if err := d.Decode(&frame); errors.Is(err, io.EOF) {
			return counts
		} else if err != nil {
			t.Fatal(err)
		}
		counts[frame.Type]++
	}
}

// The demo shows its whole repertoire within fifteen seconds at the default
// rate.
func TestEverythingHappensWithinFifteenSeconds(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			server := fakeapi.New(fakeapi.Options{BookmarkInterval: 2500 * time.Millisecond})
			defer server.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- Run(ctx, server, Options{Seed: seed, ExpireAfter: -1}) }()
			counts := tally(t, server, "allowWatchBookmarks=true&timeoutSeconds=15")
			for _, kind := range []string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK"} {
				if counts[kind] == 0 {
					t.Errorf("seed %d: no %s among %v", seed, kind, counts)
				}
			}
			if err := <-done; !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Run returned %v", err)
			}
		})
	}
}

// The one expiry ends watches, and the version they had seen is gone.
func TestExpiryForcesARelist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := fakeapi.New(fakeapi.Options{GoneStatus: true})
		defer server.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- Run(ctx, server, Options{ExpireAfter: 5 * time.Second}) }()
		began := time.Now()
		tally(t, server, "")
		if lasted := time.Since(began); lasted != 5*time.Second {
			t.Errorf("the watch ended after %v", lasted)
		}
		r, err := server.HTTPClient().Get(server.URL() + "/api/v1/pods?watch=1&resourceVersion=2")
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != http.StatusGone {
			t.Errorf("a resume from before the expiry: %s", r.Status)
		}
		<-done
	})
}

func TestASeedRepeatsARun(t *testing.T) {
	run := func(seed uint64) (states []string) {
		synctest.Test(t, func(t *testing.T) {
			server := fakeapi.New(fakeapi.Options{Seed: seed})
			defer server.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			_ = Run(ctx, server, Options{Seed: seed, Rate: 20})
			for _, resource := range []string{"pods", "deployments.apps", "events"} {
				objects, _, err := server.List(resource, "")
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range objects {
					states = append(states, string(o.JSON))
				}
			}
		})
		return states
	}
	first, second, other := run(7), run(7), run(8)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("two runs of one seed differ:\n%s", diff)
	}
	if cmp.Equal(first, other) {
		t.Error("another seed made the same run")
	}
}

// Users may delete what they see; the cluster replaces it as a real one would.
func TestForeignDeletesAreMadeGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := fakeapi.New(fakeapi.Options{})
		defer server.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		done := make(chan error, 1)
		go func() {
			done <- Run(ctx, server, Options{Rate: 50, Namespaces: []string{"only"}, Nodes: 1, ExpireAfter: -1})
		}()
		for range 20 {
			time.Sleep(time.Second)
			pods, _, err := server.List("pods", "only")
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range pods {
				if _, err := server.Delete("pods", "only", p.Name); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := <-done; !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("Run returned %v", err)
		}
		if pods, _, _ := server.List("pods", "only"); len(pods) < 2 {
			t.Errorf("%d pods after a quiet 40 s", len(pods))
		}
	})
}

func TestASecondRunOnOneServerIsRefused(t *testing.T) {
	server := fakeapi.New(fakeapi.Options{})
	defer server.Close()
	if _, err := newCluster(server, Options{}); err != nil {
		t.Fatal(err)
	}
	var status *fakeapi.StatusError
	if err := Run(t.Context(), server, Options{}); !errors.As(err, &status) || status.Reason != "AlreadyExists" {
		t.Errorf("a second cluster of the same nodes: %v", err)
	}
}
