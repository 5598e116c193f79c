package informer

import (
	"fmt"
	"testing"

	"github.com/rawwatch/rawwatch/store"
)

// Listers are read in loops that run all the time.
func TestIteratingOverAListerDoesNotAllocate(t *testing.T) {
	s := store.New[int]()
	w, err := s.Writer("")
	if err != nil {
		t.Fatal(err)
	}
	var changes []store.Change[int]
	for n := range 100 {
		changes = append(changes, store.Change[int]{Key: Key{Namespace: fmt.Sprint("ns", n%4), Name: fmt.Sprint("o", n)}})
	}
	if err := w.Apply(changes, "1"); err != nil {
		t.Fatal(err)
	}
	all := Lister[int]{store: s}
	for view, want := range map[Lister[int]]int{all: 100, all.Namespace("ns1"): 25} {
		seen := 0
		if n := testing.AllocsPerRun(20, func() {
			seen = 0
			for range view.All() {
				seen++
			}
		}); n != 0 {
			t.Errorf("%v allocations, want none", n)
		}
		if seen != want {
			t.Errorf("%d objects, want %d", seen, want)
		}
	}
}
