package sim

import (
	"crypto/tls"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/listwatch"
)

// Run is how the run of a seed ended.
type Run struct {
	Seed       uint64
	Hash       string
	Violations []Violation
	Events     int // that the server committed
	Faults     int // of the network that happened
	Restores   int
	Simulated  time.Duration
}

// RunSeed makes a world by chance and lets chance rule in it: what the server can do, what is written, what breaks. It must be called in a bubble of its own.
func RunSeed(t testing.TB, seed uint64, certificate *tls.Certificate, lines func(stream, line string)) Run {
	began := time.Now()
	r := rand.New(rand.NewPCG(seed, 0x77686f6c65))
	o := worldOf(r)
	o.Seed, o.Certificate, o.Lines = seed, certificate, lines
	c := &chance{World: NewWorld(t, o), r: r}
	for range r.IntN(9) {
		c.Put(c.key(), "g")
	}
	c.Start()
	for range 40 + r.IntN(40) {
		c.Pass(time.Duration(r.Int64N(int64(4 * time.Second))))
		c.act()
	}
	c.calm()
	violations := c.Finish()
	return Run{
		Seed: seed, Hash: c.Hash(), Violations: violations, Events: c.History.Len(), Faults: len(c.Network.Fired()), Restores: c.History.Epochs(),
		Simulated: time.Since(began),
	}
}

// worldOf draws what a world is like.
func worldOf(r *rand.Rand) Options {
	o := Options{
		// No piece holds an event, so that no two come at one moment.
		Trace: true, Latency: time.Duration(1 + r.Int64N(int64(20*time.Millisecond))), Pace: 100 + r.IntN(100), TLS: r.IntN(4) == 0, Gzip: r.IntN(4) == 0,
		// Bookmarks come at no whole second, as the client's timers do.
		Server: fakeapi.Options{BookmarkInterval: 10*time.Second + time.Duration(r.Int64N(int64(time.Minute))), GoneStatus: r.IntN(2) == 0},
		Informer: informer.Options{
			Workers: r.IntN(4) - 1,
			Reflector: listwatch.Options{
				PageSize: int64(2 + r.IntN(5)), ConsistentList: r.IntN(2) == 0, WatchList: listwatch.WatchListMode(-r.IntN(2)),
			},
		},
		Handlers: Handlers(),
	}
	if r.IntN(3) == 0 {
		o.Server.WatchList = fakeapi.WatchListMode(r.IntN(5))
	}
	if r.IntN(2) == 0 {
		o.Handlers = append(o.Handlers, more(r, o.Handlers))
	}
	return o
}

// more is a fourth handler, beside three others.
func more(r *rand.Rand, others []HandlerOptions) HandlerOptions {
	var h HandlerOptions
	switch r.IntN(4) {
	case 0:
		h.Name, h.Limit, h.Policy, h.Delay = "dropping", 2, informer.DropAndResync, 700*time.Millisecond+23
	case 1:
		h.Name, h.Resync = "resynced", 7*time.Second+29
	case 2:
		h.Name, h.Match = "narrow", func(_ Key, o *Object) bool { return o.Data.Group == "g" }
	default:
		h.Name, h.Limit, h.Policy, h.Delay = "blocking", 4, informer.Block, 200*time.Millisecond+31
		// What it held back comes to the others at one moment: how much of it they take at once is the scheduler's choice, and must not show in their times.
		others[1].Limit, others[2].Delay = 0, 0
	}
	return h
}

// chance is a world in which things happen at random.
type chance struct {
	*World
	r       *rand.Rand
	backup  *fakeapi.Snapshot
	storm   func() // ends the one that rages
	refused bool
	late    int
}

func (c *chance) key() Key { return key(c.r.IntN(12)) }

func (c *chance) act() {
	switch n := c.r.IntN(40); {
	case n < 16:
		c.Put(c.key(), [...]string{"g", "h"}[c.r.IntN(2)])
	case n < 21:
		c.Delete(c.key())
	case n < 23:
		c.burst()
	case n < 30:
		c.breakNetwork()
	case n < 36:
		c.breakServer()
	default:
		c.disturb()
	}
}

// burst is several writes at one moment.
func (c *chance) burst() {
	for range 2 + c.r.IntN(5) {
		if c.r.IntN(4) == 0 {
			c.Delete(c.key())
		} else {
			c.Put(c.key(), "g")
		}
	}
}

func (c *chance) breakNetwork() {
	kind := FaultKind(c.r.IntN(int(faultKinds)))
	if kind == Corrupt && !c.o.TLS { // nobody could tell
		kind = FIN
	}
	if c.r.IntN(3) == 0 {
		c.Network.Now(kind)
		return
	}
	at := c.Network.Delivered() + int64(c.r.IntN(3000))
	if kind == CloseNotify {
		at = c.Network.Written() + int64(c.r.IntN(3000))
	}
	c.Network.Inject(Fault{Kind: kind, At: at})
}

func (c *chance) breakServer() {
	switch c.r.IntN(7) {
	case 0:
		c.Server.CutConnections()
	case 1:
		c.Server.ExpireWatches()
	case 2:
		c.Server.CloseWatches()
	case 3:
		c.Server.Compact()
	case 4:
		c.Server.SetVersion(c.Server.Version() + uint64(c.r.IntN(20)))
	case 5:
		c.backup = c.Server.Snapshot()
	case 6:
		c.restore()
	}
}

// restore puts a backup of etcd back as it is done in earnest: while no API server serves, and with a while to be noticed before anything is written. What is
// written sooner may take the versions that were seen already, and then nobody could tell.
func (c *chance) restore() {
	if c.backup == nil || c.r.IntN(3) > 0 {
		return
	}
	c.calm()
	c.Converge(c.patience())
	c.Network.Refuse(true)
	c.Network.Now(RST)
	c.Pass(time.Second + 3)
	lost := c.History.Since(c.backup.Version())
	c.Server.Restore(c.backup)
	c.again(lost)
	c.Network.Refuse(false)
	c.Converge(c.patience())
	c.Pass(3*time.Minute + 5)
}

// again writes what a restore lost, or some of it, with other content: the same objects get the same versions. The server stays behind what was seen.
func (c *chance) again(lost []Step) {
	for n := range max(0, len(lost)-1) {
		if lost[n].Deleted || lost[n].Version != strconv.FormatUint(c.Server.Version()+1, 10) || c.r.IntN(5) == 0 {
			return
		}
		c.Put(lost[n].Key, "g")
	}
}

func (c *chance) disturb() {
	switch c.r.IntN(4) {
	case 0:
		c.refused = !c.refused
		c.Network.Refuse(c.refused)
	case 1:
		c.tempest()
	case 2:
		c.Server.Bookmark()
	case 3:
		if c.late < 3 {
			c.late++
			c.Subscribe(HandlerOptions{Handler: informer.Handler[*Object]{Name: [...]string{"late", "later", "latest"}[c.late-1]}})
		}
	}
}

// tempest has the server refuse everything, until the next one.
func (c *chance) tempest() {
	if c.storm != nil {
		c.storm()
		c.storm = nil
		return
	}
	c.storm = storm(c.Server, c.r.IntN(7))
}

// calm ends everything that is wrong.
func (c *chance) calm() {
	c.Network.Disarm()
	c.Network.Refuse(false)
	c.refused = false
	if c.storm != nil {
		c.storm()
		c.storm = nil
	}
}
