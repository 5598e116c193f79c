// Package child is what the measured processes have in common: they count what their handler sees and measure themselves.
// It imports nothing that would make a process larger than what it measures.
package child

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/conformance/compare/protocol"
)

// Config is what a process is started with.
type Config struct {
	Row       string // which form of informer
	URL       string
	CA        []byte
	Objects   int
	Informers int  // one, or so many, each of a namespace
	Reads     bool // index by node, to be read
}

// Namespaces are those of the informers.
func (c Config) Namespaces() []string {
	if c.Informers <= 1 {
		return []string{""}
	}
	names := make([]string, c.Informers)
	for i := range names {
		names[i] = fmt.Sprintf("team-%03d", i)
	}
	return names
}

// Counter counts what handlers see.
type Counter struct {
	mu       sync.Mutex
	initial  int
	events   int // updates to a version that was not seen before
	disorder int // ... but for what went back: a version seen again, as a relist delivers it
	last     uint64

	wantInitial, wantEvents int
	at                      time.Time // of the event that was waited for
	times                   []int64   // of each event, where asked for
	keep                    bool
	arrived                 chan struct{}
}

// Added is called for each object of the initial state.
func (c *Counter) Added() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.initial++
	if c.initial == c.wantInitial {
		c.reached()
	}
}

// Updated is called for each update.
func (c *Counter) Updated(version string) {
	v, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		panic(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v <= c.last {
		c.disorder++
		return
	}
	c.last = v
	c.events++
	if c.keep {
		c.times = append(c.times, time.Now().UnixNano())
	}
	if c.events == c.wantEvents {
		c.reached()
	}
}

func (c *Counter) reached() {
	c.at = time.Now()
	close(c.arrived)
}

// expect makes arrived a channel that is closed after so many more objects or events.
func (c *Counter) expect(initial, events int, keep bool) (arrived chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wantInitial, c.wantEvents, c.keep = c.initial+initial, c.events+events, keep
	if initial == 0 {
		c.wantInitial = -1
	}
	if events == 0 {
		c.wantEvents = -1
	}
	c.times, c.disorder = make([]int64, 0, events*btoi(keep)), 0
	c.arrived = make(chan struct{})
	return c.arrived
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Subject is an informer under measurement.
type Subject struct {
	Start func() error // begins; returns at once
	Reads Reads
	Keep  any // not to be collected while memory is measured
}

// Main runs a process: commands on standard input, answers on standard output.
func Main(make func(Config, *Counter) (Subject, error)) {
	var config Config
	if len(os.Args) != 2 || json.Unmarshal([]byte(os.Args[1]), &config) != nil {
		fmt.Fprintln(os.Stderr, "this is a part of go run ./compare")
		os.Exit(2)
	}
	counter := new(Counter)
	subject, err := make(config, counter)
	if err == nil {
		r := runner{config: config, counter: counter, subject: subject}
		err = protocol.Serve(os.Stdin, os.Stdout, r.do)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, config.Row+":", err)
		os.Exit(1)
	}
}

type runner struct {
	config  Config
	counter *Counter
	subject Subject
}

func (r *runner) do(c protocol.Command, step func(protocol.Answer)) (protocol.Answer, error) {
	switch c.Do {
	case "sync":
		return r.sync()
	case "events":
		return r.events(c, step)
	case "memory":
		return protocol.Answer{Figures: settled()}, nil
	case "leave alone":
		return protocol.Answer{Figures: leftAlone(c.For)}, nil
	case "reads":
		return protocol.Answer{Figures: TimeIdle(r.subject.Reads.Idle)}, nil
	case "reads beside a writer":
		return protocol.Answer{Figures: TimeBusy(r.subject.Reads.Busy)}, nil
	}
	return protocol.Answer{}, fmt.Errorf("unknown command %q", c.Do)
}

// sync is from Run to the last handler call of the initial state.
func (r *runner) sync() (protocol.Answer, error) {
	arrived := r.counter.expect(r.config.Objects, 0, false)
	before := now()
	if err := r.subject.Start(); err != nil {
		return protocol.Answer{}, err
	}
	<-arrived
	f := before.until(r.counter.at)
	f["sync_s"] = f["elapsed_s"]
	f["peak_rss_mb"] = proc("VmHWM")
	return protocol.Answer{Figures: f, At: r.counter.at.UnixNano()}, nil
}

// events waits for so many events; the first answer says that it does, the second what they cost.
func (r *runner) events(c protocol.Command, step func(protocol.Answer)) (protocol.Answer, error) {
	arrived := r.counter.expect(0, c.Count, c.Times)
	before := now()
	step(protocol.Answer{})
	<-arrived
	f := before.until(r.counter.at)
	f["peak_rss_mb"] = proc("VmHWM")
	f["repeated"] = float64(r.counter.disorder)
	return protocol.Answer{Figures: f, At: r.counter.at.UnixNano(), Times: r.counter.times}, nil
}
