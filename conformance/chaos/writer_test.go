package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/conformance/cluster"
)

const (
	namespace = "chaos"
	path      = "/api/v1/namespaces/" + namespace + "/configmaps"
	writers   = 4
	perWriter = 40 // objects at most
)

// state is one state of one object.
type state struct{ key, uid, version, text string }

// truth is what the server has acknowledged.
type truth struct {
	client *cluster.Client
	gate   sync.RWMutex // held for writing while no write may be under way

	mu      sync.Mutex
	states  map[state]bool
	writes  int
	unclear int
}

func (w *truth) note(s state) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.states[s] = true
	w.writes++
}

// churn changes the objects of one writer until ctx ends.
func (w *truth) churn(ctx context.Context, id int, seed uint64) {
	random := rand.New(rand.NewPCG(seed, uint64(100+id)))
	present := map[string]bool{}
	for ctx.Err() == nil {
		name := fmt.Sprintf("w%d-%d", id, random.IntN(perWriter))
		w.gate.RLock()
		w.change(ctx, random, name, present)
		w.gate.RUnlock()
		select {
		case <-time.After(time.Duration(random.IntN(20)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

func (w *truth) change(ctx context.Context, random *rand.Rand, name string, present map[string]bool) {
	text := fmt.Sprintf("<&> %d", random.Int64())
	var r *cluster.Response
	var err error
	switch there := present[name]; {
	case !there:
		body := fmt.Sprintf(`{"metadata":{"name":%q},"data":{"text":%q}}`, name, text)
		r, err = w.client.Do(ctx, http.MethodPost, path, http.Header{"Content-Type": {"application/json"}}, []byte(body))
	case random.IntN(4) == 0:
		r, err = w.client.Do(ctx, http.MethodDelete, path+"/"+name, nil, nil)
		if err == nil && r.Code == 200 {
			delete(present, name)
			w.mu.Lock()
			w.writes++
			w.mu.Unlock()
			return
		}
	default:
		body := fmt.Sprintf(`{"data":{"text":%q}}`, text)
		r, err = w.client.Do(ctx, http.MethodPatch, path+"/"+name, http.Header{"Content-Type": {"application/merge-patch+json"}}, []byte(body))
	}
	if err == nil && r.Code < 300 {
		w.note(stateOf(r.Body))
		present[name] = true
		return
	}
	w.recover(name, present)
}

// recover asks until the server says what became of a write without a clear
// answer. It goes on after the writers were told to stop, or a state that
// somebody saw would be one that nobody wrote.
func (w *truth) recover(name string, present map[string]bool) {
	w.mu.Lock()
	w.unclear++
	w.mu.Unlock()
	for range 1200 {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		r, err := w.client.Do(ctx, http.MethodGet, path+"/"+name, nil, nil)
		cancel()
		switch {
		case err == nil && r.Code == 200:
			w.note(stateOf(r.Body))
			present[name] = true
			return
		case err == nil && r.Code == 404:
			delete(present, name)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

type configMap struct {
	Metadata struct{ Namespace, Name, UID, ResourceVersion string }
	Data     map[string]string
}

func (c configMap) state() state {
	m := c.Metadata
	return state{m.Namespace + "/" + m.Name, m.UID, m.ResourceVersion, c.Data["text"]}
}

func stateOf(object []byte) state {
	var c configMap
	if err := json.Unmarshal(object, &c); err != nil {
		panic(err)
	}
	return c.state()
}

// list is the collection as the server has it now.
func (w *truth) list(t *testing.T, ctx context.Context) (states map[string]state, version string) {
	t.Helper()
	r, err := w.client.Do(ctx, http.MethodGet, path, nil, nil)
	must(t, err)
	var l struct {
		Metadata struct{ ResourceVersion string }
		Items    []configMap
	}
	must(t, json.Unmarshal(r.Body, &l))
	states = map[string]state{}
	for _, c := range l.Items {
		states[c.state().key] = c.state()
	}
	return states, l.Metadata.ResourceVersion
}
