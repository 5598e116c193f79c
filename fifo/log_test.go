package fifo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func event(kind EventKind, name, uid, old, new string) Event[string] {
	return Event[string]{Kind: kind, Key: key(name), UID: uid, Old: old, New: new}
}

func added(name, uid, value string) Event[string] { return event(ObjectAdded, name, uid, "", value) }
func updated(name, uid, old, value string) Event[string] {
	return event(ObjectUpdated, name, uid, old, value)
}
func deleted(name, uid, old string) Event[string] { return event(ObjectDeleted, name, uid, old, "") }

func text(e Event[string]) string {
	return fmt.Sprintf("%s %s %s>%s", e.Kind, e.Key.Name, e.Old, e.New)
}

func appendAll(t *testing.T, l *Log[string], events ...Event[string]) {
	t.Helper()
	l.Append(events...)
}

// reads takes what waits for r and compares it.
func reads(t *testing.T, reason string, r *Reader[string], events ...string) {
	t.Helper()
	got := []string{}
	if r.Depth() > 0 {
		taken, err := r.Next(t.Context(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range taken {
			got = append(got, text(e))
		}
	}
	if diff := cmp.Diff(append([]string{}, events...), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", reason, diff)
	}
}

func TestReadersFollowTheLogEachAtItsOwnPace(t *testing.T) {
	l := NewLog[string]()
	appendAll(t, l, added("before", "u", "1"))
	fast, slow := l.Reader(ReaderOptions{}), l.Reader(ReaderOptions{})
	for i := range 3 * segmentSize {
		appendAll(t, l, updated("a", "u", fmt.Sprint(i), fmt.Sprint(i+1)))
		reads(t, "every event, from the moment of joining on", fast, fmt.Sprintf("Updated a %d>%d", i, i+1))
	}
	if slow.Depth() != 3*segmentSize {
		t.Errorf("Depth = %d, want every event that the slow reader has not read", slow.Depth())
	}
	all, err := slow.Next(t.Context(), nil, 100)
	if err != nil || len(all) != 100 || text(all[99]) != "Updated a 99>100" {
		t.Errorf("Next read %d events, %v", len(all), err)
	}
}

func TestReaderPastItsLimitKeepsOneChangePerKey(t *testing.T) {
	l := NewLog[string]()
	r := l.Reader(ReaderOptions{Limit: 2})
	appendAll(t, l, added("a", "u", "1"), updated("b", "u", "1", "2"))
	if r.Left() != 0 {
		t.Error("the reader left the log at its limit, not past it")
	}
	appendAll(t, l, updated("b", "u", "2", "3"), updated("a", "u", "1", "2"), added("c", "u", "1"), deleted("c", "u", "1"))
	reads(t, "first old, last new; what nobody saw is not deleted either", r, "Added a >2", "Updated b 1>3")
	if r.Left() != 1 {
		t.Errorf("Left = %d, want 1", r.Left())
	}
	appendAll(t, l, updated("b", "u", "3", "4"), updated("b", "u", "4", "5"))
	reads(t, "having caught up it follows the log again, every event", r, "Updated b 3>4", "Updated b 4>5")
}

func TestMergingStopsAtAnotherUIDAndAtARelist(t *testing.T) {
	relisted := updated("b", "u", "2", "3")
	relisted.Generation = 1
	events := []Event[string]{
		updated("a", "u1", "1", "2"), deleted("a", "u1", "2"), added("a", "u2", "3"), updated("a", "u2", "3", "4"),
		updated("b", "u", "1", "2"), relisted,
	}
	l := NewLog[string]()
	coalescing := l.Reader(ReaderOptions{Limit: 1})
	difference := l.Reader(ReaderOptions{Limit: 1, Policy: DropAndResync})
	appendAll(t, l, events...)
	reads(t, "two lives of a key are never merged, nor what a relist did with what came before", coalescing,
		"Deleted a 1>", "Added a >4", "Updated b 1>2", "Updated b 2>3")
	reads(t, "the difference to the present state has no relists in it", difference,
		"Deleted a 1>", "Added a >4", "Updated b 1>3")
}

func TestResyncMergesIntoARealChange(t *testing.T) {
	l := NewLog[string]()
	r := l.Reader(ReaderOptions{Limit: 1})
	resync := event(ObjectResync, "a", "u", "", "1")
	appendAll(t, l, resync, updated("a", "u", "1", "2"), event(ObjectResync, "a", "u", "", "2"), event(ObjectResync, "b", "u", "", "1"), deleted("b", "u", "1"))
	reads(t, "a resync says nothing that a change does not say", r, "Updated a 1>2", "Deleted b 1>")
}

func TestStuckReaderIsBoundedWhileKeysComeAndGo(t *testing.T) {
	l := NewLog[string]()
	r := l.Reader(ReaderOptions{Limit: 10})
	appendAll(t, l, deleted("life", "0", "x"))
	for i := range 50_000 {
		name := fmt.Sprint("pod", i)
		appendAll(t, l, added(name, "u", "1"), deleted(name, "u", "1"))
		uid := fmt.Sprint(i + 1)
		appendAll(t, l, added("life", uid, "1"), deleted("life", uid, "1"))
	}
	if n := cap(r.pending.entries); n > 1000 || len(r.pending.newest) > 20 {
		t.Errorf("room for %d changes and %d keys after 100,000 objects that nobody saw", n, len(r.pending.newest))
	}
	last := r.Depth()
	if last > 11 {
		t.Errorf("%d events wait, of which only what stood in the log before it left may remain", last)
	}
}

func TestFullBlockingReaderLeavesNoRoomUntilItReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLog[string]()
		r := l.Reader(ReaderOptions{Limit: 1, Policy: Block})
		appendAll(t, l, added("a", "u", "1"))
		done := make(chan error, 1)
		go func() { done <- l.Room(t.Context()) }()
		synctest.Wait()
		if len(done) != 0 || l.Blocked() != 1 {
			t.Fatal("there was room beside a full blocking reader")
		}
		reads(t, "", r, "Added a >1")
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		appendAll(t, l, added("b", "u", "1"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Room(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Room = %v, want the context's cause", err)
		}
		go func() { done <- l.Room(t.Context()) }()
		synctest.Wait()
		r.Close(false)
		if err := <-done; err != nil {
			t.Errorf("closing the reader that blocked must make room: %v", err)
		}
	})
}

func TestClosingReaderDrainsOrDrops(t *testing.T) {
	l := NewLog[string]()
	drains, drops := l.Reader(ReaderOptions{}), l.Reader(ReaderOptions{})
	appendAll(t, l, updated("a", "u", "1", "2"), updated("a", "u", "2", "3"))
	drains.Close(true)
	drops.Close(false)
	drops.Close(true)
	appendAll(t, l, added("late", "u", "1"))
	if _, err := drops.Next(t.Context(), nil, 0); !errors.Is(err, ErrClosed) {
		t.Errorf("Next after dropping = %v, want ErrClosed", err)
	}
	reads(t, "what waited, as it stood, and nothing later", drains, "Updated a 1>2", "Updated a 2>3")
	appendAll(t, l, added("later", "u", "1")) // it has left the log for good
	if _, err := drains.Next(t.Context(), nil, 0); !errors.Is(err, ErrClosed) {
		t.Errorf("Next after draining = %v, want ErrClosed", err)
	}
}

// The log's links are used again once every reader has left them, whichever comes and goes meanwhile.
func TestReadersSeeEachEventOnceWhileLinksAreUsedAgain(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 0))
		l := NewLog[string]()
		type follower struct {
			*Reader[string]
			next uint64
		}
		var readers []*follower
		appended := uint64(0)
		for range 400 {
			switch random.IntN(8) {
			case 0:
				readers = append(readers, &follower{l.Reader(ReaderOptions{Limit: -1}), appended + 1})
			case 1:
				if n := len(readers); n > 0 {
					readers[n-1].Close(random.IntN(2) == 0)
					readers = readers[:n-1]
				}
			case 2, 3, 4:
				for range random.IntN(2 * segmentSize) {
					appended++
					l.Append(Event[string]{Kind: ObjectUpdated, Generation: appended})
				}
			default:
				for _, r := range readers {
					events, err := r.Poll(nil, 1+random.IntN(2*segmentSize))
					if err != nil {
						t.Fatal(err)
					}
					for _, e := range events {
						if e.Generation != r.next {
							t.Fatalf("seed %d: event %d, want %d", seed, e.Generation, r.next)
						}
						r.next++
					}
				}
			}
			for _, r := range readers {
				if got := uint64(r.Depth()); got != appended+1-r.next {
					t.Fatalf("seed %d: %d events wait, want %d", seed, got, appended+1-r.next)
				}
			}
		}
		for _, r := range readers {
			r.Close(false)
		}
		l.Append(make([]Event[string], segmentSize+1)...)
		if l.first != l.tail {
			t.Errorf("seed %d: links are held without a reader", seed)
		}
	}
}

func TestFollowingALogAllocatesNothing(t *testing.T) {
	l := NewLog[string]()
	r := l.Reader(ReaderOptions{})
	events, buffer := make([]Event[string], 100), make([]Event[string], 0, 100)
	n := testing.AllocsPerRun(20, func() {
		l.Append(events...)
		if got, _ := r.Poll(buffer, 0); len(got) != len(events) {
			t.Fatalf("%d events, want %d", len(got), len(events))
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for 100 events, want none", n)
	}
}

func TestNextWaitsUntilSomethingComesOrEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLog[string]()
		r := l.Reader(ReaderOptions{Limit: -1})
		time.AfterFunc(time.Second, func() { appendAll(t, l, added("a", "u", "1")) })
		got, err := r.Next(t.Context(), nil, 0)
		if err != nil || len(got) != 1 {
			t.Fatalf("Next = %d events, %v", len(got), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.Next(ctx, nil, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Next = %v, want the context's cause", err)
		}
		time.AfterFunc(time.Second, l.Close)
		if _, err := r.Next(t.Context(), nil, 0); !errors.Is(err, ErrClosed) {
			t.Errorf("Next = %v after the log closed, want ErrClosed", err)
		}
	})
}

// Whatever a reader's pace, limit and policy: it ends with the state that the log ends with, every event fits the one
// before it for that key, and a UID change is always a deletion and an addition.
func TestEveryReaderSeesALegalHistoryThatEndsInThePresentState(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		l := NewLog[string]()
		var readers []*follower
		for i := range 6 {
			readers = append(readers, &follower{Reader: l.Reader(ReaderOptions{Limit: 1 + r.IntN(8), Policy: []Policy{Coalesce, DropAndResync}[i%2]}), state: map[Key]Event[string]{}})
		}
		truth := map[Key]Event[string]{}
		var generation uint64
		for step := range 400 {
			k := fmt.Sprint("k", r.IntN(6))
			old, there := truth[key(k)]
			var e Event[string]
			switch {
			case !there:
				e = added(k, fmt.Sprint("uid", step), fmt.Sprint(step))
			case r.IntN(3) == 0:
				e = deleted(k, old.UID, old.New)
			default:
				e = updated(k, old.UID, old.New, fmt.Sprint(step))
			}
			if r.IntN(20) == 0 {
				generation++
			}
			e.Generation = generation
			if e.Kind == ObjectDeleted {
				delete(truth, e.Key)
			} else {
				truth[e.Key] = e
			}
			appendAll(t, l, e)
			f := readers[r.IntN(len(readers))]
			if f.Depth() > 0 && r.IntN(2) == 0 {
				f.read(t, seed, 1+r.IntN(4))
			}
		}
		for i, f := range readers {
			for f.Depth() > 0 {
				f.read(t, seed, 3)
			}
			present, want := map[Key]string{}, map[Key]string{}
			for k, e := range f.state {
				present[k] = e.UID + e.New
			}
			for k, e := range truth {
				want[k] = e.UID + e.New
			}
			if diff := cmp.Diff(want, present); diff != "" {
				t.Fatalf("seed %d reader %d does not end in the present state (-want +got):\n%s", seed, i, diff)
			}
		}
	}
}

type follower struct {
	*Reader[string]
	state map[Key]Event[string]
}

func (f *follower) read(t *testing.T, seed uint64, limit int) {
	t.Helper()
	events, err := f.Next(t.Context(), nil, limit)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		had, there := f.state[e.Key]
		switch {
		case e.Kind == ObjectAdded && there, e.Kind != ObjectAdded && !there:
			t.Fatalf("seed %d: %s, but the reader has it: %v", seed, text(e), there)
		case e.Kind == ObjectUpdated && (e.Old != had.New || e.UID != had.UID):
			t.Fatalf("seed %d: %s of %s, but the reader saw %s of %s last", seed, text(e), e.UID, had.New, had.UID)
		case e.Kind == ObjectDeleted && (e.UID != had.UID || e.Old != had.New):
			t.Fatalf("seed %d: %s of %s, but the reader has %s", seed, text(e), e.UID, had.UID)
		}
		if e.Kind == ObjectDeleted {
			delete(f.state, e.Key)
		} else {
			f.state[e.Key] = e
		}
	}
}

func BenchmarkLogAppendAndRead(b *testing.B) {
	l := NewLog[string]()
	r := l.Reader(ReaderOptions{})
	ctx := context.Background()
	e := []Event[string]{updated("a", "u", "1", "2")}
	var dst []Event[string]
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		l.Append(e...)
		if i++; i%256 == 0 {
			dst, _ = r.Next(ctx, dst[:0], 0)
		}
	}
}
