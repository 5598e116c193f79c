package fuzz

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rawwatch/rawwatch/fifo"
	"github.com/rawwatch/rawwatch/store"
)

// state is the slow, obvious store: a map, copied whenever somebody wants to keep it.
type state map[types.NamespacedName]store.Entry[string]

// pinned is a snapshot and what it must go on showing.
type pinned struct {
	snapshot *store.Snapshot[string]
	want     state
}

// storeRun is a store and its model, each written by two sources.
type storeRun struct {
	t       *testing.T
	d       *dice
	s       *store.Store[string]
	writers []*store.Writer[string]
	want    state
	open    []pinned
	indexes []*store.Index[string, string]
	tick    int
}

var values = []string{"", "a", "b", "a b", "b c c", "a", "d"}

func words(value string, dst []string) []string { return append(dst, strings.Fields(value)...) }

// FuzzStoreOperations: whatever is written, replaced, pruned, indexed, pinned and closed, in whatever order, every read is what a copied map says, and every
// snapshot stays what it was.
func FuzzStoreOperations(f *testing.F) {
	f.Add([]byte{9, 3, 1, 2, 3, 4, 5, 6, 0, 9, 2, 7, 7, 7, 1, 0, 9, 1, 1, 1, 1, 3, 0, 5, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	for i := range byte(12) {
		f.Add([]byte{9, 4, 1, 2, 3, 4, i, 6, 7, 8, i, 2, i, 4, 0, i, 0, i, 2, 3, 5, i, 9, 4, i, i, i, i, 1, 0, i, 3, 4, 4, i, 1, i, 9, 9, 9, i, 3, 4, 2})
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 1<<10 {
			return
		}
		r := &storeRun{t: t, d: &dice{script}, s: store.New[string](), want: state{}}
		for _, name := range []string{"even", "odd"} {
			w, err := r.s.Writer(name)
			if err != nil {
				t.Fatal(err)
			}
			r.writers = append(r.writers, w)
		}
		for !r.d.empty() {
			r.step()
		}
		r.compare()
	})
}

func (r *storeRun) step() {
	source := r.d.pick(2)
	w := r.writers[source]
	switch r.d.pick(8) {
	case 0:
		r.open = append(r.open, pinned{r.s.Snapshot(), maps.Clone(r.want)})
	case 1:
		if len(r.open) > 0 {
			i := r.d.pick(len(r.open))
			r.open[i].snapshot.Close()
			r.open = append(r.open[:i], r.open[i+1:]...)
		}
	case 2:
		if len(r.indexes) < 3 {
			x, err := store.AddIndex(r.s, fmt.Sprint("index", len(r.indexes)), words)
			if err != nil {
				r.t.Fatal(err)
			}
			r.indexes = append(r.indexes, x)
		}
	case 3, 4:
		r.replace(w, source)
	case 5:
		w.Advance(fmt.Sprint(r.tick))
		r.compare()
	default:
		changes := make([]store.Change[string], r.d.pick(5))
		for i := range changes {
			changes[i] = r.change(source, r.d.pick(4) == 0)
		}
		if err := w.Apply(changes, fmt.Sprint(r.tick)); err != nil {
			r.t.Fatal(err)
		}
		r.apply(changes)
	}
	if r.d.pick(4) == 0 {
		r.compare()
	}
}

// change is one of the source's keys: a source's names end in its number.
func (r *storeRun) change(source int, gone bool) store.Change[string] {
	r.tick++
	return store.Change[string]{
		Key: types.NamespacedName{Namespace: fmt.Sprint("n", r.d.pick(3)), Name: fmt.Sprint(2*r.d.pick(6) + source)},
		UID: fmt.Sprint("u", r.d.pick(2)), ResourceVersion: fmt.Sprint(r.tick), Value: values[r.d.pick(len(values))], Delete: gone,
	}
}

// apply does to the model what the changes say, and holds what they say was there before to it.
func (r *storeRun) apply(changes []store.Change[string]) {
	for _, c := range changes {
		old, existed := r.want[c.Key]
		if c.Existed != existed || existed && (c.Old != old.Value || c.OldUID != old.UID || c.OldVersion != old.ResourceVersion) {
			r.t.Fatalf("a change of %s says that %q %s@%s was there, which was %+v", c.Key, c.Old, c.OldUID, c.OldVersion, old)
		}
		if c.Delete {
			delete(r.want, c.Key)
		} else {
			r.want[c.Key] = store.Entry[string]{Key: c.Key, UID: c.UID, ResourceVersion: c.ResourceVersion, Value: c.Value}
		}
	}
}

func (r *storeRun) replace(w *store.Writer[string], source int) {
	replace := w.Replace()
	next := state{}
	for key, e := range r.want {
		if !strings.HasSuffix(key.Name, fmt.Sprint(source)) && (int(key.Name[len(key.Name)-1]-'0')-source)%2 != 0 {
			next[key] = e // the other source's
		}
	}
	for range r.d.pick(8) {
		c := r.change(source, false)
		old, existed := r.want[c.Key]
		_, listed := next[c.Key]
		switch r.d.pick(4) {
		case 0:
			if replace.Keep(c.Key, old.UID, old.ResourceVersion) != existed {
				r.t.Fatalf("Keep of %s, which is there: %v", c.Key, existed)
			}
			if existed && !listed {
				next[c.Key] = old
			}
		case 1:
			if replace.Retain(c.Key) != existed {
				r.t.Fatalf("Retain of %s, which is there: %v", c.Key, existed)
			}
			if existed && !listed {
				next[c.Key] = old
			}
		case 2:
			replace.Remove(c.Key)
			delete(next, c.Key)
		default:
			replace.Put(c)
			next[c.Key] = store.Entry[string]{Key: c.Key, UID: c.UID, ResourceVersion: c.ResourceVersion, Value: c.Value}
		}
	}
	if r.d.pick(4) == 0 {
		return // a list that broke off
	}
	changes, err := replace.Commit(fmt.Sprint(r.tick))
	if err != nil {
		r.t.Fatal(err)
	}
	var changed []store.Change[string]
	for c := range changes {
		changed = append(changed, *c)
	}
	r.apply(changed)
	if diff := cmp.Diff(next, r.want); diff != "" {
		r.t.Fatalf("what a replacement leaves (-want +got):\n%s", diff)
	}
}

// compare asks everything that can be asked.
func (r *storeRun) compare() {
	now := r.s.Snapshot()
	defer now.Close()
	for i, p := range append(r.open, pinned{now, r.want}) {
		got := state{}
		for e := range p.snapshot.Entries() {
			got[e.Key] = e
		}
		if diff := cmp.Diff(p.want, got); diff != "" || p.snapshot.Len() != len(p.want) {
			r.t.Fatalf("snapshot %d of %d (-want +got):\n%s", i, len(r.open), diff)
		}
		for _, x := range r.indexes {
			for _, word := range []string{"a", "b", "c", "d"} {
				r.sameKeys(x.In(p.snapshot, word), p.want, func(e store.Entry[string]) bool { return strings.Contains(e.Value, word) })
			}
		}
		r.sameKeys(p.snapshot.Namespace("n1"), p.want, func(e store.Entry[string]) bool { return e.Key.Namespace == "n1" })
	}
	for _, x := range r.indexes {
		r.sameKeys(x.Get("b"), r.want, func(e store.Entry[string]) bool { return strings.Contains(e.Value, "b") })
	}
	for key := range r.want {
		if e, ok := r.s.Entry(key); !ok || e != r.want[key] {
			r.t.Fatalf("%s is %+v, %v", key, e, ok)
		}
	}
	if r.s.Len() != len(r.want) {
		r.t.Fatalf("%d objects, want %d", r.s.Len(), len(r.want))
	}
}

func (r *storeRun) sameKeys(seq iter.Seq2[types.NamespacedName, string], from state, match func(store.Entry[string]) bool) {
	want, got := map[types.NamespacedName]string{}, map[types.NamespacedName]string{}
	for key, e := range from {
		if match(e) {
			want[key] = e.Value
		}
	}
	for key, value := range seq {
		if _, twice := got[key]; twice {
			r.t.Fatalf("%s was yielded twice", key)
		}
		got[key] = value
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Fatalf("(-want +got):\n%s", diff)
	}
}

// FuzzQueueOperations: what is pushed, merged, given out, given back and replaced ends in the state that applying everything at once ends in; without
// merging every delta comes, once and in order; tombstones say exactly what is gone.
func FuzzQueueOperations(f *testing.F) {
	f.Add([]byte{0, 0, 1, 2, 0, 2, 2, 3, 0, 3, 1, 4, 4, 2, 2})
	f.Add([]byte{3, 0, 1, 2, 0, 1, 3, 5, 1, 2, 3, 2, 1, 0, 2, 2, 0, 0, 1, 3, 3})
	for i := range byte(8) {
		f.Add([]byte{i, 0, i, 1, 2, i, 3, i, 1, i, 2, i, 3, 4, 5, i, 6, 7, 0, 1, 2, i, 4, 4, i, 2, 1, 0, i})
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 1<<10 {
			return
		}
		d := dice{script}
		have, want := map[types.NamespacedName]string{}, map[types.NamespacedName]string{}
		options := fifo.QueueOptions[string]{Limit: 1 << 20, Coalesce: d.pick(2) == 1}
		knows := d.pick(2) == 1
		if knows {
			options.Known = func() iter.Seq2[types.NamespacedName, string] { return maps.All(have) }
		}
		q := fifo.NewQueue(options)
		ctx := context.Background()
		var pushed, processed []string
		give := errors.New("given back")
		process := func(limit int, fails bool) {
			if q.Len() == 0 {
				return
			}
			err := q.Process(ctx, limit, func(batch []fifo.Delta[string]) error {
				if fails {
					return give
				}
				for _, delta := range batch {
					processed = append(processed, nameOf(delta))
					consume(t, have, delta, knows)
				}
				return nil
			})
			if err != nil && (err != give || !fails) {
				t.Fatal(err)
			}
		}
		for i := 0; !d.empty(); i++ {
			key := types.NamespacedName{Name: string(rune('a' + d.pick(4)))}
			value := fmt.Sprint(i)
			switch d.pick(7) {
			case 0, 1:
				typ := fifo.Added
				if _, there := want[key]; there {
					typ = fifo.Updated
				}
				push(t, q, fifo.Delta[string]{Type: typ, Key: key, Value: value}, want, &pushed)
			case 2:
				push(t, q, fifo.Delta[string]{Type: fifo.Deleted, Key: key, Value: want[key]}, want, &pushed)
			case 3:
				var objects []fifo.Delta[string]
				clear(want)
				for j := range d.pick(4) {
					key := types.NamespacedName{Name: string(rune('a' + (j+i)%5))}
					objects = append(objects, fifo.Delta[string]{Type: fifo.Added, Key: key, Value: value})
					want[key] = value
				}
				if err := q.Replace(ctx, objects, value); err != nil {
					t.Fatal(err)
				}
				pushed = append(pushed, "Replaced")
			case 4:
				process(1+d.pick(3), true)
			default:
				process(d.pick(4), false)
			}
		}
		process(0, false)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Fatalf("the state that comes of it (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(pushed, processed); diff != "" && !options.Coalesce {
			t.Fatalf("the deltas (-pushed +processed):\n%s", diff)
		}
		if len(processed) > len(pushed) || q.Len() != 0 {
			t.Fatalf("%d deltas pushed, %d processed, %d left", len(pushed), len(processed), q.Len())
		}
	})
}

func nameOf(d fifo.Delta[string]) string {
	if d.Type == fifo.Replaced {
		return "Replaced"
	}
	return d.Type.String() + " " + d.Key.Name + " " + d.Value
}

func push(t *testing.T, q *fifo.Queue[string], d fifo.Delta[string], want map[types.NamespacedName]string, pushed *[]string) {
	if err := q.Push(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	*pushed = append(*pushed, nameOf(d))
	if d.Type == fifo.Deleted {
		delete(want, d.Key)
	} else {
		want[d.Key] = d.Value
	}
}

// consume is what stands behind a queue: it does what deltas say.
func consume(t *testing.T, have map[types.NamespacedName]string, d fifo.Delta[string], knows bool) {
	switch d.Type {
	case fifo.Added, fifo.Updated:
		have[d.Key] = d.Value
	case fifo.Deleted:
		delete(have, d.Key)
	case fifo.Replaced:
		listed := map[types.NamespacedName]string{}
		tombstones := map[types.NamespacedName]bool{}
		for _, o := range d.Objects {
			if o.Type == fifo.Deleted {
				tombstones[o.Key] = true
				if old, there := have[o.Key]; !there || old != o.Value || !o.Stale {
					t.Fatalf("a tombstone of %s with %q, there was %q, %v", o.Key, o.Value, old, there)
				}
				continue
			}
			listed[o.Key] = o.Value
		}
		for key := range have {
			if _, stays := listed[key]; knows && stays == tombstones[key] {
				t.Fatalf("%s stays: %v, has a tombstone: %v", key, stays, tombstones[key])
			}
		}
		clear(have)
		maps.Copy(have, listed)
	}
}

// FuzzLogReaders: any number of readers of any policy and limit, each as slow as it likes. Each event fits onto what the reader was told before, and in the end
// every reader has the state that the log ends in; a reader without a limit saw each event as it was.
func FuzzLogReaders(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 1, 1, 2, 0, 3, 1, 0, 2, 1, 3, 5, 0, 1, 4, 2, 2, 2})
	for i := range byte(8) {
		f.Add([]byte{6, i, 1, 6, 2, i, 0, 0, i, 0, 1, i, 1, 0, 2, 0, 3, 0, i, 0, 0, 5, i, 4, 1, 0, 0, 1, i, 0, 2, 3, i, 5, 0, 2, 7, i, 3, 3})
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 1<<10 {
			return
		}
		r := &logRun{t: t, d: &dice{script}, log: fifo.NewLog[string](), now: map[types.NamespacedName]life{}}
		for !r.d.empty() {
			r.step()
		}
		for _, reader := range r.readers {
			r.read(reader, 0)
			if diff := cmp.Diff(r.now, reader.has, cmp.AllowUnexported(life{})); diff != "" {
				t.Fatalf("the state a reader of %+v was told of (-want +got):\n%s", reader.options, diff)
			}
			if reader.options.Limit < 0 && reader.events != r.appended-reader.from {
				t.Fatalf("%d of %d events", reader.events, r.appended-reader.from)
			}
		}
	})
}

// life is an object's state: its UID and value.
type life struct{ uid, value string }

type logRun struct {
	t          *testing.T
	d          *dice
	log        *fifo.Log[string]
	now        map[types.NamespacedName]life
	readers    []*logReader
	generation uint64
	appended   int
}

type logReader struct {
	*fifo.Reader[string]
	options      fifo.ReaderOptions
	has          map[types.NamespacedName]life
	from, events int
}

func (r *logRun) step() {
	key := types.NamespacedName{Name: string(rune('a' + r.d.pick(4)))}
	old, there := r.now[key]
	event := fifo.Event[string]{Key: key, UID: old.uid, Old: old.value, Generation: r.generation}
	r.appended++
	switch kind := r.d.pick(9); {
	case kind == 0 && len(r.readers) < 5:
		o := fifo.ReaderOptions{Limit: []int{-1, 1, 2, 7, 0}[r.d.pick(5)], Policy: []fifo.Policy{fifo.Coalesce, fifo.DropAndResync}[r.d.pick(2)]}
		r.appended--
		r.readers = append(r.readers, &logReader{Reader: r.log.Reader(o), options: o, has: maps.Clone(r.now), from: r.appended})
		return
	case kind <= 2 && len(r.readers) > 0:
		r.appended--
		r.read(r.readers[r.d.pick(len(r.readers))], r.d.pick(4))
		return
	case kind == 3:
		r.generation++
		r.appended--
		return
	case kind == 4 && there:
		event.Kind, event.New = fifo.ObjectDeleted, old.value
		delete(r.now, key)
	case kind == 5 && there:
		event.Kind, event.New, event.Old = fifo.ObjectResync, old.value, ""
	case there:
		event.Kind, event.New = fifo.ObjectUpdated, fmt.Sprint(r.appended)
		r.now[key] = life{old.uid, event.New}
	default:
		event.Kind, event.New, event.UID = fifo.ObjectAdded, fmt.Sprint(r.appended), fmt.Sprint("u", r.appended)
		r.now[key] = life{event.UID, event.New}
	}
	r.log.Append(event)
}

// read takes up to limit events, and holds each to what the reader knows.
func (r *logRun) read(reader *logReader, limit int) {
	events, err := reader.Poll(nil, limit)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, e := range events {
		reader.events++
		has, there := reader.has[e.Key]
		switch e.Kind {
		case fifo.ObjectAdded:
			if there {
				r.t.Fatalf("%s was added as %q, and was there as %q", e.Key, e.New, has.value)
			}
			reader.has[e.Key] = life{e.UID, e.New}
		case fifo.ObjectUpdated:
			if !there || has.value != e.Old || has.uid != e.UID {
				r.t.Fatalf("%s of %s went from %q to %q, and was %+v", e.Key, e.UID, e.Old, e.New, has)
			}
			reader.has[e.Key] = life{e.UID, e.New}
		case fifo.ObjectDeleted:
			if !there || has.value != e.Old || has.uid != e.UID {
				r.t.Fatalf("%s of %s was deleted as %q, and was %+v, %v", e.Key, e.UID, e.Old, has, there)
			}
			delete(reader.has, e.Key)
		case fifo.ObjectResync:
			if !there || has.value != e.New {
				r.t.Fatalf("%s is said to be %q still, and was %+v, %v", e.Key, e.New, has, there)
			}
		}
	}
}
