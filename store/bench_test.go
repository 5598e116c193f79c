package store

import (
	"fmt"
	"testing"
)

// filled is a store of n objects in 100 namespaces, indexed by one of 3,000 nodes: the shape of a large cluster's pods.
func filled(b testing.TB, n int) (*Store[*int], *Writer[*int], *Index[*int, int], []Key) {
	b.Helper()
	s := New[*int]()
	w, _ := s.Writer("")
	byNode, _ := AddIndex(s, "node", func(v *int, dst []int) []int { return append(dst, *v%3000) })
	r := w.Replace()
	keys := make([]Key, n)
	for i := range keys {
		keys[i] = Key{Namespace: fmt.Sprintf("team-%03d", i%100), Name: fmt.Sprintf("web-7d4b9c5f6-x%06d", i)}
		r.Put(Change[*int]{Key: keys[i], UID: fmt.Sprint(i), ResourceVersion: "1", Value: &i})
	}
	if _, err := r.Commit("1"); err != nil {
		b.Fatal(err)
	}
	for range s.Namespace("team-001") {
	}
	return s, w, byNode, keys
}

func BenchmarkGet(b *testing.B) {
	s, _, _, keys := filled(b, 100_000)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, ok := s.Get(keys[i%len(keys)]); !ok {
			b.Fatal("gone")
		}
		i += 7919
	}
}

func BenchmarkIndexGet33(b *testing.B) {
	_, _, byNode, _ := filled(b, 100_000)
	b.ReportAllocs()
	i, n := 0, 0
	for b.Loop() {
		for range byNode.Get(i % 3000) {
			n++
		}
		i++
	}
}

func BenchmarkNamespace1000(b *testing.B) {
	s, _, _, _ := filled(b, 100_000)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for range s.Namespace("team-042") {
			n++
		}
	}
}

func BenchmarkSnapshot(b *testing.B) {
	s, _, _, _ := filled(b, 300_000)
	b.ReportAllocs()
	for b.Loop() {
		s.Snapshot().Close()
	}
}

func BenchmarkUpdate(b *testing.B) {
	_, w, _, keys := filled(b, 100_000)
	b.ReportAllocs()
	i := 0
	changes := make([]Change[*int], 1)
	for b.Loop() {
		v := i
		changes[0] = Change[*int]{Key: keys[i%len(keys)], UID: "u", ResourceVersion: "2", Value: &v}
		w.Apply(changes, "2")
		i += 7919
	}
}

func BenchmarkReplaceUnchanged(b *testing.B) {
	_, w, _, keys := filled(b, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		r := w.Replace()
		for i, key := range keys {
			if !r.Keep(key, fmt.Sprint(i), "1") {
				b.Fatal("changed")
			}
		}
		r.Commit("1")
	}
}
