package sim

import (
	"context"
	"fmt"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/fakeapi/faults"
	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/listwatch"
)

// Moment is what a client is about when a fault of the catalogue meets it.
type Moment uint8

// The moments.
const (
	AtStart     Moment = iota // the first state
	AtEvents                  // a watch that is open
	AtReconnect               // the watch after a connection that broke
	AtRelist                  // the list after history was forgotten
	moments
)

func (m Moment) String() string { return [...]string{"start", "events", "reconnect", "relist"}[m] }

// Trial is one fault of the catalogue at one moment, once or for ten minutes.
type Trial struct {
	Fault  *faults.Fault
	Moment Moment
	Plan   Plan
	Storm  bool
}

func (t Trial) String() string {
	often := "once"
	if t.Storm {
		often = "for ten minutes"
	}
	return fmt.Sprintf("%s at %s of %s, %s", t.Fault.Name, t.Moment, t.Plan, often)
}

// Verdict is how a trial ended.
type Verdict struct {
	Trial
	Violations []Violation
	Hits       int
	Requests   int           // from the injection to the end
	Recovery   time.Duration // after the end of the fault and of the script
	Reasons    []string      // of the transitions since the injection, sorted, each once
	Status     informer.Status
}

// trial is a world with a fault.
type trial struct {
	*World
	injector *faults.Injector
}

func newTrial(t testing.TB, tr Trial) *trial {
	w := &trial{}
	o := Options{
		Seed:     7,
		Server:   fakeapi.Options{BookmarkInterval: 25 * time.Second, RequestLog: -1},
		Informer: informer.Options{Workers: -1},
		Handlers: Handlers(),
		Dial: func(dial DialFunc) DialFunc {
			return func(ctx context.Context, network, addr string) (net.Conn, error) {
				return w.injector.Dialer(dial)(ctx, network, addr)
			}
		},
	}
	for i := range o.Handlers {
		o.Handlers[i].Do = func() { w.injector.Handle() }
	}
	if tr.Plan == Pages {
		o.Informer.Reflector = listwatch.Options{WatchList: listwatch.WatchListOff, ConsistentList: true, PageSize: 3}
	}
	w.World = NewWorld(t, o)
	w.injector = faults.New(w.Server)
	return w
}

// RunTrial tries one fault. It must be called in a bubble of its own.
func RunTrial(t testing.TB, tr Trial) Verdict {
	w := newTrial(t, tr)
	for n := range 7 {
		w.Put(key(n), "g")
	}
	w.injector.Remember()
	when := faults.When{}
	if tr.Storm {
		when.Times, when.For = -1, 10*time.Minute+101
	}
	var injection *faults.Injection
	from, asked := 0, int64(0)
	inject := func() {
		from, asked = len(w.Transitions()), w.asked.Load()
		injection = w.injector.Inject(tr.Fault, when)
	}
	if tr.Moment == AtStart {
		inject()
	}
	w.Start()
	w.Pass(20*time.Second + 3)
	if tr.Moment != AtStart {
		w.versions()
		inject()
	}
	switch tr.Moment {
	case AtReconnect:
		w.Network.Now(RST)
	case AtRelist:
		w.gap()
	}
	w.script()
	if tr.Storm {
		w.Pass(10 * time.Minute)
	}
	injection.Stop()
	recovery, converged := w.Converge(w.patience())
	w.Stop()
	r := w.Record()
	r.Converged = converged
	v := Verdict{Trial: tr, Hits: injection.Hits(), Requests: int(w.asked.Load() - asked), Recovery: recovery, Status: r.Status}
	for _, transition := range w.Transitions()[from:] {
		if !slices.Contains(v.Reasons, transition.Reason) {
			v.Reasons = append(v.Reasons, transition.Reason)
		}
	}
	slices.Sort(v.Reasons)
	for _, violation := range Check(r) {
		if violation.Invariant != "I38" || tr.Fault.Place() != faults.AtDial { // such a dial never reaches the network
			v.Violations = append(v.Violations, violation)
		}
	}
	return v
}

// versions moves the server some versions on, so that a restore goes back.
func (w *trial) versions() {
	w.Server.SetVersion(w.Server.Version() + 1000)
	w.Server.Bookmark()
	w.Put(key(8), "g")
	w.Pass(time.Second + 5)
}

func (w *trial) gap() {
	w.Server.CloseWatches()
	w.Delete(key(3))
	w.Delete(key(4))
	w.Put(key(4), "h")
	w.Server.ExpireWatches()
}

// script is what happens in two minutes, whatever the fault.
func (w *trial) script() {
	w.Pass(time.Second + 11)
	w.Put(key(0), "h")
	w.Pass(time.Second + 13)
	w.Put(key(9), "g")
	w.Delete(key(1))
	w.Pass(10*time.Second + 17)
	w.Server.Bookmark()
	w.Pass(20*time.Second + 19)
	w.Put(key(1), "g")
	w.Server.CloseWatches()
	w.Pass(30*time.Second + 23)
	w.Put(key(0), "g")
	w.Pass(58 * time.Second)
	w.Delete(key(9))
}
