package sim

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/listwatch"
)

// Plan is how a session gets its complete states.
type Plan uint8

// The two ways.
const (
	Pages     Plan = iota // lists of three objects a page
	WatchList             // watches with sendInitialEvents
	plans
)

func (p Plan) String() string { return [...]string{"pages", "watch-list"}[p] }

// Framing is what is around the bytes of a session: TLS, gzip, both or nothing. Lists of one page have a length, everything else is in chunks.
type Framing struct{ TLS, Gzip bool }

func (f Framing) String() string {
	switch f {
	case Framing{true, true}:
		return "gzip over TLS"
	case Framing{TLS: true}:
		return "TLS"
	case Framing{Gzip: true}:
		return "gzip"
	}
	return "plain"
}

// session is a run with a script: a first state, changes, bookmarks, an ERROR event, a relist across a gap in which objects were deleted and replaced, and
// changes after it. Up to its fault every session of a plan and a framing is the same, byte for byte.
type session struct {
	*World
	began time.Time
}

// newSession makes one that has not begun.
func newSession(t testing.TB, p Plan, f Framing, certificate *tls.Certificate) *session {
	o := Options{
		Seed: uint64(p), TLS: f.TLS, Gzip: f.Gzip, Certificate: certificate, Latency: time.Millisecond, Exact: true,
		Server:   fakeapi.Options{BookmarkInterval: 25 * time.Second, RequestLog: -1},
		Informer: informer.Options{Workers: -1},
	}
	if p == Pages {
		o.Informer.Reflector = listwatch.Options{WatchList: listwatch.WatchListOff, ConsistentList: true, PageSize: 3}
	}
	return &session{World: NewWorld(t, o)}
}

func key(n int) Key { return Key{Namespace: [...]string{"a", "b"}[n%2], Name: fmt.Sprintf("o%d", n)} }

// play runs the script. Each step has a moment of its own.
func (s *session) play() {
	for n := range 7 {
		s.Put(key(n), "g")
	}
	s.began = time.Now()
	s.Start()
	s.at(2*time.Second, func() { s.Put(key(1), "h") })
	s.at(2100*time.Millisecond, func() { s.Put(key(7), "g") })
	s.at(2200*time.Millisecond, func() { s.Delete(key(2)) })
	s.at(5*time.Second, func() { s.Put(key(1), "g") })
	s.at(6*time.Second, s.Server.Bookmark)
	s.at(7*time.Second, func() { s.Put(key(2), "g") })
	s.at(9*time.Second, s.gap)
	s.at(14*time.Second, func() { s.Put(key(0), "h") })
	s.at(15*time.Second, s.Server.Bookmark)
	s.at(16*time.Second, func() { s.Delete(key(5)) })
	s.at(17*time.Second, s.Server.CloseWatches) // whole: the watch goes on without a relist
	s.at(18*time.Second, func() { s.Put(key(5), "h") })
}

// at waits until a moment of the script, which is nobody else's.
func (s *session) at(d time.Duration, do func()) {
	time.Sleep(time.Until(s.began.Add(d + 311*time.Nanosecond)))
	do()
}

// gap is what no watch can tell: one object goes, another takes the place of a third, and then history is forgotten.
func (s *session) gap() {
	s.Server.CloseWatches()
	s.Delete(key(3))
	s.Delete(key(4))
	s.Put(key(4), "h")
	s.Put(key(6), "h")
	s.Server.ExpireWatches()
}

// stretch is a part of a session's stream: what one request was answered with.
type stretch struct {
	phase string
	from  int64
}

// rehearse plays a session without a fault, and returns how long its streams are, on the wire and before encryption, and what is where.
func rehearse(t testing.TB, p Plan, f Framing, certificate *tls.Certificate) (wire, plain int64, stretches []stretch) {
	s := newSession(t, p, f, certificate)
	states := 0
	s.Server.Intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		q := r.URL.Query()
		phase := "watch"
		switch {
		case q.Get("sendInitialEvents") != "":
			phase = "watch-list"
			states++
		case q.Get("continue") != "":
			phase = "page"
		case q.Get("watch") == "" && q.Get("limit") == "1":
			phase = "probe"
		case q.Get("watch") == "":
			phase = "list"
			states++
		}
		if states > 1 {
			phase += " after the gap"
		}
		stretches = append(stretches, stretch{phase, s.Network.Delivered()})
		return false
	})
	s.play()
	for _, v := range s.Finish() {
		t.Errorf("a session of %s over %s without a fault: %v", p, f, v)
	}
	return s.Network.Delivered(), s.Network.Written(), stretches
}

// phase names the place of an offset.
func phase(stretches []stretch, offset int64) string {
	name := "handshake"
	for _, s := range stretches {
		if s.from > offset {
			break
		}
		name = s.phase
	}
	return name
}
