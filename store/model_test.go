package store

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// model is the slow, obvious implementation: a map, copied for each snapshot.
type model map[Key]string

func (m model) by(match func(Key, string) bool) map[Key]string {
	found := map[Key]string{}
	for k, v := range m {
		if match(k, v) {
			found[k] = v
		}
	}
	return found
}

// words is the multi-value index of the tests: the words of the value.
func words(value string, dst []string) []string { return append(dst, strings.Fields(value)...) }

func collect(t *testing.T, what string, seq iter.Seq2[Key, string]) map[Key]string {
	t.Helper()
	found := map[Key]string{}
	for k, v := range seq {
		if _, twice := found[k]; twice {
			t.Fatalf("%s: %s was yielded twice", what, FormatKey(k))
		}
		found[k] = v
	}
	return found
}

type pinned struct {
	snapshot *Snapshot[string]
	want     model
}

// Every read of the store and of every open snapshot equals the same question asked of a copied map, whatever was
// written, replaced, indexed and closed before.
func TestStoreAndSnapshotsEqualTheModelUnderRandomWrites(t *testing.T) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { runModel(t, rand.New(rand.NewPCG(seed, 1))) })
	}
}

func runModel(t *testing.T, r *rand.Rand) {
	s := New[string]()
	w, err := s.Writer("one")
	if err != nil {
		t.Fatal(err)
	}
	early, err := AddIndex(s, "words", words)
	if err != nil {
		t.Fatal(err)
	}
	indexes := []*Index[string, string]{early}
	m := model{}
	var open []pinned
	version := 0

	randomKey := func() Key { return Key{Namespace: fmt.Sprint("ns", r.IntN(3)), Name: fmt.Sprint("n", r.IntN(12))} }
	randomValue := func() string {
		return []string{"a", "b", "c", "a b", "b c c", "", "d"}[r.IntN(7)]
	}
	change := func() Change[string] {
		version++
		return Change[string]{Key: randomKey(), UID: "u", ResourceVersion: fmt.Sprint(version), Value: randomValue(), Delete: r.IntN(3) == 0}
	}
	apply := func(changes []Change[string]) {
		for _, c := range changes {
			old, existed := m[c.Key]
			if c.Existed != existed || c.Old != old {
				t.Fatalf("change of %s says it replaced %q %v, the model had %q %v", FormatKey(c.Key), c.Old, c.Existed, old, existed)
			}
			if c.Delete {
				delete(m, c.Key)
			} else {
				m[c.Key] = c.Value
			}
		}
	}

	for range 300 {
		switch r.IntN(12) {
		case 0:
			open = append(open, pinned{s.Snapshot(), maps.Clone(m)})
		case 1:
			if len(open) > 0 {
				i := r.IntN(len(open))
				open[i].snapshot.Close()
				open = append(open[:i], open[i+1:]...)
			}
		case 2:
			if len(indexes) < 3 {
				x, err := AddIndex(s, fmt.Sprint("later", len(indexes)), words)
				if err != nil {
					t.Fatal(err)
				}
				indexes = append(indexes, x)
			}
		case 3:
			rep := w.Replace()
			next := model{}
			for range r.IntN(10) {
				c := change()
				c.Delete = false
				if old, ok := s.Entry(c.Key); ok && r.IntN(2) == 0 && rep.Keep(c.Key, old.UID, old.ResourceVersion) {
					if _, put := next[c.Key]; !put {
						next[c.Key] = old.Value
					}
					continue
				}
				if r.IntN(5) == 0 {
					rep.Remove(c.Key)
					delete(next, c.Key)
					continue
				}
				if old, ok := m[c.Key]; ok && r.IntN(5) == 0 && rep.Retain(c.Key) {
					if _, put := next[c.Key]; !put {
						next[c.Key] = old
					}
					continue
				}
				rep.Put(c)
				next[c.Key] = c.Value
			}
			if r.IntN(4) == 0 {
				break // dropped: a list that broke off
			}
			changes, err := rep.Commit(fmt.Sprint(version))
			if err != nil {
				t.Fatal(err)
			}
			var changed []Change[string]
			for c := range changes {
				changed = append(changed, *c)
			}
			apply(changed)
			if diff := cmp.Diff(next, m); diff != "" {
				t.Fatalf("a Replace leaves exactly what was kept or put (-want +got):\n%s", diff)
			}
		default:
			changes := make([]Change[string], r.IntN(5))
			for i := range changes {
				changes[i] = change()
			}
			if err := w.Apply(changes, fmt.Sprint(version)); err != nil {
				t.Fatal(err)
			}
			apply(changes)
		}

		check(t, "store", m, s.All(), s.Namespace, s.Get, s.Len())
		for _, x := range indexes {
			checkIndex(t, x.Name(), m, x.Get)
		}
		for _, p := range open {
			check(t, "snapshot", p.want, p.snapshot.All(), p.snapshot.Namespace, p.snapshot.Get, p.snapshot.Len())
			for _, x := range indexes {
				checkIndex(t, "snapshot "+x.Name(), p.want, func(v string) iter.Seq2[Key, string] { return x.In(p.snapshot, v) })
			}
		}
	}
	for _, p := range open {
		p.snapshot.Close()
	}
	if len(s.garbage.heldNodes) > 0 || len(s.nodes) != len(m) {
		t.Errorf("with no view open, %d nodes are held and the map has %d keys for %d objects", len(s.garbage.heldNodes), len(s.nodes), len(m))
	}
	for n := range s.live() {
		if n.head.Load().prev.Load() != nil {
			t.Errorf("with no view open, %s still has an older state", FormatKey(n.key))
		}
	}
}

func check(t *testing.T, what string, m model, all iter.Seq2[Key, string], namespace func(string) iter.Seq2[Key, string], get func(Key) (string, bool), n int) {
	t.Helper()
	if diff := cmp.Diff(map[Key]string(m), collect(t, what, all)); diff != "" {
		t.Fatalf("%s: All (-model +got):\n%s", what, diff)
	}
	if n != len(m) {
		t.Fatalf("%s: Len = %d, want %d", what, n, len(m))
	}
	for _, ns := range []string{"ns0", "ns1", "ns2", "none"} {
		want := m.by(func(k Key, _ string) bool { return k.Namespace == ns })
		if diff := cmp.Diff(want, collect(t, what, namespace(ns))); diff != "" {
			t.Fatalf("%s: Namespace(%s) (-model +got):\n%s", what, ns, diff)
		}
		for i := range 12 {
			key := Key{Namespace: ns, Name: fmt.Sprint("n", i)}
			got, ok := get(key)
			if want, there := m[key]; got != want || ok != there {
				t.Fatalf("%s: Get(%s) = %q %v, want %q %v", what, FormatKey(key), got, ok, want, there)
			}
		}
	}
}

func checkIndex(t *testing.T, what string, m model, get func(string) iter.Seq2[Key, string]) {
	t.Helper()
	for _, word := range []string{"a", "b", "c", "d", "e"} {
		want := m.by(func(_ Key, v string) bool { return strings.Contains(v, word) })
		if diff := cmp.Diff(want, collect(t, what, get(word))); diff != "" {
			t.Fatalf("%s: Get(%s) (-model +got):\n%s", what, word, diff)
		}
	}
}
