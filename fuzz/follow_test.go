package fuzz

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
)

// change is one event of a server's history.
type change struct {
	typ, name string
	version   int
}

func (c change) object() string {
	return fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":%q,"uid":"u-%s","resourceVersion":"%d"},"odd":[1e999,-0.0,"\ud800"]}`, c.name, c.name, c.version)
}

// apiWorld is an API server with one collection, which changes whenever it is asked something, and answers well or badly as a dice says. When the dice is used up
// it stands still and answers well; when the client has then seen everything it is done.
type apiWorld struct {
	t       *testing.T
	d       dice
	history []change
	floor   int // versions at and below it are compacted
	version int
	now     map[string]int // versions by name
	done    func()
	asked   steps
	size    int // of the script
}

func (w *apiWorld) change() {
	w.version++
	name := string(rune('a' + w.d.pick(5)))
	c := change{"ADDED", name, w.version}
	if _, there := w.now[name]; there {
		c.typ = "MODIFIED"
		if w.d.pick(3) == 0 {
			c.typ = "DELETED"
		}
	}
	w.now[name] = w.version
	if c.typ == "DELETED" {
		delete(w.now, name)
	}
	w.history = append(w.history, c)
}

func (w *apiWorld) answer(r *http.Request) io.Reader {
	w.asked.add(w.t, "requests", w.size, 4, 64)
	for range w.d.pick(4) {
		w.change()
	}
	if w.d.pick(12) == 1 {
		w.floor = w.version - w.d.pick(3)
	}
	q := r.URL.Query()
	var body string
	gap := false
	switch fault := w.d.pick(24); {
	case fault == 1:
		return strings.NewReader("HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n")
	case fault == 2:
		return strings.NewReader("HTTP/1.1 429 X\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n")
	case fault == 3:
		return strings.NewReader("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")
	case fault == 4:
		return texts("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", readerFunc(func([]byte) (int, error) { return 0, syscall.ECONNRESET }))
	case q.Get("watch") == "":
		body = w.list()
	default:
		body, gap = w.watch(q.Get("resourceVersion"), q.Get("sendInitialEvents") == "true")
	}
	if body == "" {
		return strings.NewReader("HTTP/1.1 410 Gone\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" +
			`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`)
	}
	cut := len(body)
	if w.d.pick(8) == 1 {
		cut = w.d.pick(256) * len(body) / 256
	}
	content := inChunks(strings.NewReader(body[:cut]), 1+16*w.d.pick(16))
	if cut < len(body) {
		var wire bytes.Buffer
		io.Copy(&wire, content)
		return texts("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"+chunkTE+"\r\n", strings.TrimSuffix(wire.String(), "0\r\n\r\n"),
			readerFunc(func([]byte) (int, error) { return 0, syscall.ECONNRESET }))
	}
	if w.d.empty() && q.Get("watch") != "" && !gap {
		content = texts(content, readerFunc(func([]byte) (int, error) { w.done(); return 0, io.EOF }))
	}
	return texts("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"+chunkTE+"\r\n", content)
}

func (w *apiWorld) list() string {
	var items []string
	for name, version := range w.now {
		items = append(items, change{"", name, version}.object())
	}
	return fmt.Sprintf(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`, w.version, strings.Join(items, ","))
}

// watch is the events from a version on, ended by the server; "" is 410. gap says that not all of them are in it.
func (w *apiWorld) watch(from string, initial bool) (body string, gap bool) {
	var b strings.Builder
	after, _ := strconv.Atoi(from)
	if initial {
		for name, version := range w.now {
			fmt.Fprintf(&b, `{"type":"ADDED","object":%s}`, change{"", name, version}.object())
		}
		if w.d.pick(6) == 1 {
			return b.String(), true // ends without its marker
		}
		fmt.Fprintf(&b, `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", w.version)
		return b.String(), false
	}
	if after < w.floor {
		if w.d.pick(2) == 0 {
			return "", true
		}
		return `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}}`, true
	}
	for _, c := range w.history {
		if c.version <= after {
			continue
		}
		fmt.Fprintf(&b, `{"type":%q,"object":%s}`+"\n", c.typ, c.object())
		switch w.d.pick(24) {
		case 1:
			fmt.Fprintf(&b, `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"%d"}}}`, c.version)
		case 2:
			b.WriteString(`{"type":"ADDED","object":{"metadata":{"resourceVersion":"1"}}}`)
		case 3:
			b.WriteString(`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError","code":500}}`)
			return b.String(), true
		case 4:
			return b.String() + `{"type":"ADDED",,`, true
		}
	}
	if b.Len() == 0 { // something must come for the watch to be one
		fmt.Fprintf(&b, `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"%d"}}}`, w.version)
	}
	return b.String(), false
}

// FuzzFollow: a collection followed through whatever a server and a network do to it. Each event fits onto what was yielded before, none was never true, no key
// goes back in time, and once the server stands still the client has exactly its state.
func FuzzFollow(f *testing.F) {
	f.Add([]byte{3, 0, 1, 2, 5, 0, 0, 1, 1, 3, 0, 0, 9, 2, 2, 0, 0, 0, 3, 1, 2, 3}, false)
	for i := range byte(24) {
		f.Add([]byte{3, 0, 1, 2, 0, i, 0, 1, 3, 2, 1, 0, i, 0, 5, 2, i, 1, 1, 3, 0, 1, i, i, i, 0, 0, 0, 3, 3, 2, 1, 0, i, 1, i, i, 1, 100, 4, i, 1, 1, 1}, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, script []byte, lists bool) {
		if len(script) > 512 {
			return
		}
		synctest.Test(t, func(t *testing.T) { follow(t, script, lists) })
	})
}

func follow(t *testing.T, script []byte, lists bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*24*time.Hour) // a bubble's month: what hangs fails
	defer cancel()
	w := &apiWorld{t: t, d: dice{script}, now: map[string]int{}, version: 10, done: cancel, size: len(script)}
	s := &server{after: io.EOF, answer: w.answer}
	c := s.client(t, rest.Config{})
	defer c.Close()
	o := listwatch.Options{Path: "/configmaps", Rand: func() float64 { return 0.5 }}
	if lists {
		o.WatchList = listwatch.WatchListOff
	}
	has, seen := map[string]int{}, map[string]int{}
	for e, err := range listwatch.Follow(ctx, c, o) {
		if err != nil {
			t.Fatalf("it ended: %v", err)
		}
		name := string(e.Identity.Name)
		version, _ := strconv.Atoi(string(e.Identity.ResourceVersion))
		_, there := has[name]
		switch e.Kind {
		case listwatch.Added, listwatch.Modified:
			if there != (e.Kind == listwatch.Modified) {
				t.Fatalf("%s of %s, which was there: %v", e.Kind, name, there)
			}
			if version <= seen[name] {
				t.Fatalf("%s went from %d to %d", name, seen[name], version)
			}
			if !strings.Contains(string(e.Object), `"name":"`+name+`"`) {
				t.Fatalf("%s: %q", name, e.Object)
			}
			has[name], seen[name] = version, version
		case listwatch.Deleted:
			if !there {
				t.Fatalf("%s was deleted, and was not there", name)
			}
			delete(has, name)
			seen[name] = max(seen[name], version)
		}
	}
	if ctx.Err() == context.DeadlineExceeded {
		t.Fatal("a month has passed, and the client has not seen everything")
	}
	if diff := cmp.Diff(w.now, has); diff != "" {
		t.Fatalf("the server's state and the client's (-server +client):\n%s", diff)
	}
}
