package control

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// bed is one server with one informer of pods, in a bubble with its own clock.
type bed struct {
	*testing.T
	server *fakeapi.Server
	ours   bool
	peer   peer
	stop   func()                  // returns when the informer has ended
	wrap   func(net.Conn) net.Conn // nil leaves the connection as it is
	token  string
	tls    *tlsServer   // in place of the network in memory
	before func() error // an error refuses it

	expired atomic.Bool // the next event is a 410
	mu      sync.Mutex
	events  []event
}

// peer is an informer, whosever.
type peer interface {
	synced() bool
	handlerSynced() bool
	version(key string) string // of the object in the store as it came, "" when there is none
	size() int
	whyNotSynced(ctx context.Context) string // what waiting for the first state ends with
	removeHandler()
}

// event is one call of the handler.
type event struct {
	kind, key, version string
	at                 time.Time
}

// setup is what the program of the informer's user does.
type setup struct {
	transform func(key string) (strip bool, err error) // strip removes all metadata but the name
	handler   func(event)                              // called after the event was noted
	resync    time.Duration                            // of another handler, which does nothing
	late      bool                                     // do not wait for the first state
}

// sideBySide runs one scenario twice and records what it returns.
func sideBySide(t *testing.T, defect int, fault string, o fakeapi.Options, run func(b *bed) string) {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	row := outcome{defect: defect, fault: fault, test: name}
	t.Run("rawwatch", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { row.rawwatch = inBed(t, o, true, run) })
	})
	t.Run("client-go", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { row.reference = inBed(t, o, false, run) })
	})
	if !t.Failed() {
		outcomes.record(t, row)
	}
}

func inBed(t *testing.T, o fakeapi.Options, ours bool, run func(b *bed) string) string {
	b := &bed{T: t, server: fakeapi.New(o), ours: ours, stop: func() {}}
	defer b.server.Close()
	defer func() { b.stop() }()
	return run(b)
}

// must holds this module's informer to the condition; client-go's is recorded.
func (b *bed) must(condition bool, format string, args ...any) {
	b.Helper()
	if b.ours && !condition {
		b.Errorf(format, args...)
	}
}

// start begins to follow pods and waits for the first state.
func (b *bed) start(s setup) {
	b.Helper()
	if b.ours {
		b.startOurs(s)
	} else {
		b.startTheirs(s)
	}
	if s.late {
		return
	}
	if _, ok := b.within(time.Minute, b.peer.synced); !ok {
		b.Fatal("no first state within a minute, and nothing was wrong yet")
	}
	synctest.Wait()
}

// dial is the network between the informer and the server.
func (b *bed) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if b.before != nil {
		if err := b.before(); err != nil {
			return nil, err
		}
	}
	conn, err := b.server.Dial(ctx, network, addr)
	if err == nil && b.wrap != nil {
		conn = b.wrap(conn)
	}
	return conn, err
}

func (b *bed) note(kind, key, version string, s setup) {
	e := event{kind, key, version, time.Now()}
	b.mu.Lock()
	b.events = append(b.events, e)
	b.mu.Unlock()
	if s.handler != nil {
		s.handler(e)
	}
}

// seen returns the events of a kind, "" for all, after the first skip of all.
func (b *bed) seen(kind string, skip int) (found []event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events[skip:] {
		if kind == "" || e.kind == kind {
			found = append(found, e)
		}
	}
	return found
}

// within lets at most d pass until the condition holds, and says how long it
// took. The clock is the bubble's.
func (b *bed) within(d time.Duration, condition func() bool) (time.Duration, bool) {
	step := max(d/20_000, 10*time.Millisecond)
	for began := time.Now(); ; {
		synctest.Wait()
		if took := time.Since(began); condition() {
			return took, true
		} else if took > d {
			return d, false
		}
		time.Sleep(step)
	}
}

// pass lets time pass.
func (b *bed) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// whyNotSynced waits in vain for d.
func (b *bed) whyNotSynced(d time.Duration) string {
	ctx, cancel := context.WithTimeout(b.Context(), d)
	defer cancel()
	return b.peer.whyNotSynced(ctx)
}

func (b *bed) removeHandler() { b.peer.removeHandler() }

// shows reports whether the store has the object as the server has it.
func (b *bed) shows(name string) func() bool {
	return func() bool {
		o, err := b.server.Get("pods", "default", name)
		got := b.peer.version("default/" + name)
		if err != nil {
			return got == ""
		}
		return got == fmt.Sprint(o.ResourceVersion)
	}
}

// pod writes a pod with these members added, and returns its version.
func (b *bed) pod(name string, members ...string) string {
	b.Helper()
	o, err := b.server.Apply("pods", podJSON(name, members...))
	if err != nil {
		b.Fatal(err)
	}
	return fmt.Sprint(o.ResourceVersion)
}

var written atomic.Int64

// podJSON differs each time, but not in its length.
func podJSON(name string, members ...string) string {
	return fmt.Sprintf(`{"metadata":{"namespace":"default","name":%q,"annotations":{"a":"%09d"}}%s}`, name, written.Add(1), strings.Join(append([]string{""}, members...), ","))
}

// requests counts what was asked, by verb: "watch-list" is a watch that asks for the state.
func (b *bed) requests(verbs ...string) (n int) {
	for _, r := range b.server.Requests() {
		verb := r.Verb
		if r.Query.Get("sendInitialEvents") == "true" {
			verb = "watch-list"
		}
		if r.Query.Get("limit") == "1" {
			verb = "probe"
		}
		for _, v := range verbs {
			if v == verb || v == "any" {
				n++
			}
		}
	}
	return n
}

// took says how long, for the table.
func took(d time.Duration, ok bool) string {
	switch {
	case !ok:
		return fmt.Sprintf("not within %s", round(d))
	case d < time.Second:
		return "at once"
	}
	return "after " + round(d)
}

func round(d time.Duration) string {
	unit := 100 * time.Millisecond
	if d >= 10*time.Second {
		unit = time.Second
	}
	text := d.Round(unit).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
