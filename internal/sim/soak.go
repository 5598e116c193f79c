package sim

import (
	"context"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/fakeapi/faults"
	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/listwatch"
)

// Soak is one world in which, for a long time, things are written and things go wrong, by chance.
type Soak struct {
	Seed     uint64
	Duration time.Duration
	// Events is how many changes the server makes in that time, about.
	Events int
	// Pause is the time between two faults, on average.
	Pause time.Duration
	// Only leaves out all faults of the catalogue but those whose name contains it, and lets in those that are not fair.
	Only string
	// Log, if set, is told of everything that goes wrong, and of what the machine does.
	Log func(format string, args ...any)
}

// Soaked is how it ended.
type Soaked struct {
	Seed       uint64
	Simulated  time.Duration
	Events     int            // that the server committed
	Faults     int            // that happened: injections that met something, and breaks of the network
	Hits       int            // how often those of the catalogue did
	ByName     map[string]int // of the catalogue
	Restores   int
	Requests   int
	Relists    uint64
	Delivered  int           // events that handlers got
	Longest    time.Duration // to be as the server is, after everything that was wrong had ended
	Violations []Violation
}

// soak is a world that soaks.
type soak struct {
	*World
	injector *faults.Injector
	o        Soak
	r        *rand.Rand
	menu     []*faults.Fault
	dear     []*faults.Fault
	active   []*faults.Injection
	began    time.Time
	lossy    bool
	out      Soaked
}

// unfair are the faults of the catalogue that a soak leaves out: the server tells a lie that nobody can see through, or user code does what cannot be put right. The
// trials of the catalogue cover them.
var unfair = map[string]bool{
	"list-of-another-kind": true, // it is believed, for a custom resource may be replaced by another one of its name; then what is right is of another kind
	"event-deleted-bare":   true, // it is legal: the last state is as the server shows it, without what it leaves out
	"handler-exits":        true, // runtime.Goexit ends the subscription, and somebody has to subscribe again
	// An item of a watch-list may be of any version, so one that is false is stored as it comes; the next change puts it right.
	"event-version-zero": true, "event-version-junk": true, "event-version-back": true,
	// The state is of a version of which a watch cannot begin, or which no version can follow; until a list is not, handlers are told of epochs that are none.
	"list-version-junk": true, "list-version-negative": true, "list-version-leading-zero": true,
}

// nameless are faults after which nobody can say which object an event was about, so that the store lacks it until the next list. They happen in lossy worlds alone,
// where bad frames may cause a list more often than once an hour.
var nameless = map[string]bool{
	"event-null": true, "event-array": true, "event-list": true, "event-object-missing": true, "event-without-name": true, "watch-error-null": true,
	"spoil-data": true, // where the byte is one of the name, or before it
}

// lossyRelist is BadFrameRelist in lossy worlds.
const lossyRelist = 2 * time.Minute

// dearly are faults that cost as much as a thousand others.
func dearly(name string) bool {
	for _, part := range []string{"bomb", "endless", "storm-endless", "too-large", "at-length", "long-field", "1xx-storm", "too-deep", "event-large"} {
		if strings.Contains(name, part) && !strings.HasPrefix(name, "list-too-large") {
			return true
		}
	}
	return false
}

// Run soaks a world. It must be called in a bubble of its own.
func (o Soak) Run(t testing.TB) Soaked {
	s := &soak{o: o, r: rand.New(rand.NewPCG(o.Seed, 0x736f616b)), out: Soaked{Seed: o.Seed, ByName: make(map[string]int)}}
	s.lossy = o.Seed%4 == 0
	for _, f := range faults.All() {
		switch {
		case o.Only != "" && strings.Contains(f.Name, o.Only):
			s.menu = append(s.menu, f)
		case o.Only != "", unfair[f.Name], nameless[f.Name] && !s.lossy, strings.HasPrefix(f.Name, "etcd-restored"):
		case dearly(f.Name):
			s.dear = append(s.dear, f)
		default:
			s.menu = append(s.menu, f)
		}
	}
	s.World = NewWorld(t, s.world())
	s.injector = faults.New(s.Server)
	for n := range 20 {
		s.Put(key(n), "g")
	}
	s.began = time.Now()
	s.Start()
	s.live()
	s.settle()
	s.Stop()
	return s.judge()
}

// world draws what the world is like.
func (s *soak) world() Options {
	o := Options{
		Seed: s.o.Seed,
		Server: fakeapi.Options{
			BookmarkInterval: time.Minute, RequestLog: -1, GoneStatus: s.r.IntN(2) == 0,
		},
		Informer: informer.Options{Workers: -1},
		Dial: func(dial DialFunc) DialFunc {
			return func(ctx context.Context, network, addr string) (net.Conn, error) {
				return s.injector.Dialer(dial)(ctx, network, addr)
			}
		},
	}
	if s.r.IntN(2) == 0 {
		o.Informer.Reflector = listwatch.Options{WatchList: listwatch.WatchListOff, PageSize: int64(5 + s.r.IntN(20)), ConsistentList: s.r.IntN(2) == 0}
	}
	if s.lossy {
		o.Informer.Reflector.BadFrameRelist = lossyRelist
	}
	if s.o.Log != nil {
		o.Informer.Reflector.Observe = func(t listwatch.Transition) {
			s.log("  %s>%s %s %v, received %s of epoch %d: %v", t.From, t.To, t.Reason, t.Delay, t.Version, t.Epoch, t.Err)
		}
	}
	fast, slow := HandlerOptions{}, HandlerOptions{Delay: 3*time.Second + 17, Do: func() { s.injector.Handle() }}
	fast.Name, slow.Name = "fast", "slow"
	slow.Limit = 20
	o.Handlers = []HandlerOptions{fast, slow}
	return o
}

func (s *soak) log(format string, args ...any) {
	if s.o.Log != nil {
		s.o.Log("%s version %d: "+format, append([]any{time.Now().Format("15:04:05.000"), s.Server.Version()}, args...)...)
	}
}

// live goes through the time, from fault to fault.
func (s *soak) live() {
	steps := int(s.o.Duration / s.o.Pause)
	writes := s.o.Events / max(steps, 1)
	for n := range steps {
		until := s.began.Add(time.Duration(n+1)*s.o.Pause + 311)
		if n%48 == 47 {
			s.settle()
			if n%480 == 479 {
				s.restore()
			}
		}
		s.wrong()
		s.write(writes, until)
		s.mend()
	}
}

// write changes objects in bursts until a moment.
func (s *soak) write(writes int, until time.Time) {
	for writes > 0 && time.Now().Before(until) {
		burst := min(writes, 1+s.r.IntN(12))
		writes -= burst
		for range burst {
			k := key(s.r.IntN(40))
			if s.r.IntN(5) > 0 || !s.Delete(k) {
				s.Put(k, [...]string{"g", "h"}[s.r.IntN(2)])
			}
		}
		left := max(time.Until(until), 0)
		share := left
		if writes > 0 {
			share = left * time.Duration(burst) / time.Duration(burst+writes)
		}
		s.Pass(share + time.Duration(s.r.Int64N(1000)))
	}
	s.Pass(time.Until(until))
}

// wrong lets something go wrong.
func (s *soak) wrong() {
	switch n := s.r.IntN(100); {
	case n < 15:
		kind := FaultKind(s.r.IntN(int(Coalesce) + 1))
		s.log("%s now", kind)
		s.Network.Now(kind)
		return
	case n < 25:
		f := Fault{Kind: FaultKind(s.r.IntN(int(Coalesce) + 1)), At: s.Network.Delivered() + s.r.Int64N(5000)}
		s.log("%s at %d", f.Kind, f.At)
		s.Network.Inject(f)
		return
	}
	f := s.menu[s.r.IntN(len(s.menu))]
	if s.r.IntN(500) == 0 && len(s.dear) > 0 {
		f = s.dear[s.r.IntN(len(s.dear))]
	}
	w := faults.When{Times: 1 + s.r.IntN(3), Skip: s.r.IntN(3) * s.r.IntN(2)}
	switch f.Place() {
	case faults.AtRequest, faults.AtDial:
		if w.Skip = 0; s.r.IntN(3) == 0 {
			w.Times, w.For = -1, time.Duration(s.r.Int64N(int64(2*time.Minute)))
		}
	case faults.AtConnection:
		w.Offset, w.Skip = s.r.Int64N(3)*s.r.Int64N(100), 0
	case faults.AtOnce:
		w.For = time.Duration(1 + s.r.Int64N(int64(time.Minute)))
	}
	s.log("%s times=%d skip=%d for=%v offset=%d", f.Name, w.Times, w.Skip, w.For, w.Offset)
	s.active = append(s.active, s.injector.Inject(f, w))
	s.occasion(f)
}

// occasion makes that a fault meets something: a request, a connection.
func (s *soak) occasion(f *faults.Fault) {
	on := f.On
	switch {
	case f.Place() == faults.AtOnce, f.Place() == faults.AtEvent, f.Place() == faults.AtHandler:
		return
	case f.Place() == faults.AtDial, on == 0, on&faults.Watch == 0 && on&faults.Probe != 0:
		s.Network.Now(RST)
	case on&faults.Watch != 0:
		s.Server.CloseWatches()
	default:
		s.Server.ExpireWatches()
	}
}

// mend ends what has gone wrong before, but for some of it.
func (s *soak) mend() {
	kept := s.active[:0]
	for _, n := range s.active {
		if !n.Over() && s.r.IntN(4) == 0 {
			kept = append(kept, n)
			continue
		}
		s.end(n)
	}
	s.active = kept
}

func (s *soak) end(n *faults.Injection) {
	n.Stop()
	if hits := n.Hits(); hits > 0 {
		s.out.Faults++
		s.out.Hits += hits
		s.out.ByName[n.Name]++
	}
}

// settle ends everything that is wrong, and wants the client to be as the server is after a while.
func (s *soak) settle() {
	for _, n := range s.active {
		s.end(n)
	}
	s.active = s.active[:0]
	s.Network.Disarm()
	took, converged := s.Converge(s.patience())
	s.out.Longest = max(s.out.Longest, took)
	if !converged {
		s.out.Violations = append(s.out.Violations, Violation{Invariant: "I1", Where: "store", Detail: "stuck after " + time.Since(s.began).String()})
	}
}

// restore puts a backup of etcd back, which is older by more versions than are written until it must have been noticed.
func (s *soak) restore() {
	s.injector.Remember()
	s.Server.SetVersion(s.Server.Version() + 100_000)
	s.Put(key(0), "g")
	s.Delete(key(1))
	s.Converge(s.patience())
	name := [...]string{"etcd-restored", "etcd-restored-at-once", "etcd-restored-frozen"}[s.r.IntN(3)]
	n := s.injector.Inject(faults.MustFind(name), faults.When{})
	s.Pass(20*time.Second + 1)
	s.Put(key(2), "h") // takes a version that was seen already, with other content
	s.Pass(5 * time.Minute)
	s.end(n)
}

func (s *soak) judge() Soaked {
	r := s.Record()
	r.Converged = true // settle has seen to it
	r.Lossy = s.lossy
	for _, v := range Check(r) {
		if v.Invariant != "I38" || !strings.HasPrefix(v.Detail, "connections dialled") { // a fault at dialling never reaches the network
			s.out.Violations = append(s.out.Violations, v)
		}
	}
	s.out.Simulated = time.Since(s.began)
	s.out.Events = len(r.Server)
	s.out.Faults += len(r.Fired)
	s.out.Restores, s.out.Requests = r.Epochs, r.Requests
	for _, h := range r.Handlers {
		s.out.Delivered += len(h.Seen)
	}
	for _, source := range r.Status.Sources {
		for _, n := range source.Reflector.Relists {
			s.out.Relists += n
		}
	}
	return s.out
}
