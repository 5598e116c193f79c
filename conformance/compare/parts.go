package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rawwatch/rawwatch/conformance/compare/child"
	"github.com/rawwatch/rawwatch/conformance/compare/protocol"
)

// parts are what is measured beside the rows, under the names that -only takes.
var parts = []struct {
	only    string
	what    string
	measure func(options, *report) error
}{
	{"memory", "what is held before the burst and after it", measureMemory},
	{"fifty", "50 informers, of a namespace each", measureFifty},
	{"reads", "Get, ByIndex, a namespace, a snapshot", measureReads},
	{"programs", "size, packages and cold build of the same small program", measurePrograms},
}

// measureMemory looks at what the processes hold before the burst and after it: as they are when nothing happens for a while,
// and once they have given back what they can. They are processes of their own, for who has given memory back must take it
// again. One round will do: it is no time.
func measureMemory(o options, r *report) error {
	o.rounds = 1
	return eachRow(o, func(b *bench, row row) error {
		if row.slow || row.only == "typed-json" || o.m == 0 {
			return nil
		}
		p, err := b.start(row, child.Config{Objects: o.n})
		if err != nil {
			return err
		}
		defer b.end(p)
		if _, err := p.Do(protocol.Command{Do: "sync"}); err != nil {
			return err
		}
		if _, err := b.server.Do(protocol.Command{Do: "await", Count: 1}); err != nil {
			return err
		}
		before, err := p.Do(protocol.Command{Do: "leave alone", For: o.idle})
		if err != nil {
			return err
		}
		if _, _, err := b.send(p, protocol.Command{Do: "burst", Count: b.m}); err != nil {
			return err
		}
		after, err := p.Do(protocol.Command{Do: "leave alone", For: o.idle})
		if err != nil {
			return err
		}
		r.Memory = add(r.Memory, row.name, figures{
			"idle_mb": before.Figures["idle_mb"], "idle_after_mb": after.Figures["idle_mb"],
			"given_back_mb": before.Figures["given_back_mb"], "given_back_after_mb": after.Figures["given_back_mb"],
		})
		return nil
	})
}

// measureFifty follows 50 namespaces of 100, an informer and so a watch for each.
func measureFifty(o options, r *report) error {
	return eachRow(o, func(b *bench, row row) error {
		if row.only != "typed-proto" && row.only != "raw" && row.only != "five" {
			return nil
		}
		const informers = 50
		p, err := b.start(row, child.Config{Objects: o.n/100*informers + min(informers, o.n%100), Informers: informers})
		if err != nil {
			return err
		}
		defer b.end(p)
		a, err := p.Do(protocol.Command{Do: "sync"})
		if err != nil {
			return err
		}
		f := a.Figures
		if a, err = p.Do(protocol.Command{Do: "memory"}); err != nil {
			return err
		}
		for name, value := range a.Figures {
			f[name] = value
		}
		if a, err = b.server.Do(protocol.Command{Do: "connections"}); err != nil {
			return err
		}
		f["connections"], f["most_connections"] = float64(a.Open), float64(a.Most)
		r.Fifty = add(r.Fifty, row.name, f)
		return nil
	})
}

// measureReads reads from informers that have an index, idle and beside a burst.
func measureReads(o options, r *report) error {
	return eachRow(o, func(b *bench, row row) error {
		if !row.node {
			return nil
		}
		p, err := b.start(row, child.Config{Objects: o.n, Reads: true})
		if err != nil {
			return err
		}
		defer b.end(p)
		if _, err := p.Do(protocol.Command{Do: "sync"}); err != nil {
			return err
		}
		if _, err := b.server.Do(protocol.Command{Do: "await", Count: 1}); err != nil {
			return err
		}
		idle, err := p.Do(protocol.Command{Do: "reads"})
		if err != nil {
			return err
		}
		f := idle.Figures
		for _, writer := range writers {
			reads, events, err := b.besideWriter(p, writer.command)
			if err != nil {
				return err
			}
			f[writer.name+"_get_ns"], f[writer.name+"_lister_get_ns"] = reads["get_ns"], reads["lister_get_ns"]
			f[writer.name+"_events_per_s"] = events
		}
		r.Reads = add(r.Reads, row.name, f)
		return nil
	})
}

// writers are what is read beside: as many events as client-go can take, the same for all rows; and as many as each takes,
// which is several times more work beside the same reads for who is fast.
var writers = []struct {
	name    string
	command protocol.Command // sent until the reads are measured
}{
	{"paced", protocol.Command{Do: "steady", Rate: 10_000, Count: 2_000}},
	{"busy", protocol.Command{Do: "burst", Count: 20_000}},
}

// besideWriter reads while the client takes events, and returns how many of them that was in a second.
func (b *bench) besideWriter(p *protocol.Process, c protocol.Command) (reads figures, eventsPerSecond float64, err error) {
	done, written := make(chan struct{}), make(chan error, 1)
	sent := 0
	start := time.Now()
	go func() {
		for {
			if _, err := b.server.Do(c); err != nil {
				written <- err
				return
			}
			sent += c.Count
			select {
			case <-done:
				written <- nil
				return
			default:
			}
		}
	}()
	a, err := p.Do(protocol.Command{Do: "reads beside a writer"})
	close(done)
	err = errors.Join(err, <-written)
	return a.Figures, float64(sent) / time.Since(start).Seconds(), err
}

// eachRow calls do for every row in every round, against one server.
func eachRow(o options, do func(*bench, row) error) error {
	b, err := newBench(o, o.n)
	if err != nil {
		return err
	}
	defer b.close()
	for range o.rounds {
		for _, row := range rows {
			if err := do(b, row); err != nil {
				return fmt.Errorf("%s: %w", row.name, err)
			}
		}
	}
	return nil
}

// measureParts measures those that are wanted.
func measureParts(o options, r *report) error {
	for _, part := range parts {
		if !o.wants(part.only) {
			continue
		}
		fmt.Fprintln(os.Stderr, part.only)
		if err := part.measure(o, r); err != nil {
			return fmt.Errorf("%s: %w", part.only, err)
		}
	}
	return nil
}
