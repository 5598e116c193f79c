package fakeapi

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// A compressor is a megabyte. A test with thousands of watch-lists must not allocate one for each of them.
func TestCompressorsAreUsedAgain(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("pods", pod("a", "")))
		defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pool
		const rounds = 40
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range rounds {
			if a := k.get("/api/v1/pods?watch=1&allowWatchBookmarks=1&timeoutSeconds=1", "Accept-Encoding: gzip"); a.header.Get("Content-Encoding") != "gzip" {
				t.Fatalf("head %v", a.header)
			}
		}
		runtime.ReadMemStats(&after)
		// The race detector's pool drops a fourth of what it is given.
		if each := (after.TotalAlloc - before.TotalAlloc) / rounds; each > 600<<10 {
			t.Errorf("%d KiB for each watch-list", each>>10)
		}
	})
}
