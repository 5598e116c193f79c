package fuzz

import (
	"runtime"
	"testing"
)

// A limit is what an input may cost: bytes allocated, freed or not, for each of its bytes, and beside them. The latter is at least 64 KiB: the fuzzing engine
// allocates too.
type limit struct{ perByte, base uint64 }

// cost runs f, which works on an input of so many bytes, and holds it to a limit. Allocation stands for time, which a busy machine does not give twice the
// same: what is not linear in its input allocates, or asks for steps, which targets count where they can (see steps).
func cost(t testing.TB, what string, bytes int, l limit, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if used, allowed := after.TotalAlloc-before.TotalAlloc, l.base+l.perByte*uint64(bytes); used > allowed {
		t.Errorf("%s: %d bytes allocated for an input of %d, at most %d would do", what, used, bytes, allowed)
	}
}

// steps counts how often something happened, and holds it to a line.
type steps int

func (s *steps) add(t testing.TB, what string, bytes, perByte, base int) {
	t.Helper()
	if *s++; int(*s) > base+perByte*bytes {
		t.Fatalf("%s: more than %d steps for an input of %d bytes", what, *s-1, bytes)
	}
}

// A dice turns an input into decisions. It is exhausted when the input is: then every decision is 0.
type dice struct{ b []byte }

func (d *dice) empty() bool { return len(d.b) == 0 }

// pick returns a number below n, at most 256.
func (d *dice) pick(n int) int {
	if len(d.b) == 0 {
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return int(c) % n
}

// take returns up to n bytes as they are.
func (d *dice) take(n int) []byte {
	n = min(n, len(d.b))
	taken := d.b[:n:n]
	d.b = d.b[n:]
	return taken
}
