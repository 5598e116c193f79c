package rest

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// longAgo ends every wait that is under way and every later one.
var longAgo = time.Unix(1, 0)

// deadline is the only place that sets a connection's deadlines. Cancelling and re-arming share its lock and its flag: once ended, no deadline is
// set into the future, so a cancel that falls between any two steps of a reader still ends the reader's next wait.
type deadline struct {
	conn net.Conn // the lowest connection: TLS above it inherits its deadlines

	ended atomic.Bool // written under mu
	mu    sync.Mutex
	// idle is the patience of each read of a body; zero or less is none. waiting is when the read that is under way began.
	idle    time.Duration
	inBody  bool
	waiting time.Time
}

// phase bounds everything up to the next call: dial, handshake, head. d <= 0 is no limit.
func (d *deadline) phase(limit time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inBody = false
	d.set(limit, time.Now())
}

// body begins the reads of a body, each bounded by idle.
func (d *deadline) body(idle time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inBody, d.idle, d.waiting = true, idle, time.Time{}
	d.set(0, time.Time{})
}

// arm is called before each read.
func (d *deadline) arm() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.inBody && d.idle > 0 {
		d.waiting = time.Now()
		d.set(d.idle, d.waiting)
	}
}

// setIdle changes the patience of a read that is under way, too.
func (d *deadline) setIdle(idle time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.inBody {
		return
	}
	d.idle = idle
	if d.waiting.IsZero() {
		d.waiting = time.Now()
	}
	d.set(idle, d.waiting)
}

// set is called with the lock held.
func (d *deadline) set(limit time.Duration, from time.Time) {
	if d.ended.Load() {
		return
	}
	var t time.Time
	if limit > 0 {
		t = from.Add(limit)
	}
	if err := d.conn.SetDeadline(t); err != nil && limit > 0 {
		d.endLocked() // a connection that keeps no deadline could hang for ever
	}
}

// end makes every wait return, now and later.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.endLocked()
}

func (d *deadline) endLocked() {
	d.ended.Store(true)
	if err := d.conn.SetDeadline(longAgo); err != nil {
		d.conn.Close()
	}
}

// watch ties the connection to ctx until release is called. release reports whether ctx had not ended the connection; after it no goroutine is left.
func (d *deadline) watch(ctx context.Context) (release func() bool) {
	fired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(fired)
		d.end()
	})
	return func() bool {
		if stop() {
			return true
		}
		<-fired
		return false
	}
}
