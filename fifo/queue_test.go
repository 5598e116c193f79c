package fifo

import (
	"context"
	"errors"
	"iter"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func key(name string) Key { return Key{Namespace: "ns", Name: name} }

func delta(t DeltaType, name, value string) Delta[string] {
	return Delta[string]{Type: t, Key: key(name), Value: value}
}

// want takes everything that waits and compares it, written "Type name value" a delta.
func want(t *testing.T, reason string, q *Queue[string], deltas ...string) {
	t.Helper()
	got := []string{}
	if q.Len() > 0 {
		err := q.Process(t.Context(), 0, func(batch []Delta[string]) error {
			for _, d := range batch {
				got = append(got, line(d))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(append([]string{}, deltas...), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", reason, diff)
	}
}

func line(d Delta[string]) string {
	s := d.Type.String()
	if d.Stale {
		s += " stale"
	}
	if d.Key.Name != "" {
		s += " " + d.Key.Name + " " + d.Value
	}
	for _, o := range d.Objects {
		s += " [" + line(o) + "]"
	}
	return s
}

func push(t *testing.T, q *Queue[string], deltas ...Delta[string]) {
	t.Helper()
	for _, d := range deltas {
		if err := q.Push(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDeltasKeepTheOrderOfArrivalAcrossKeys(t *testing.T) {
	q := NewQueue(QueueOptions[string]{})
	push(t, q, delta(Added, "a", "1"), delta(Added, "b", "1"), delta(Updated, "a", "2"), delta(Deleted, "b", "1"), Delta[string]{Type: Bookmark})
	want(t, "nothing is merged or overtaken unless asked for", q, "Added a 1", "Added b 1", "Updated a 2", "Deleted b 1", "Bookmark")
	if q.Len() != 0 {
		t.Errorf("%d deltas remain after they were processed", q.Len())
	}
}

func TestFailedBatchStaysAndComesAgain(t *testing.T) {
	q := NewQueue(QueueOptions[string]{Coalesce: true})
	push(t, q, delta(Added, "a", "1"))
	boom := errors.New("store is full")
	err := q.Process(t.Context(), 1, func([]Delta[string]) error {
		push(t, q, delta(Updated, "a", "2"))
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatalf("Process = %v, want the consumer's error", err)
	}
	want(t, "nothing is lost between pop and store, and what the consumer holds is not changed under it", q, "Added a 1", "Updated a 2")
}

func TestFullQueueHoldsItsProducerUntilThereIsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(QueueOptions[string]{Limit: 2})
		push(t, q, delta(Added, "a", "1"), delta(Added, "b", "1"))
		done := make(chan error, 1)
		go func() { done <- q.Push(t.Context(), delta(Added, "c", "1")) }()
		synctest.Wait()
		select {
		case err := <-done:
			t.Fatalf("Push returned %v while the queue was full", err)
		default:
		}
		if err := q.Process(t.Context(), 1, func(b []Delta[string]) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatalf("Push = %v once there was room", err)
		}
		want(t, "the delta that waited is last", q, "Added b 1", "Added c 1")
	})
}

func TestWaitingEndsWithTheContextAndWithClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(QueueOptions[string]{Limit: 1})
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stop) })
		if err := q.Process(ctx, 1, nil); !errors.Is(err, stop) {
			t.Errorf("Process of an empty queue = %v, want the context's cause", err)
		}
		push(t, q, delta(Added, "a", "1"))
		if err := q.Push(ctx, delta(Added, "b", "1")); !errors.Is(err, stop) {
			t.Errorf("Push to a full queue = %v, want the context's cause", err)
		}
		time.AfterFunc(time.Second, q.Close)
		if err := q.Push(t.Context(), delta(Added, "b", "1")); !errors.Is(err, ErrClosed) {
			t.Errorf("Push = %v when the queue closes under it, want ErrClosed", err)
		}
		want(t, "a closed queue is drained", q, "Added a 1")
		if err := q.Process(t.Context(), 1, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("Process of a drained closed queue = %v, want ErrClosed", err)
		}
	})
}

func TestDrainWaitsForWhatIsBeingProcessedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(QueueOptions[string]{})
		push(t, q, delta(Added, "a", "1"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := q.Drain(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Drain = %v with a delta waiting, want the context's cause", err)
		}
		processed := false
		go q.Process(t.Context(), 0, func([]Delta[string]) error {
			time.Sleep(time.Second) // the bubble's clock: processing takes a while
			processed = true
			return nil
		})
		synctest.Wait()
		if err := q.Drain(t.Context()); err != nil || !processed {
			t.Errorf("Drain = %v before the consumer had finished", err)
		}
	})
}

func TestSyncedOnlyAfterTheReplaceWasProcessed(t *testing.T) {
	q := NewQueue(QueueOptions[string]{})
	synced := func() bool {
		select {
		case <-q.Synced():
			return true
		default:
			return false
		}
	}
	push(t, q, delta(Added, "early", "1"))
	want(t, "", q, "Added early 1")
	if err := q.Replace(t.Context(), []Delta[string]{delta(Added, "a", "1")}, "7"); err != nil {
		t.Fatal(err)
	}
	if synced() {
		t.Error("synced while the list was still waiting")
	}
	want(t, "a list is one delta", q, "Replaced [Added a 1]")
	if !synced() {
		t.Error("not synced after the list was processed")
	}
}

func TestReplaceMarksWhatIsGoneFromTheStoreAndFromTheQueue(t *testing.T) {
	stored := map[Key]string{key("stored"): "s", key("kept"): "k", key("deleted"): "d"}
	q := NewQueue(QueueOptions[string]{Known: func() iter.Seq2[Key, string] { return maps.All(stored) }})
	push(t, q, delta(Deleted, "deleted", "d"), delta(Added, "queued", "q"))
	q.Replace(t.Context(), []Delta[string]{delta(Added, "kept", "k2")}, "9")
	q.Process(t.Context(), 0, func(batch []Delta[string]) error {
		gone := map[string]string{}
		r := batch[2]
		for _, d := range r.Objects[:len(r.Objects)-1] {
			if d.Type != Deleted || !d.Stale {
				t.Errorf("%s: a deletion noticed by a relist is a stale one", line(d))
			}
			gone[d.Key.Name] = d.Value
		}
		if diff := cmp.Diff(map[string]string{"stored": "s", "queued": "q"}, gone); diff != "" {
			t.Errorf("tombstones for what the store has and what is on its way to it, not for what is deleted already (-want +got):\n%s", diff)
		}
		if last := line(r.Objects[len(r.Objects)-1]); last != "Added kept k2" || r.ResourceVersion != "9" {
			t.Errorf("the list follows its tombstones, with its version: %s at %s", last, r.ResourceVersion)
		}
		return nil
	})
	// A second Replace while the first waits: what the first brought counts as there.
	clear(stored)
	q.Replace(t.Context(), []Delta[string]{delta(Added, "x", "1")}, "10")
	q.Replace(t.Context(), nil, "11")
	want(t, "the waiting list's object is gone", q,
		"Replaced [Added x 1]", "Replaced [Deleted stale x 1]")
}

func TestCoalescingKeepsTheLaterStateInTheEarlierPlace(t *testing.T) {
	q := NewQueue(QueueOptions[string]{Coalesce: true, Limit: 3})
	push(t, q, delta(Added, "a", "1"), delta(Updated, "b", "1"), delta(Updated, "a", "2"), delta(Updated, "b", "2"), delta(Deleted, "b", "3"))
	want(t, "an object nobody has seen stays Added", q, "Added a 2", "Deleted b 3")

	push(t, q, delta(Deleted, "a", "1"), delta(Added, "a", "2"), delta(Updated, "a", "3"))
	want(t, "a deletion is never merged with the next life of its key", q, "Deleted a 1", "Added a 3")

	one, two := delta(Updated, "a", "1"), delta(Updated, "a", "2")
	one.UID, two.UID = "1", "2"
	push(t, q, one, two)
	want(t, "nor is another UID", q, "Updated a 1", "Updated a 2")

	push(t, q, delta(Updated, "a", "1"))
	q.Replace(t.Context(), []Delta[string]{delta(Added, "a", "2")}, "5")
	push(t, q, delta(Updated, "a", "3"))
	push(t, q, delta(Updated, "a", "4")) // the queue is full, but this one needs no place of its own
	want(t, "nor anything across a list", q, "Updated a 1", "Replaced [Added a 2]", "Updated a 4")
}

func BenchmarkQueuePushAndProcess(b *testing.B) {
	q := NewQueue(QueueOptions[string]{})
	d := delta(Updated, "a", "1")
	ctx := context.Background()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		q.Push(ctx, d)
		if i++; i%256 == 0 {
			q.Process(ctx, 0, func([]Delta[string]) error { return nil })
		}
	}
}
