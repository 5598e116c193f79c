package sim

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/informer"
)

// history makes a record without a fault in it: one list, then changes; with more, then a relist across a gap and a restore of the server.
func history(t *testing.T, more bool) *Record {
	var r *Record
	synctest.Test(t, func(t *testing.T) {
		w := NewWorld(t, Options{Exact: true, Latency: time.Millisecond})
		steps := []func(){
			w.Start,
			func() { w.Put(key(0), "h") },
			func() { w.Put(key(2), "g") },
			func() { w.Put(key(0), "g") },
			func() { w.Delete(key(1)) },
			func() { w.Put(key(2), "h") },
			func() { w.Put(key(0), "i") },
		}
		if more {
			steps = append(steps, restored(w)...)
		}
		w.Put(key(0), "g")
		w.Put(key(1), "g")
		for _, step := range steps {
			step()
			w.Pass(time.Second + 3)
		}
		if found := w.Finish(); len(found) > 0 {
			t.Fatalf("a good run is bad: %v", found)
		}
		r = w.Record()
		r.Converged = true
	})
	return r
}

// restored takes a backup, writes, loses history, writes, and puts the backup back.
func restored(w *World) []func() {
	backup := w.Server.Snapshot()
	return []func(){
		func() { backup = w.Server.Snapshot() },
		func() { w.Put(key(3), "g") },
		func() { w.Put(key(3), "h") },
		func() {
			w.Server.CloseWatches()
			w.Delete(key(3))
			w.Put(key(3), "i")
			w.Server.ExpireWatches()
		},
		func() { w.Put(key(0), "k") },
		func() { w.Network.Refuse(true); w.Network.Now(RST) },
		func() { w.Server.Restore(backup); w.Network.Refuse(false) },
		func() { w.Pass(time.Minute) },
		func() { w.Put(key(0), "l") },
	}
}

// nth returns the place of the nth event of a key and a kind that a handler saw.
func nth(t *testing.T, seen []Seen, k Key, kind string, n int) int {
	t.Helper()
	for i := range seen {
		if seen[i].Key == k && strings.EqualFold(seen[i].Kind.String(), kind) {
			if n--; n == 0 {
				return i
			}
		}
	}
	t.Fatalf("no such event: %s %s", kind, k)
	return 0
}

// A checker that finds nothing proves nothing: each invariant is broken in a history that was good, and must be found by its name.
func TestCheckerFindsWhatIsBroken(t *testing.T) {
	for _, c := range []struct {
		name, invariant string
		more            bool
		spoil           func(t *testing.T, r *Record, h *HandlerRecord)
	}{
		{"the store lacks an object", "I1", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.Store = r.Store[1:] }},
		{"the store has another state", "I1", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.Store[0].Version = "2" }},
		{"the store has one object more", "I1", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.Store = append(r.Store, State{Key: key(9)}) }},
		{"it took for ever", "I1", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.Converged = false }},
		{"the last change was not delivered", "I1", false, func(t *testing.T, r *Record, h *HandlerRecord) { h.Seen = h.Seen[:len(h.Seen)-1] }},
		{"a state of an epoch that has ended", "I2", true, func(t *testing.T, r *Record, h *HandlerRecord) {
			old := h.Seen[nth(t, h.Seen, key(0), "Updated", 4)].New
			e := &h.Seen[nth(t, h.Seen, key(0), "Updated", 6)]
			e.New, e.State = old, old
		}},
		{"a state that was overtaken", "I3", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			old := h.Seen[nth(t, h.Seen, key(0), "Added", 1)].New
			e := &h.Seen[nth(t, h.Seen, key(0), "Updated", 3)]
			e.New, e.State = old, old
		}},
		{"a state that never was", "I4", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			e := &h.Seen[nth(t, h.Seen, key(0), "Updated", 2)]
			e.New.Value = "?"
		}},
		{"a key that never was", "I4", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			e := h.Seen[nth(t, h.Seen, key(0), "Added", 1)]
			e.Key, e.New.Key = key(9), key(9)
			h.Seen = append(h.Seen, e)
		}},
		{"another object than the event names", "I4", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			h.Seen[nth(t, h.Seen, key(0), "Updated", 2)].Version = "3"
		}},
		{"a deletion was not delivered", "I5", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			n := nth(t, h.Seen, key(1), "Deleted", 1)
			h.Seen = slices.Delete(h.Seen, n, n+1)
		}},
		{"a deletion that never was", "I5", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			e := h.Seen[nth(t, h.Seen, key(2), "Updated", 1)]
			e.Kind, e.Old, e.New = informer.Deleted, e.New, State{}
			h.Seen = append(h.Seen, e)
		}},
		{"a deletion with a state that never was", "I5", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			h.Seen[nth(t, h.Seen, key(1), "Deleted", 1)].Old.Value = "?"
		}},
		{"another life of a key as an update", "I6", true, func(t *testing.T, r *Record, h *HandlerRecord) {
			n := nth(t, h.Seen, key(3), "Deleted", 1)
			m := nth(t, h.Seen, key(3), "Added", 2)
			h.Seen[m].Kind, h.Seen[m].Old = informer.Updated, h.Seen[nth(t, h.Seen, key(3), "Updated", 1)].New
			h.Seen = slices.Delete(h.Seen, n, n+1)
		}},
		{"added twice", "I7", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			h.Seen[nth(t, h.Seen, key(0), "Updated", 1)].Kind = informer.Added
		}},
		{"updated before it was added", "I7", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			h.Seen[nth(t, h.Seen, key(2), "Added", 1)].Kind = informer.Updated
		}},
		{"deleted twice", "I7", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			h.Seen = append(h.Seen, h.Seen[nth(t, h.Seen, key(1), "Deleted", 1)])
		}},
		{"an update from a state that was not seen", "I7", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			h.Seen[nth(t, h.Seen, key(0), "Updated", 2)].Old.Value = "?"
		}},
		{"a resync of another state", "I7", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			e := h.Seen[nth(t, h.Seen, key(0), "Updated", 1)]
			e.Kind = informer.Resync
			h.Seen = append(h.Seen, e)
		}},
		{"two calls at a time", "I7", false, func(t *testing.T, r *Record, h *HandlerRecord) { h.Overlaps = 1 }},
		{"a store older than the event", "I7", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			h.Seen[nth(t, h.Seen, key(0), "Updated", 2)].View = h.Seen[nth(t, h.Seen, key(0), "Updated", 1)].View
		}},
		{"a store without the event's object", "I7", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			h.Seen[nth(t, h.Seen, key(2), "Added", 1)].View = h.Seen[nth(t, h.Seen, key(0), "Updated", 1)].View
		}},
		{"the index lacks an object", "I8", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.Index = r.Index[1:] }},
		{"the index has an object twice", "I8", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.Index = append(r.Index, r.Index[0]) }},
		{"the index lacked an object for a moment", "I8", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			v := h.Seen[nth(t, h.Seen, key(0), "Updated", 2)].View
			v.Index = v.Index[1:]
		}},
		{"the version to resume at went back", "I9", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			last := r.Transitions[len(r.Transitions)-1]
			last.Version = "1"
			r.Transitions = append(r.Transitions, last)
		}},
		{"an update twice", "I10", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			n := nth(t, h.Seen, key(0), "Updated", 2)
			again := h.Seen[n]
			again.Old = again.New
			h.Seen = slices.Insert(h.Seen, n+1, again)
		}},
		{"an update lost without a relist", "I10", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			n := nth(t, h.Seen, key(0), "Updated", 2)
			h.Seen[nth(t, h.Seen, key(0), "Updated", 3)].Old = h.Seen[nth(t, h.Seen, key(0), "Updated", 1)].New
			h.Seen = slices.Delete(h.Seen, n, n+1)
		}},
		{"a life lost without a relist", "I10", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			r.Server = append(r.Server, Step{State: State{Key: key(8), Version: "90"}}, Step{State: State{Key: key(8), Version: "91"}, Deleted: true})
		}},
		{"half a list", "I11", false, func(t *testing.T, r *Record, h *HandlerRecord) {
			v := h.Seen[0].View
			v.Objects, v.Index = v.Objects[:1], v.Index[:1]
			v.Index[0] = v.Objects[0]
		}},
		{"a batch half applied", "I11", true, func(t *testing.T, r *Record, h *HandlerRecord) {
			h.Seen[nth(t, h.Seen, key(0), "Updated", 3)].View.Version = "4"
		}},
		{"an epoch that never began", "I12", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.Transitions[len(r.Transitions)-1].Epoch++ }},
		{"an epoch that came back", "I12", true, func(t *testing.T, r *Record, h *HandlerRecord) {
			last := r.Transitions[len(r.Transitions)-1]
			last.Epoch = 0
			r.Transitions = append(r.Transitions, last)
		}},
		{"a connection that was left open", "I24", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.OpenConns = 1 }},
		{"a connection that was not forgotten", "I24", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.Stats.Open = 1 }},
		{"a snapshot that was not closed", "I24", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.OpenViews = 1 }},
		{"it never synced", "I37", false, func(t *testing.T, r *Record, h *HandlerRecord) { h.Synced = false }},
		{"synced too early", "I37", false, func(t *testing.T, r *Record, h *HandlerRecord) { h.Seen[1].Synced = true }},
		{"a request too many", "I38", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.Stats.Requests++ }},
		{"a watch that was not counted", "I38", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.Status.Sources[0].Reflector.Watches-- }},
		{"a request that nobody sent", "I38", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.Requests = 99 }},
		{"a connection that was not counted", "I38", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.Dials++ }},
		{"an event that was not counted", "I38", false, func(t *testing.T, r *Record, h *HandlerRecord) { h.Handled-- }},
		{"a list that nobody began", "I38", false, func(t *testing.T, r *Record, h *HandlerRecord) { r.Status.Sources[0].Replaces += 3 }},
		{"a failure without a fault", "I38", true, func(t *testing.T, r *Record, h *HandlerRecord) { r.Fired, r.Refused = nil, 0 }},
	} {
		t.Run(c.invariant+" "+c.name, func(t *testing.T) {
			r := history(t, c.more)
			c.spoil(t, r, &r.Handlers[0])
			found := Check(r)
			if !slices.ContainsFunc(found, func(v Violation) bool { return v.Invariant == c.invariant }) {
				t.Errorf("%s was not found, but %v", c.invariant, found)
			}
		})
	}
}
