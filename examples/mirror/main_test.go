package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// bed is a server and a table that outlive the program.
type bed struct {
	*testing.T
	*fakeapi.Server
	table *table
}

func newBed(t *testing.T) *bed {
	server := fakeapi.New(fakeapi.Options{})
	t.Cleanup(func() { server.Close() })
	table, err := open(t.Context(), filepath.Join(t.TempDir(), "pods.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.db.Close() })
	return &bed{t, server, table}
}

func (b *bed) put(name, node string) {
	b.Helper()
	if _, err := b.Apply("pods", fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"nodeName":%q}}`, name, node)); err != nil {
		b.Fatal(err)
	}
}

func (b *bed) remove(name string) {
	b.Helper()
	if _, err := b.Delete("pods", "default", name); err != nil {
		b.Fatal(err)
	}
}

// start runs the program until stop; pruned is how many rows it deleted at first.
func (b *bed) start() (pruned int, stop func()) {
	b.Helper()
	client, err := rest.NewClient(rest.Config{Server: b.URL(), Dial: b.Dial})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	inStep, done := make(chan int, 1), make(chan error, 1)
	pods := informer.New(client, rest.Pods, watchdecoder.RawObject(), informer.Options{})
	go func() { done <- mirror(ctx, pods, b.table, func(n int) { inStep <- n }) }()
	select {
	case pruned = <-inStep:
	case <-time.After(30 * time.Second):
		b.Fatal("not in step after 30 s")
	}
	return pruned, func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			b.Errorf("mirror = %v", err)
		}
		client.Close()
	}
}

// rows is the table in a line: names and nodes.
func (b *bed) rows() string {
	b.Helper()
	rows, err := b.table.db.Query(`SELECT name, object ->> '$.spec.nodeName' FROM objects ORDER BY name`)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var name, node string
		if err := rows.Scan(&name, &node); err != nil {
			b.Fatal(err)
		}
		all = append(all, name+"@"+node)
	}
	return strings.Join(all, " ")
}

// eventually waits for rows that are on their way.
func (b *bed) eventually(want string) {
	b.Helper()
	for end := time.Now().Add(30 * time.Second); b.rows() != want; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			b.Fatalf("the table has %q, want %q", b.rows(), want)
		}
	}
}

func (b *bed) writes() (n int) {
	b.Helper()
	if err := b.table.db.QueryRow(`SELECT total_changes()`).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

func TestTableFollowsTheCluster(t *testing.T) {
	b := newBed(t)
	b.put("a", "n1")
	b.put("b", "n1")
	_, stop := b.start()
	defer stop()
	b.eventually("a@n1 b@n1")
	b.put("a", "n2")
	b.remove("b")
	b.put("c", "n3")
	b.eventually("a@n2 c@n3")
	b.remove("c")
	b.put("c", "n4")
	b.eventually("a@n2 c@n4")
}

func TestRestartWritesWhatIsNewAndDeletesWhatIsGone(t *testing.T) {
	b := newBed(t)
	for _, name := range []string{"same", "changed", "gone", "reborn"} {
		b.put(name, "n1")
	}
	_, stop := b.start()
	stop()
	b.put("changed", "n2")
	b.put("new", "n2")
	b.remove("gone")
	b.remove("reborn")
	b.put("reborn", "n2")
	before := b.writes()
	pruned, stop := b.start()
	defer stop()
	b.eventually("changed@n2 new@n2 reborn@n2 same@n1")
	if n := b.writes() - before; n != 4 || pruned != 1 {
		t.Errorf("%d rows were written and %d pruned, want those of changed, new, reborn and gone", n, pruned)
	}
}

func TestBatchIsWrittenWholeOrNotAtAllAndMayBeRepeated(t *testing.T) {
	b := newBed(t)
	event := func(kind string, uid, version string) informer.Event[watchdecoder.Raw] {
		e := informer.Event[watchdecoder.Raw]{Kind: informer.Added, Key: informer.Key{Namespace: "default", Name: "a"}, UID: uid, ResourceVersion: version, New: watchdecoder.Raw("{}")}
		if kind == "delete" {
			e.Kind = informer.Deleted
		}
		return e
	}
	batch := []informer.Event[watchdecoder.Raw]{event("add", "u1", "1"), event("delete", "u1", "2"), event("add", "u2", "3")}
	for range 2 {
		if err := b.table.write(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.table.write(t.Context(), []informer.Event[watchdecoder.Raw]{event("delete", "u1", "2")}); err != nil {
		t.Fatal(err)
	}
	var uid string
	if err := b.table.db.QueryRow(`SELECT uid FROM objects`).Scan(&uid); err != nil || uid != "u2" {
		t.Errorf("the row is of %q, %v: a late deletion hit another life", uid, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.table.write(ended, batch); err == nil {
		t.Error("written after the end")
	}
}
