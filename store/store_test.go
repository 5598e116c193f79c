package store

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"
)

func put(t testing.TB, w *Writer[string], name, value, version string) {
	t.Helper()
	c := []Change[string]{{Key: Key{Namespace: "ns", Name: name}, UID: "uid-" + name, ResourceVersion: version, Value: value}}
	if err := w.Apply(c, version); err != nil {
		t.Fatal(err)
	}
}

func newStore(t testing.TB) (*Store[string], *Writer[string]) {
	t.Helper()
	s := New[string]()
	w, err := s.Writer("")
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

func TestKeyFormsRoundTripAndOthersAreRefused(t *testing.T) {
	for _, form := range []string{"name", "ns/name"} {
		key, err := ParseKey(form)
		if err != nil || FormatKey(key) != form {
			t.Errorf("ParseKey(%q) = %v, %v: it must come back as it was", form, key, err)
		}
	}
	for _, bad := range []string{"", "/", "/name", "ns/", "a/b/c"} {
		if key, err := ParseKey(bad); err == nil {
			t.Errorf("ParseKey(%q) = %v, want an error", bad, key)
		}
	}
}

func TestSnapshotKeepsItsVersionWhileTheStoreMovesOn(t *testing.T) {
	s, w := newStore(t)
	put(t, w, "a", "old", "5")
	snap := s.Snapshot()
	put(t, w, "a", "new", "6")
	w.Advance("9")
	if got, _ := snap.Get(Key{Namespace: "ns", Name: "a"}); got != "old" || snap.Version() != "5" {
		t.Errorf("the snapshot shows %q at version %s, want the state it was taken at: old at 5", got, snap.Version())
	}
	if got, _ := s.Get(Key{Namespace: "ns", Name: "a"}); got != "new" || s.Version() != "9" {
		t.Errorf("the store shows %q at version %s, want new at the bookmark's 9", got, s.Version())
	}
	snap.Close()
	snap.Close() // a second Close is nothing
	defer func() {
		if recover() == nil {
			t.Error("reading a closed snapshot must panic: it can no longer promise one commit")
		}
	}()
	snap.Get(Key{})
}

func TestSourcesKeepTheirOwnVersionsAndObjects(t *testing.T) {
	s := New[string]()
	a, _ := s.Writer("a")
	b, _ := s.Writer("b")
	if _, err := s.Writer("a"); err == nil {
		t.Error("a second source of the same name must be refused")
	}
	a.Apply([]Change[string]{{Key: Key{Namespace: "a", Name: "x"}, Value: "1"}}, "10")
	b.Apply([]Change[string]{{Key: Key{Namespace: "b", Name: "x"}, Value: "1"}}, "20")
	if _, err := a.Replace().Commit("11"); err != nil {
		t.Fatal(err)
	}
	if s.Len() != 1 || s.SourceVersion("a") != "11" || s.SourceVersion("b") != "20" || s.Version() != "" {
		t.Errorf("len %d, versions %q %q %q: replacing one source must leave the other's objects and version, and there is no one version",
			s.Len(), s.SourceVersion("a"), s.SourceVersion("b"), s.Version())
	}
	removed := slices.Collect(b.Close())
	if len(removed) != 1 || !removed[0].Existed || s.Len() != 0 || s.SourceVersion("b") != "" || s.Version() != "11" {
		t.Errorf("closing a source removes its objects and its version: %d removed, %d left, version %q", len(removed), s.Len(), s.Version())
	}
	if _, err := s.Writer("b"); err != nil {
		t.Errorf("a closed source's name is free again: %v", err)
	}
}

func TestPanickingIndexFunctionIsReportedAndTheObjectIsStored(t *testing.T) {
	s, w := newStore(t)
	put(t, w, "bad", "boom", "1")
	explode := func(v string, dst []string) []string {
		if v == "boom" {
			panic(v)
		}
		return append(dst, v)
	}
	x, err := AddIndex(s, "x", explode)
	var ie *IndexError
	if x == nil || !errors.As(err, &ie) || ie.Key.Name != "bad" {
		t.Fatalf("AddIndex over a bad object = %v, %v: want the index and an error that names the object", x, err)
	}
	err = w.Apply([]Change[string]{
		{Key: Key{Name: "worse"}, Value: "boom"},
		{Key: Key{Name: "good"}, Value: "fine"},
	}, "2")
	if !errors.As(err, &ie) || ie.Key.Name != "worse" {
		t.Errorf("Apply = %v, want an IndexError for the object that panicked", err)
	}
	n := 0
	for range x.Get("fine") {
		n++
	}
	if n != 1 || s.Len() != 3 || s.Version() != "2" {
		t.Errorf("%d found, %d stored at %s: the other change and the object itself must be in", n, s.Len(), s.Version())
	}
}

func TestLookupByNameIsTypeChecked(t *testing.T) {
	s, w := newStore(t)
	put(t, w, "a", "v", "1")
	if _, err := AddIndex(s, "len", func(v string, dst []int) []int { return append(dst, len(v)) }); err != nil {
		t.Fatal(err)
	}
	if x, err := AddIndex(s, "len", func(v string, dst []int) []int { return dst }); x != nil || err == nil {
		t.Error("a second index of the same name must be refused")
	}
	if _, err := s.Lookup("len", "1"); err == nil {
		t.Error("a value of another type must be refused")
	}
	if _, err := s.Lookup("nope", 1); err == nil {
		t.Error("an unknown index must be refused")
	}
	found, err := s.Lookup("len", 1)
	if err != nil {
		t.Fatal(err)
	}
	for key := range found {
		if key.Name != "a" {
			t.Errorf("found %v", key)
		}
	}
}

func TestLoopBodyMayWriteAndLeaveEarly(t *testing.T) {
	s, w := newStore(t)
	for i := range 100 {
		put(t, w, fmt.Sprint(i), "v", fmt.Sprint(i+1))
	}
	seen := 0
	for key := range s.All() {
		w.Apply([]Change[string]{{Key: key, Delete: true}}, "")
		if seen++; seen == 50 {
			break
		}
	}
	if s.Len() != 50 {
		t.Errorf("%d left: the loop runs without a lock over the state that it began with", s.Len())
	}
	if len(s.views.readers) != 0 {
		t.Error("leaving a loop must close its view")
	}
}

func TestNamespacesAndValuesThatLostEveryMemberAreForgotten(t *testing.T) {
	s, w := newStore(t)
	x, _ := AddIndex(s, "value", func(v string, dst []string) []string { return append(dst, v) })
	for i := range 1000 {
		put(t, w, "only", fmt.Sprint(i), fmt.Sprint(i+1))
	}
	if len(x.buckets) != 1 {
		t.Errorf("%d values are kept for one object: an index must not grow with its past", len(x.buckets))
	}
	values := 0
	for range x.Values() {
		values++
	}
	if values != 1 {
		t.Errorf("Values yields %d, want the one that an object has", values)
	}
}

func TestLongSnapshotDoesNotKeepWhatCameAndWentMeanwhile(t *testing.T) {
	s, w := newStore(t)
	put(t, w, "a", "first", "1")
	snap := s.Snapshot()
	defer snap.Close()
	for i := range 5000 {
		put(t, w, "a", "again", fmt.Sprint(i+2))
		put(t, w, fmt.Sprint("passing", i), "x", "")
		w.Apply([]Change[string]{{Key: Key{Namespace: "ns", Name: fmt.Sprint("passing", i)}, Delete: true}}, "")
	}
	chain := 0
	for e := s.node(Key{Namespace: "ns", Name: "a"}).head.Load(); e != nil; e = e.prev.Load() {
		chain++
	}
	if slots := s.all.page.Load().n.Load(); chain != 2 || len(s.nodes) != 1 || slots > 100 {
		t.Errorf("a chain of %d, %d nodes, %d slots: a snapshot keeps what it shows and nothing of what came and went since", chain, len(s.nodes), slots)
	}
}

func TestReadersBesideABusyWriterSeeWholeCommits(t *testing.T) {
	s, w := newStore(t)
	parity, _ := AddIndex(s, "value", func(v string, dst []string) []string { return append(dst, v) })
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				snap := s.Snapshot()
				a, okA := snap.Get(Key{Name: "a"})
				b, okB := snap.Get(Key{Name: "b"})
				if a != b || okA != okB {
					t.Errorf("a snapshot shows %q beside %q, which were only ever written together", a, b)
				}
				n := 0
				for range parity.In(snap, a) {
					n++
				}
				if okA && n != 2 {
					t.Errorf("the index shows %d of the two objects of one commit", n)
				}
				n = 0
				for range s.All() {
					n++
				}
				if n != 0 && n != 2 {
					t.Errorf("All shows %d of two objects that come and go together", n)
				}
				snap.Close()
			}
		})
	}
	for i := range 3000 {
		v := fmt.Sprint(i % 7)
		gone := i%5 == 0
		w.Apply([]Change[string]{{Key: Key{Name: "a"}, Value: v, Delete: gone}, {Key: Key{Name: "b"}, Value: v, Delete: gone}}, fmt.Sprint(i+1))
	}
	close(stop)
	wg.Wait()
}

func TestEntriesCarryWhatIsKeptBesideTheObject(t *testing.T) {
	s, w := newStore(t)
	put(t, w, "a", "v", "7")
	old := s.Snapshot()
	defer old.Close()
	for range s.Namespace("ns") {
	}
	young := s.Snapshot()
	defer young.Close()
	want := Entry[string]{Key: Key{Namespace: "ns", Name: "a"}, UID: "uid-a", ResourceVersion: "7", Value: "v"}
	for what, entries := range map[string]iter.Seq[Entry[string]]{
		"all": old.Entries(), "namespace, before anybody asked for one": old.NamespaceEntries("ns"), "namespace": young.NamespaceEntries("ns"),
	} {
		n := 0
		for got := range entries {
			n++
			if got != want {
				t.Errorf("%s: %+v, want %+v", what, got, want)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d entries, want 1", what, n)
		}
	}
	for range young.NamespaceEntries("other") {
		t.Error("an entry of another namespace")
	}
}

// A snapshot that is forgotten keeps memory for ever, so there is a way to see that there is one.
func TestOpenSnapshotsCountsWhatIsNotClosed(t *testing.T) {
	s := New[int]()
	a, b := s.Snapshot(), s.Snapshot()
	if n := s.OpenSnapshots(); n != 2 {
		t.Errorf("%d open, want 2", n)
	}
	a.Close()
	a.Close()
	b.Close()
	if n := s.OpenSnapshots(); n != 0 {
		t.Errorf("%d open, want none", n)
	}
}

// Reading is what handlers do all day: none of it is the collector's business.
func TestReadingDoesNotAllocate(t *testing.T) {
	s, _, byNode, keys := filled(t, 1000)
	for range s.Namespace(keys[0].Namespace) { // builds the set
	}
	n := 0
	namespace := keys[0].Namespace
	for name, read := range map[string]func(){
		"Get": func() { s.Get(keys[0]) },
		"All": func() {
			for range s.All() {
				n++
			}
		},
		"Index.Get": func() {
			for range byNode.Get(1) {
				n++
			}
		},
		"Namespace": func() {
			for range s.Namespace(namespace) {
				n++
			}
		},
	} {
		if allocs := testing.AllocsPerRun(100, read); allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}
