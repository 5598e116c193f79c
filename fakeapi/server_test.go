package fakeapi

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestRealSockets(t *testing.T) {
	s := New(Options{})
	url, err := s.Listen()
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	client := &http.Client{Transport: transport}
	if _, err := s.Create("pods", pod("a", "")); err != nil {
		t.Fatal(err)
	}
	w, err := client.Get(url + "/api/v1/pods?watch=1")
	if err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 20)
	if _, err := io.ReadFull(w.Body, line); err != nil || !strings.HasPrefix(string(line), `{"type":"ADDED"`) {
		t.Errorf("got %q, %v", line, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("a second time: %v", err)
	}
	if _, err := io.ReadAll(w.Body); err == nil {
		t.Error("Close ended the watch as if it were complete")
	}
	if _, err := client.Get(url); err == nil {
		t.Error("it still answers")
	}
	transport.CloseIdleConnections()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("Serve after Close: %v", err)
	}
	if _, err := l.Accept(); err == nil {
		t.Error("Serve after Close left the listener open")
	}
}

// HTTP/2 over TLS is how client-go arrives; http/1.1 over TLS is how we do.
func TestMountedInAnotherServer(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		s := New(Options{})
		outer := httptest.NewUnstartedServer(s)
		outer.EnableHTTP2 = http2
		outer.StartTLS()
		r, err := outer.Client().Get(outer.URL + "/api/v1/pods?watch=1&allowWatchBookmarks=1")
		if err != nil {
			t.Fatal(err)
		}
		if want := 1; http2 && r.ProtoMajor != 2 || !http2 && r.ProtoMajor != want {
			t.Errorf("HTTP/%d", r.ProtoMajor)
		}
		b := make([]byte, 18)
		if _, err := io.ReadFull(r.Body, b); err != nil || string(b) != `{"type":"BOOKMARK"` {
			t.Errorf("got %q, %v", b, err)
		}
		s.Close() // ends the watch on a connection that is not its own
		if _, err := io.ReadAll(r.Body); err == nil {
			t.Error("the watch ended as if it were complete")
		}
		if _, err := outer.Client().Get(outer.URL + "/api"); err == nil {
			t.Error("a closed server answers")
		}
		outer.Close()
	}
}

func TestServeOverTLS(t *testing.T) {
	outer := httptest.NewTLSServer(nil) // for its certificate
	defer outer.Close()
	s := New(Options{})
	defer s.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(tls.NewListener(l, outer.TLS)) }()
	r, err := outer.Client().Get("https://" + l.Addr().String() + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	s.Close()
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("Serve: %v", err)
	}
}

// Shutdown lets requests finish and tells watches to come back elsewhere.
func TestShutdown(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		w := k.watch("/api/v1/pods?watch=1")
		slow := make(chan answer, 1)
		go func() { slow <- k.get("/api/v1/pods?resourceVersion=9") }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(k.Context(), time.Minute)
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- k.Shutdown(ctx) }()
		w.wantEnd("at once", io.EOF)
		if a := <-slow; a.code != 504 {
			t.Errorf("a request under way: %d", a.code)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		if _, err := k.client.Get(k.URL() + "/api"); err == nil {
			t.Error("it still accepts connections")
		}
	})
	bubble(t, Options{WatchList: WatchListSilent}, func(k *kit) {
		w := k.watch("/api/v1/pods?watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1")
		synctest.Wait()
		go k.Shutdown(k.Context())
		w.wantEnd("a silent one too", io.EOF)
	})
}

// A client that goes away takes its watch with it.
func TestAbandonedWatchesEnd(t *testing.T) {
	bubble(t, Options{WatchTimeout: -1, BookmarkInterval: -1}, func(k *kit) {
		w := k.watch("/api/v1/pods?watch=1")
		if len(k.Watches()) != 1 {
			t.Errorf("%+v", k.Watches())
		}
		w.r.Body.Close()
		synctest.Wait()
		if len(k.Watches()) != 0 {
			t.Errorf("%+v", k.Watches())
		}
	})
}

// A wait for a version ends with its client, without an answer.
func TestAbandonedWaitsEnd(t *testing.T) {
	bubble(t, Options{FreshWait: time.Hour}, func(k *kit) {
		for _, path := range []string{"/api/v1/pods?resourceVersion=9", "/api/v1/pods?watch=1&resourceVersion=9&sendInitialEvents=1&resourceVersionMatch=NotOlderThan"} {
			ctx, cancel := context.WithTimeout(k.Context(), time.Minute)
			if _, err := k.client.Do(k.request("GET", path, "").WithContext(ctx)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", path, err)
			}
			cancel()
			synctest.Wait()
			log := k.Requests()
			if last := log[len(log)-1]; last.Code != 0 || last.Done.Sub(last.Time) != time.Minute {
				t.Errorf("%s: %+v", path, last)
			}
		}
	})
}
