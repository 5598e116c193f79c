package follow

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/conformance/cluster"
)

// collection is a resource that is written to.
type collection struct {
	name   string // as paths have it
	prefix string
	create func(name string, random *rand.Rand) string
	patch  func(random *rand.Rand) string

	mu     sync.Mutex
	states map[state]bool // all that the server has acknowledged
}

// state is one state of one object.
type state struct{ key, uid, version string }

func (c *collection) path(namespace, name string) string {
	path := c.prefix + "/namespaces/" + namespace + "/" + c.name
	if name != "" {
		path += "/" + name
	}
	return path
}

func (c *collection) note(s state) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.states[s] = true
}

func collections() []*collection {
	text := func(r *rand.Rand) string { return fmt.Sprintf(`<&> \u2028 \"q\" \ud83d\ude00 %d`, r.Int64()) }
	return []*collection{
		{name: "pods", prefix: "/api/v1",
			create: func(name string, r *rand.Rand) string {
				return fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"app":"a%d"},"annotations":{"text":"%s"}},"spec":{"nodeName":"node-%d",
"containers":[{"name":"c","image":"example.com/i:%d","resources":{"requests":{"cpu":"%dm","memory":"64Mi"}}}]}}`, name, r.IntN(9), text(r), r.IntN(5), r.IntN(99), 1+r.IntN(999))
			},
			patch: func(r *rand.Rand) string { return fmt.Sprintf(`{"metadata":{"annotations":{"text":"%s"}}}`, text(r)) }},
		{name: "widgets", prefix: "/apis/example.com/v1",
			create: func(name string, r *rand.Rand) string {
				return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":%q},"spec":{"color":"%s","sizes":[%d,%d],"ratio":%g}}`, name, text(r), r.IntN(9), r.IntN(9), r.Float64())
			},
			patch: func(r *rand.Rand) string {
				return fmt.Sprintf(`{"spec":{"color":"%s","sizes":[%d]}}`, text(r), r.IntN(9))
			}},
		{name: "configmaps", prefix: "/api/v1",
			create: func(name string, r *rand.Rand) string {
				return fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"app":"a%d"}},"data":{"text":"%s"}}`, name, r.IntN(9), text(r))
			},
			patch: func(r *rand.Rand) string {
				return fmt.Sprintf(`{"metadata":{"labels":{"app":"b%d"}},"data":{"text":"%s"}}`, r.IntN(9), text(r))
			}},
	}
}

// writer changes objects that nobody else changes, of every collection.
type writer struct {
	t       *testing.T
	id      int
	client  *cluster.Client
	random  *rand.Rand
	all     []*collection
	present map[*collection]map[string]state // by name
	next    int
	unclear *atomic.Int64 // writes whose answer was lost
}

func namespaceOf(name string) string { return "follow-" + strconv.Itoa(len(name)%2) }

// write makes one random change and reports whether the server acknowledged it.
func (w *writer) write(ctx context.Context) bool {
	c := w.all[w.random.IntN(len(w.all))]
	names := w.present[c]
	var name string
	for name = range names { // Go's order is no order
		break
	}
	switch n := w.random.IntN(10); {
	case name == "" || n < 3 && len(names) < 60:
		return w.create(ctx, c, w.newName())
	case n < 5:
		return w.remove(ctx, c, name)
	case n == 5: // the same name, another object
		return w.remove(ctx, c, name) && w.create(ctx, c, name)
	default:
		return w.send(ctx, c, name, http.MethodPatch, "application/merge-patch+json", c.patch(w.random))
	}
}

func (w *writer) newName() string {
	w.next++
	return fmt.Sprintf("w%d-%d", w.id, w.next)
}

func (w *writer) create(ctx context.Context, c *collection, name string) bool {
	return w.send(ctx, c, name, http.MethodPost, "application/json", c.create(name, w.random))
}

func (w *writer) remove(ctx context.Context, c *collection, name string) bool {
	return w.send(ctx, c, name, http.MethodDelete, "application/json", `{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0}`)
}

func (w *writer) send(ctx context.Context, c *collection, name, method, contentType, body string) bool {
	path := c.path(namespaceOf(name), name)
	if method == http.MethodPost {
		path = c.path(namespaceOf(name), "")
	}
	response, err := w.client.Do(ctx, method, path, http.Header{"Content-Type": {contentType}}, []byte(body))
	if err != nil || response.Code >= 300 {
		w.unclear.Add(1)
		w.recover(ctx, c, name)
		return false
	}
	if method == http.MethodDelete {
		delete(w.present[c], name)
		return true
	}
	w.learn(c, name, response.Body)
	return true
}

func (w *writer) learn(c *collection, name string, object []byte) {
	var o struct {
		Metadata struct{ UID, ResourceVersion string }
	}
	if err := json.Unmarshal(object, &o); err != nil {
		w.t.Errorf("%s %s: %v", c.name, name, err)
	}
	s := state{namespaceOf(name) + "/" + name, o.Metadata.UID, o.Metadata.ResourceVersion}
	c.note(s)
	w.present[c][name] = s
}

// recover asks for the object until the server answers: a write whose answer
// was lost may have happened.
func (w *writer) recover(ctx context.Context, c *collection, name string) {
	for ctx.Err() == nil {
		response, err := w.client.Do(ctx, http.MethodGet, c.path(namespaceOf(name), name), nil, nil)
		switch {
		case err == nil && response.Code == http.StatusOK:
			w.learn(c, name, response.Body)
			return
		case err == nil && response.Code == http.StatusNotFound:
			delete(w.present[c], name)
			return
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// storm is several writers at work.
type storm struct {
	writers []*writer
	done    atomic.Int64
	unclear atomic.Int64
	marks   map[int64]chan struct{}
	wait    sync.WaitGroup
}

// newStorm prepares writers whose every mark-th write can be waited for.
func newStorm(t *testing.T, client *cluster.Client, all []*collection, writers int, marks ...int64) *storm {
	s := &storm{marks: map[int64]chan struct{}{}}
	for _, mark := range marks {
		s.marks[mark] = make(chan struct{})
	}
	for id := range writers {
		w := &writer{t: t, id: id, client: client, all: all, random: rand.New(rand.NewPCG(7, uint64(id))), present: map[*collection]map[string]state{}, unclear: &s.unclear}
		for _, c := range all {
			w.present[c] = map[string]state{}
		}
		s.writers = append(s.writers, w)
	}
	return s
}

func (s *storm) start(ctx context.Context, total int64) {
	for _, w := range s.writers {
		s.wait.Go(func() {
			for ctx.Err() == nil && s.done.Load() < total {
				if !w.write(ctx) {
					continue
				}
				if reached := s.marks[s.done.Add(1)]; reached != nil {
					close(reached)
				}
			}
		})
	}
}

// reach waits for a mark.
func (s *storm) reach(ctx context.Context, mark int64) error {
	select {
	case <-s.marks[mark]:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%d of %d writes: %w", s.done.Load(), mark, context.Cause(ctx))
	}
}
