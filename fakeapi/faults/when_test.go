package faults

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// kit is a server with faults, and net/http as its client.
type kit struct {
	*testing.T
	*fakeapi.Server
	injector *Injector
	client   *http.Client
}

func bubble(t *testing.T, test func(k *kit)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := fakeapi.New(fakeapi.Options{})
		defer s.Close()
		test(&kit{t, s, New(s), s.HTTPClient()})
	})
}

func (k *kit) code(path string) int {
	k.Helper()
	r, err := k.client.Get(k.URL() + path)
	if err != nil {
		return 0
	}
	defer r.Body.Close()
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return -1
	}
	return r.StatusCode
}

const podsPath = "/api/v1/pods"

// When says how often: the first occasions may be skipped, and only so many are met.
func TestFaultsAreCounted(t *testing.T) {
	bubble(t, func(k *kit) {
		n := k.injector.Inject(MustFind("refused-500"), When{Skip: 1, Times: 2})
		for i, want := range []int{200, 500, 500, 200} {
			if got := k.code(podsPath); got != want {
				t.Errorf("request %d: %d, want %d", i, got, want)
			}
		}
		if n.Hits() != 2 || !n.Over() {
			t.Errorf("%d hits", n.Hits())
		}
	})
}

func TestFaultsEndByThemselvesOrByStop(t *testing.T) {
	bubble(t, func(k *kit) {
		k.injector.Inject(MustFind("refused-503"), When{Times: -1, For: time.Minute})
		n := k.injector.Inject(MustFind("refused-500"), When{Times: -1})
		if got := k.code(podsPath); got != 503 {
			t.Errorf("%d: the first injected comes first", got)
		}
		time.Sleep(2 * time.Minute)
		if got := k.code(podsPath); got != 500 {
			t.Errorf("%d after a minute", got)
		}
		n.Stop()
		n.Stop()
		if got := k.code(podsPath); got != 200 {
			t.Errorf("%d after Stop", got)
		}
	})
}

func TestFaultsMeetTheRequestsTheyAreMeantFor(t *testing.T) {
	bubble(t, func(k *kit) {
		k.injector.Inject(MustFind("refused-500"), When{Times: -1, On: Get, Match: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/b") }})
		k.Create("pods", `{"metadata":{"name":"a"}}`)
		k.Create("pods", `{"metadata":{"name":"b"}}`)
		for path, want := range map[string]int{podsPath: 200, "/api/v1/namespaces/default/pods/a": 200, "/api/v1/namespaces/default/pods/b": 500, "/version": 200} {
			if got := k.code(path); got != want {
				t.Errorf("%s: %d, want %d", path, got, want)
			}
		}
	})
}

// A cut is at the byte that was asked for.
func TestOffsetsAreExact(t *testing.T) {
	for offset := range int64(250) {
		bubble(t, func(k *kit) {
			k.injector.Inject(MustFind("cut-at-offset"), When{Offset: offset})
			conn, err := k.Dial(t.Context(), "tcp", "x")
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(conn, "GET /api/v1/pods HTTP/1.1\r\nHost: x\r\n\r\n")
			got, err := io.ReadAll(conn)
			if int64(len(got)) != offset || err != nil {
				t.Errorf("%d bytes, %v, want %d", len(got), err, offset)
			}
			conn.Close()
		})
	}
}

// An event's fault counts the events of the watch; what comes before is on the wire.
func TestEventsAreCountedFromTheBeginningOfTheWatch(t *testing.T) {
	bubble(t, func(k *kit) {
		k.injector.Inject(MustFind("event-type-missing"), When{Skip: 2})
		for _, name := range []string{"a", "b", "c", "d"} {
			k.Create("pods", `{"metadata":{"name":"`+name+`"}}`)
		}
		r, err := k.client.Get(k.URL() + podsPath + "?watch=1&timeoutSeconds=5")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		lines := bufio.NewScanner(r.Body)
		for n := 0; lines.Scan(); n++ {
			if typed := strings.HasPrefix(lines.Text(), `{"type":`); typed == (n == 2) {
				t.Errorf("event %d: %.40s", n, lines.Text())
			}
		}
	})
}

// A server that is down is so for new connections too, and comes back.
func TestServersComeBack(t *testing.T) {
	bubble(t, func(k *kit) {
		k.injector.Inject(MustFind("server-killed"), When{})
		if got := k.code(podsPath); got != 0 {
			t.Errorf("%d while it was down", got)
		}
		time.Sleep(6 * time.Second)
		if got := k.code(podsPath); got != 200 {
			t.Errorf("%d after it", got)
		}
	})
}

// A frozen server answers when it goes on.
func TestFrozenServersThaw(t *testing.T) {
	bubble(t, func(k *kit) {
		k.injector.Inject(MustFind("server-hiccup"), When{})
		began := time.Now()
		if got := k.code(podsPath); got != 200 || time.Since(began) != 29*time.Second {
			t.Errorf("%d after %v", got, time.Since(began))
		}
	})
}

func TestHandlersAreInterrupted(t *testing.T) {
	bubble(t, func(k *kit) {
		k.injector.Inject(MustFind("handler-panics"), When{})
		caught := func() (cause any) {
			defer func() { cause = recover() }()
			k.injector.Handle()
			return nil
		}
		if caught() == nil || caught() != nil {
			t.Error("it did not panic once")
		}
	})
}

func TestDialsFail(t *testing.T) {
	bubble(t, func(k *kit) {
		k.injector.Inject(MustFind("dial-refused"), When{})
		if _, err := k.injector.Dial(t.Context(), "tcp", "x"); err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("%v", err)
		}
		conn, err := k.injector.Dial(t.Context(), "tcp", "x")
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
	})
}

// A server behind etcd's version shows its own state to who does not ask for more, and refuses who does.
func TestReplicasStandStill(t *testing.T) {
	bubble(t, func(k *kit) {
		k.Create("pods", `{"metadata":{"name":"a"}}`)
		old := k.Version()
		k.injector.Inject(MustFind("replica-behind"), When{})
		k.Create("pods", `{"metadata":{"name":"b"}}`)
		read := func(query string) string {
			r, err := k.client.Get(k.URL() + podsPath + query)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			b, err := io.ReadAll(r.Body)
			if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatal(err)
			}
			return string(b)
		}
		if got := read("?resourceVersion=0"); strings.Contains(got, `"b"`) || !strings.Contains(got, `"a"`) {
			t.Errorf("from the cache: %s", got)
		}
		if got := read(""); !strings.Contains(got, `"b"`) {
			t.Errorf("from etcd: %s", got)
		}
		if got := read("?resourceVersionMatch=NotOlderThan&resourceVersion=" + itoa(k.Version())); !strings.Contains(got, "ResourceVersionTooLarge") {
			t.Errorf("not older than the newest: %s", got)
		}
		began := time.Now()
		if got := read("?watch=1&timeoutSeconds=100&resourceVersion=" + itoa(old)); !strings.Contains(got, `"b"`) || time.Since(began) < 90*time.Second {
			t.Errorf("a watch: %s", got)
		}
	})
}

func itoa(v uint64) string { return strconv.FormatUint(v, 10) }
