package fakeapi

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// bigPod is about 4.5 KB, as a pod of a real cluster.
func bigPod(i int) string {
	return fmt.Sprintf(`{"metadata":{"name":"pod-%06d","namespace":"ns-%d","labels":{"app":"x"},"annotations":{"note":%q}},"spec":{"nodeName":"node-%d","containers":[{"name":"c","image":"i","env":[%s{"name":"last","value":"1"}]}]},"status":{"phase":"Running"}}`,
		i, i%50, strings.Repeat("n", 500), i%100, strings.Repeat(`{"name":"VARIABLE","value":"some value"},`, 90))
}

func BenchmarkCreate(b *testing.B) {
	s := New(Options{})
	defer s.Close()
	i := 0
	for b.Loop() {
		if _, err := s.Create("pods", bigPod(i)); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func BenchmarkList(b *testing.B) {
	s := New(Options{})
	defer s.Close()
	for i := range 10_000 {
		if _, err := s.Create("pods", bigPod(i)); err != nil {
			b.Fatal(err)
		}
	}
	client := s.HTTPClient()
	for b.Loop() {
		r, err := client.Get(s.URL() + "/api/v1/pods")
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			b.Fatal(err)
		}
		r.Body.Close()
		b.SetBytes(n)
	}
}

func BenchmarkWatchDelivery(b *testing.B) {
	s := New(Options{WatchBuffer: -1})
	defer s.Close()
	o, err := s.Create("pods", bigPod(0))
	if err != nil {
		b.Fatal(err)
	}
	r, err := s.HTTPClient().Get(s.URL() + "/api/v1/pods?watch=1&resourceVersion=" + version(o.ResourceVersion))
	if err != nil {
		b.Fatal(err)
	}
	defer r.Body.Close()
	buf := make([]byte, len(o.JSON)+200)
	i := 0
	for b.Loop() {
		i++
		o, err := s.Update("pods", strings.Replace(bigPod(0), `"app":"x"`, fmt.Sprintf(`"app":"%d"`, i), 1))
		if err != nil {
			b.Fatal(err)
		}
		frame := len(`{"type":"MODIFIED","object":}`) + len(o.JSON) + 1
		if _, err := io.ReadFull(r.Body, buf[:frame]); err != nil {
			b.Fatal(err)
		}
	}
}
