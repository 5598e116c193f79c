package fifo

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever is appended and dropped in whatever order, a ring is a queue; and what front has given out stands still until it is dropped.
func TestRingIsAQueue(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		var r ring[int]
		var want, out []int
		next := 0
		for range 300 {
			switch random.IntN(4) {
			case 0, 1:
				for range random.IntN(40) {
					r.append(&next)
					want = append(want, next)
					next++
				}
			case 2:
				if out == nil {
					if random.IntN(3) == 0 {
						r.straighten()
						if got := r.front(r.n); len(got) != r.n {
							t.Fatalf("seed %d: a straightened ring gives %d of %d", seed, len(got), r.n)
						}
					}
					out = r.front(random.IntN(50))
				}
			case 3:
				if !slices.Equal(out, want[:len(out)]) {
					t.Fatalf("seed %d: what was given out has changed (-want +got):\n%s", seed, cmp.Diff(want[:len(out)], out))
				}
				r.drop(len(out))
				want, out = want[len(out):], nil
			}
			if r.n != len(want) || r.n > 0 && *r.at(r.n - 1) != want[r.n-1] {
				t.Fatalf("seed %d: %d elements, want %d", seed, r.n, len(want))
			}
		}
	}
}

// A burst's array is there for the next burst, and goes when only little comes.
func TestRingLetsGoOfABurst(t *testing.T) {
	var r ring[int]
	burst := func(n int) {
		for i := range n {
			r.append(&i)
		}
		r.drop(n)
	}
	burst(1000)
	if len(r.array) != 1024 {
		t.Errorf("after a burst the array has %d places, want 1024: there may be another one", len(r.array))
	}
	if n := testing.AllocsPerRun(10, func() { burst(1000) }); n != 0 {
		t.Errorf("one burst after another allocates %v times, want none", n)
	}
	burst(1)
	if len(r.array) != 0 {
		t.Errorf("after a trickle the array has %d places, want none", len(r.array))
	}
	if burst(1); testing.AllocsPerRun(10, func() { burst(3) }) != 0 {
		t.Error("a trickle allocates")
	}
}
