package store

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A list of any length comes out of a Replace in the order in which it was put in, also where its pieces of memory end.
func TestCommitReturnsTheChangesInTheirOrder(t *testing.T) {
	for _, n := range []int{0, 1, runLength - 1, runLength, runLength + 1, 3*runLength + 5} {
		s := New[int]()
		w, err := s.Writer("")
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Apply([]Change[int]{{Key: Key{Name: "gone"}, UID: "u"}, {Key: Key{Name: "taken-out"}, UID: "u"}}, "1"); err != nil {
			t.Fatal(err)
		}
		for _, removes := range []bool{false, true} {
			r := w.Replace()
			var want, got []string
			for i := range n {
				name := fmt.Sprint("o", i)
				r.Put(Change[int]{Key: Key{Name: name}, Value: i})
				want = append(want, name)
			}
			if removes {
				r.Put(Change[int]{Key: Key{Name: "taken-out"}})
				r.Remove(Key{Name: "taken-out"})
			}
			changes, err := r.Commit("2")
			if err != nil {
				t.Fatal(err)
			}
			for c := range changes {
				if !c.Delete {
					got = append(got, c.Key.Name)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d objects, one taken out again: %v (-put +committed):\n%s", n, removes, diff)
			}
			if s.Len() != n {
				t.Errorf("%d objects in the store, want %d", s.Len(), n)
			}
		}
	}
}
