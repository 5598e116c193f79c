package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/rawwatch/rawwatch/conformance/compare/child"
	"github.com/rawwatch/rawwatch/conformance/compare/protocol"
)

// bench is the load server and where the programs are.
type bench struct {
	folder string
	n, m   int
	tls    bool
	server *protocol.Process
	where  protocol.Answer
}

// newBench starts a server of n objects.
func newBench(o options, n int) (*bench, error) {
	args := []string{strconv.Itoa(n), strconv.Itoa(o.kinds)}
	if o.byList {
		args = append(args, "list")
	}
	server, err := protocol.Start(filepath.Join(o.bin, "server"), args...)
	if err != nil {
		return nil, err
	}
	where, err := server.Do(protocol.Command{Do: "connect"})
	if err != nil {
		server.Close()
		return nil, err
	}
	return &bench{o.bin, n, o.m, o.tls, server, where}, nil
}

func (b *bench) close() { b.server.Close() }

// start starts a row's program.
func (b *bench) start(r row, c child.Config) (*protocol.Process, error) {
	c.Row, c.URL = r.kind(), b.where.URL
	if b.tls {
		c.URL, c.CA = b.where.TLSURL, b.where.CA
	}
	config, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	touchPages(b.n * touchedPerObject)
	return protocol.Start(filepath.Join(b.folder, r.program), string(config))
}

// follow measures one row: sync, memory, a burst, latency, a relist, the burst once more.
func (b *bench) follow(r row) (figures, error) {
	if b.m == 0 {
		return b.steps(r, b.sync)
	}
	return b.steps(r, b.sync, b.burst, b.latency, b.relist, b.again)
}

// steps are taken with one process, in this order.
func (b *bench) steps(r row, steps ...func(*protocol.Process, figures) error) (figures, error) {
	p, err := b.start(r, child.Config{Objects: b.n})
	if err != nil {
		return nil, err
	}
	defer b.end(p)
	f := figures{}
	for _, step := range steps {
		if err := step(p, f); err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return f, nil
}

// end ends a program and waits until the server has seen that.
func (b *bench) end(p *protocol.Process) {
	p.Close()
	_, _ = b.server.Do(protocol.Command{Do: "await"}) // the next row would fail
}

func (b *bench) sync(p *protocol.Process, f figures) error {
	a, err := p.Do(protocol.Command{Do: "sync"})
	if err != nil {
		return err
	}
	f["sync_s"], f["sync_cpu_s"], f["peak_rss_mb"] = a.Figures["sync_s"], a.Figures["cpu_s"], a.Figures["peak_rss_mb"]
	a, err = p.Do(protocol.Command{Do: "memory"})
	if err != nil {
		return err
	}
	for _, name := range []string{"heap_mb", "mapped_mb", "heap_objects", "gc_ms", "rss_mb", "goroutines"} {
		f[name] = a.Figures[name]
	}
	_, err = b.server.Do(protocol.Command{Do: "await", Count: 1})
	return err
}

// burst is m updates as fast as the client reads.
func (b *bench) burst(p *protocol.Process, f figures) error {
	began, done, err := b.send(p, protocol.Command{Do: "burst", Count: b.m})
	if err != nil {
		return err
	}
	b.cost(began, done, f, "")
	f["page_faults_per_event"] = done.Figures["page_faults"] / float64(b.m)
	f["bytes_per_event"] = done.Figures["allocated_bytes"] / float64(b.m)
	f["allocations_per_event"] = done.Figures["allocations"] / float64(b.m)
	f["burst_rss_mb"] = done.Figures["peak_rss_mb"]
	f["out_of_order"] = done.Figures["repeated"]
	a, err := p.Do(protocol.Command{Do: "memory"})
	f["heap_after_mb"], f["rss_after_mb"] = a.Figures["heap_mb"], a.Figures["rss_mb"]
	return err
}

// again is the same burst in a process that has had one: its heap is as large as the collector lets it become.
func (b *bench) again(p *protocol.Process, f figures) error {
	began, done, err := b.send(p, protocol.Command{Do: "burst", Count: b.m})
	if err == nil {
		b.cost(began, done, f, "again_")
	}
	return err
}

// cost is the time of m events.
func (b *bench) cost(began, done protocol.Answer, f figures, prefix string) {
	f[prefix+"events_per_s"] = float64(b.m) / time.Duration(done.At-began.At).Seconds()
	f[prefix+"cpu_s_per_100k_events"] = done.Figures["cpu_s"] / float64(b.m) * 1e5
	f[prefix+"system_s_per_100k_events"] = done.Figures["system_s"] / float64(b.m) * 1e5
}

// send lets the server send events and the client wait for them.
func (b *bench) send(p *protocol.Process, c protocol.Command) (began, done protocol.Answer, err error) {
	if _, err = p.Do(protocol.Command{Do: "events", Count: c.Count, Times: c.Times}); err != nil {
		return began, done, err
	}
	if began, err = b.server.Do(c); err != nil {
		return began, done, err
	}
	done, err = p.Next(c.Do)
	return began, done, err
}

// latency is from the server's write to the handler, at 1,000 events a second.
func (b *bench) latency(p *protocol.Process, f figures) error {
	const rate = 1000
	count := min(5*rate, max(rate/4, b.m/40))
	began, done, err := b.send(p, protocol.Command{Do: "steady", Rate: rate, Count: count, Times: true})
	if err != nil {
		return err
	}
	if len(began.Times) != len(done.Times) {
		return fmt.Errorf("latency: %d events written, %d handled", len(began.Times), len(done.Times))
	}
	took := make([]int64, count)
	for i := range took {
		took[i] = done.Times[i] - began.Times[i]
	}
	slices.Sort(took)
	f["latency_p50_ms"], f["latency_p99_ms"] = float64(took[count/2])/1e6, float64(took[count*99/100])/1e6
	return nil
}

// relist ends the watch with 410, so that all objects come again, unchanged. One update behind them says when the client is
// done with them.
func (b *bench) relist(p *protocol.Process, f figures) error {
	if _, err := p.Do(protocol.Command{Do: "events", Count: 1}); err != nil {
		return err
	}
	for _, c := range []protocol.Command{{Do: "expire"}, {Do: "await", Count: 1}, {Do: "burst", Count: 1}} {
		if _, err := b.server.Do(c); err != nil {
			return err
		}
	}
	done, err := p.Next("relist")
	f["relist_cpu_s"], f["relist_calls"] = done.Figures["cpu_s"], done.Figures["repeated"]
	f["relist_bytes"] = done.Figures["allocated_bytes"]
	return err
}
