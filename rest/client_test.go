package rest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestGetOverPlainHTTP(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunked" {
			w.(http.Flusher).Flush()
		}
		fmt.Fprint(w, "hello ", r.URL.Path)
	}))
	defer s.Close()
	c, err := NewClient(Config{Server: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, path := range []string{"/chunked", "/counted"} {
		r, err := c.Do(t.Context(), Request{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		if err != nil || string(text) != "hello "+path {
			t.Fatalf("%q, %v", text, err)
		}
		r.Body.Close()
	}
	if s := c.Stats(); s.Dials != 1 || s.Reused != 1 || s.Idle != 1 {
		t.Errorf("two requests use one connection: %+v", s)
	}
}
