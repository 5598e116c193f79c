package sim

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/store"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// World is a server, a network, a client and an informer, in one bubble. Its methods are for the goroutine that made it.
type World struct {
	Server   *fakeapi.Server
	Network  *Network
	Client   *rest.Client
	Informer *informer.Informer[*Object]
	Index    *store.Index[*Object, string] // by Object.Data.Group
	History  *History
	Handlers []*Handler
	// Rand is the run's chance.
	Rand *rand.Rand

	t       testing.TB
	o       Options
	trace   *tracer
	writes  int
	cancel  context.CancelFunc
	ran     chan error
	stopped bool
	asked   atomic.Int64 // requests that the server received

	status      informer.Status // as Stop found it
	notesMu     sync.Mutex
	problems    []Key
	transitions []listwatch.Transition // of the machine
}

// NewWorld makes a world in which nothing happens yet: the server serves, the client has not been started. It must be called in a synctest bubble; Stop
// must be called there, too.
func NewWorld(t testing.TB, o Options) *World {
	w := &World{t: t, o: o, History: newHistory(), Rand: rand.New(rand.NewPCG(o.Seed, 0x73696d))}
	if o.Trace {
		w.trace = &tracer{}
		w.trace.machine.line = w.lines("machine")
		w.trace.lines = o.Lines
	}
	server := o.Server
	server.Seed = o.Seed
	if o.Gzip && server.CompressOver == 0 {
		server.CompressOver = 1
	}
	w.Server = fakeapi.New(server)
	w.Server.OnChange(w.History.take)
	w.Server.Intercept(func(http.ResponseWriter, *http.Request) bool { w.asked.Add(1); return false })
	w.Network = newNetwork(&o, w.trace)
	w.connect()
	w.follow()
	return w
}

// connect puts the network between the server and a client.
func (w *World) connect() {
	l := &listener{Listener: w.Network.wire.Listen(), network: w.Network}
	config := w.o.Client
	config.Server, config.Dial = "http://api.sim:8080", w.Network.Dial
	if w.o.TLS {
		certificate := w.o.Certificate
		if certificate == nil {
			made := NewCertificate()
			certificate = &made
		}
		l.tls = &tls.Config{Certificates: []tls.Certificate{*certificate}, CurvePreferences: []tls.CurveID{tls.X25519}}
		config.Server, config.TLS = "https://api.sim:6443", clientTLS(certificate)
	}
	go func() {
		if err := w.Server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			w.t.Errorf("sim: the server ended with %v", err)
		}
	}()
	if w.o.Dial != nil {
		config.Dial = w.o.Dial(config.Dial)
	}
	client, err := rest.NewClient(config)
	if err != nil {
		w.t.Fatalf("sim: %v", err)
	}
	w.Client = client
}

// follow makes the informer and its handlers.
func (w *World) follow() {
	o := w.o.Informer
	observe := o.Reflector.Observe
	o.Reflector.Observe = func(t listwatch.Transition) {
		w.notesMu.Lock()
		w.transitions = append(w.transitions, t)
		w.notesMu.Unlock()
		w.traceTransition(t)
		if observe != nil {
			observe(t)
		}
	}
	onProblem := o.OnProblem
	o.OnProblem = func(p informer.Problem) {
		w.notesMu.Lock()
		w.problems = append(w.problems, p.Key)
		w.notesMu.Unlock()
		if onProblem != nil {
			onProblem(p)
		}
	}
	o.Reflector.Gzip = o.Reflector.Gzip || w.o.Gzip
	if o.Reflector.Rand == nil {
		o.Reflector.Rand = rand.New(rand.NewPCG(w.o.Seed, 0x6a6974746572)).Float64
	}
	w.Informer = informer.New(w.Client, rest.ConfigMaps, watchdecoder.JSON[Object](), o)
	w.Index = informer.AddIndex(w.Informer, func(o *Object, groups []string) []string { return append(groups, o.Data.Group) })
	handlers := w.o.Handlers
	if handlers == nil {
		handlers = Handlers()
	}
	for _, h := range handlers {
		w.Subscribe(h)
	}
}

func (w *World) traceTransition(t listwatch.Transition) {
	if w.trace == nil {
		return
	}
	text := ""
	if t.Err != nil {
		text = t.Err.Error()
	}
	w.trace.record(&w.trace.machine, fmt.Appendf(nil, "%s>%s %s %v %s/%d %s", t.From, t.To, t.Reason, t.Delay, t.Version, t.Epoch, text))
}

// lines is where the entries of a sequence of the trace are shown.
func (w *World) lines(stream string) func(string) {
	if w.o.Lines == nil {
		return nil
	}
	return func(line string) { w.o.Lines(stream, line) }
}

// Start runs the informer.
func (w *World) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel, w.ran = cancel, make(chan error, 1)
	go func() { w.ran <- w.Informer.Run(ctx) }()
}

// Pass lets time go by.
func (w *World) Pass(d time.Duration) { time.Sleep(d) }

// Converge waits until store and handlers have what the server has, and returns how long it took. It gives up after within.
func (w *World) Converge(within time.Duration) (time.Duration, bool) {
	began := time.Now()
	for {
		if w.converged() {
			return time.Since(began), true
		}
		if time.Since(began) >= within {
			return time.Since(began), false
		}
		time.Sleep(time.Second + 7)
	}
}

func (w *World) converged() bool {
	now := w.History.Now()
	s := w.Informer.Store()
	if s.Len() != len(now) {
		return false
	}
	for key, state := range now {
		if e, ok := s.Entry(key); !ok || e.ResourceVersion != state.Version || e.UID != state.UID || e.Value.Data.Value != state.Value {
			return false
		}
	}
	for _, h := range w.Handlers {
		if h.Options.Match == nil && !h.caughtUp(now) {
			return false
		}
	}
	return true
}

// patience is how long a world gets to recover: the longest silence that a client puts up with, a handshake and a back-off.
func (w *World) patience() time.Duration { return 10 * time.Minute }

// Stop ends everything: informer, client, server. What is left of goroutines makes the bubble fail.
func (w *World) Stop() {
	if w.stopped {
		return
	}
	w.stopped = true
	if w.trace != nil {
		w.trace.seal()
	}
	w.status = w.Informer.Status()
	if w.cancel != nil {
		w.cancel()
		<-w.ran
	}
	w.Client.Close()
	w.Server.Close()
}

// Hash is the trace of the run up to Stop.
func (w *World) Hash() string { return w.trace.sum() }

// Transitions returns what the machine has gone through.
func (w *World) Transitions() []listwatch.Transition {
	w.notesMu.Lock()
	defer w.notesMu.Unlock()
	return slices.Clone(w.transitions)
}

// Problems returns the keys of the objects that the informer has reported as unusable.
func (w *World) Problems() []Key {
	w.notesMu.Lock()
	defer w.notesMu.Unlock()
	return slices.Clone(w.problems)
}

// look takes a snapshot and reads it in two ways.
func (w *World) look() *View {
	s := w.Informer.Snapshot()
	defer s.Close()
	v := &View{Version: s.Version()}
	groups := map[string]bool{}
	for e := range s.Entries() {
		state := seenAs(e.Key, e.UID, e.ResourceVersion, e.Value)
		v.Objects = append(v.Objects, state)
		groups[state.Group] = true
	}
	for group := range groups {
		for key, o := range w.Index.In(s, group) {
			v.Index = append(v.Index, seenAs(key, o.Metadata.UID, o.Metadata.ResourceVersion, o))
		}
	}
	return v
}

// compareVersions compares two versions as numbers; what is none comes first.
func compareVersions(a, b string) int {
	x, errX := strconv.ParseUint(a, 10, 64)
	y, errY := strconv.ParseUint(b, 10, 64)
	switch {
	case errX != nil || errY != nil:
		return 0
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
