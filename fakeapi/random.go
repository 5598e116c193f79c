package fakeapi

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"
)

// random is the server's only source of chance, so that a seed repeats a run.
type random struct {
	mu sync.Mutex
	r  *rand.Rand
}

func newRandom(seed uint64) *random {
	return &random{r: rand.New(rand.NewPCG(seed, 0x66616b65617069))}
}

func (r *random) bytes(n int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := make([]byte, 0, n+8)
	for len(b) < n {
		b = binary.LittleEndian.AppendUint64(b, r.r.Uint64())
	}
	return b[:n]
}

// fraction is uniform in [0, 1).
func (r *random) fraction() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.r.Float64()
}
