package fakeapi

import (
	"bufio"
	"compress/gzip"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// What has been sent of a compressed watch-list can be read, the last frame
// too: compress/gzip, which net/http reads with, must not have to wait for a
// member that comes with the next bookmark.
func TestTheMarkerOfACompressedWatchListIsReadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		defer s.Close()
		if _, err := s.Create("pods", `{"metadata":{"name":"a"}}`); err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequest("GET", s.URL()+"/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", "gzip")
		response, err := s.HTTPClient().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		began := time.Now()
		z, err := gzip.NewReader(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(z)
		for range 2 { // the pod and the marker
			if !lines.Scan() {
				t.Fatal(lines.Err())
			}
		}
		if d := time.Since(began); d > time.Second {
			t.Errorf("the marker was read after %v", d)
		}
	})
}
