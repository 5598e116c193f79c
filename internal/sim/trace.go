package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"sync"
	"time"
)

// tracer hashes what a run does: the bytes of each connection with their times, the transitions of the machine, the history of each handler. Each is
// one sequence; nothing is said of the order between them, which is the scheduler's.
type tracer struct {
	mu       sync.Mutex
	conns    []*connTrace
	machine  sequence
	handlers []*sequence
	sealed   bool
	lines    func(stream, line string)
}

// sequence is a hash of things that come one after the other, with their times.
type sequence struct {
	hash hash.Hash
	last time.Time
	any  bool
	line func(string) // sees every entry; nil is nobody
}

func (s *sequence) add(at time.Time, p []byte) {
	if s.hash == nil {
		s.hash = sha256.New()
	}
	if !s.any || !at.Equal(s.last) {
		var stamp [9]byte
		stamp[0] = 0xff
		binary.LittleEndian.PutUint64(stamp[1:], uint64(at.UnixNano()))
		s.hash.Write(stamp[:])
		s.last, s.any = at, true
	}
	s.hash.Write(p)
	if s.line != nil {
		s.line(at.Format("15:04:05.000000000 ") + string(p))
	}
}

func (s *sequence) sum() []byte {
	if s.hash == nil {
		return nil
	}
	return s.hash.Sum(nil)
}

// connTrace is what went over one connection in both directions. Over TLS it is what was encrypted, as the server's side saw it: the bytes on the wire are
// never the same twice.
type connTrace struct {
	tracer    *tracer
	sent, got sequence
}

// conn begins the trace of a connection. A nil tracer traces nothing.
func (t *tracer) conn(id int) *connTrace {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.named(fmt.Sprintf("conn %d", id))
	t.conns = append(t.conns, c)
	return c
}

// named returns a trace whose lines are shown under a name. Called with the lock.
func (t *tracer) named(name string) *connTrace {
	c := &connTrace{tracer: t}
	if t.lines != nil {
		c.sent.line = func(line string) { t.lines(name+" sent", line) }
		c.got.line = func(line string) { t.lines(name+" got", line) }
	}
	return c
}

func (c *connTrace) down(p []byte) {
	if c != nil {
		c.tracer.record(&c.got, p)
	}
}

func (c *connTrace) up(p []byte) {
	if c != nil {
		c.tracer.record(&c.sent, p)
	}
}

func (t *tracer) record(s *sequence, p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.sealed {
		s.add(time.Now(), p)
	}
}

// seal ends the trace: what follows is the end of the run, in whatever order.
func (t *tracer) seal() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sealed = true
}

// sum is the hash of the run.
func (t *tracer) sum() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := sha256.New()
	for _, c := range t.conns {
		h.Write(c.sent.sum())
		h.Write(c.got.sum())
	}
	h.Write(t.machine.sum())
	for _, s := range t.handlers {
		h.Write(s.sum())
	}
	return hex.EncodeToString(h.Sum(nil))
}
