package sim

import (
	"context"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/rawwatch/rawwatch/internal/memnet"
)

// Network is what lies between client and server. All methods may be called from any goroutine.
type Network struct {
	wire    *memnet.Network
	latency time.Duration // of each delivery; zero is none
	pace    int           // the most bytes of a delivery
	trace   *tracer
	tls     bool // connections are traced where they are not encrypted

	mu       sync.Mutex
	conns    []*conn
	accepted []*serverConn
	total    int64 // bytes delivered to the client
	plain    int64 // bytes written by the server, before encryption
	armed    []Fault
	fired    []Fired
	open     int
	dials    int
	refuse   bool
	refusals int
}

func newNetwork(o *Options, trace *tracer) *Network {
	return &Network{wire: memnet.New(), latency: o.Latency, pace: o.Pace, trace: trace, tls: o.TLS}
}

// Inject arms a fault. Where its place has been passed already, it happens with the next byte.
func (n *Network) Inject(faults ...Fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, f := range faults {
		n.armed = append(n.armed, f.withDefaults())
	}
}

// Disarm forgets the faults that have not happened, and returns how many they were.
func (n *Network) Disarm() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	left := len(n.armed)
	n.armed = nil
	return left
}

// Now lets a fault happen to every open connection.
func (n *Network) Now(kind FaultKind) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.conns {
		if !c.closed && c.end == nil && !c.stalled && c.id <= len(n.accepted) {
			c.suffer(Fault{Kind: kind, Conn: c.id, At: c.delivered}.withDefaults())
			c.interrupt()
		}
	}
}

// Refuse lets the network refuse connections, or not any more.
func (n *Network) Refuse(refuse bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refuse = refuse
}

// Fired returns the faults that have happened.
func (n *Network) Fired() []Fired {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.fired)
}

// Delivered returns how many bytes of the server's the client has received, over all connections.
func (n *Network) Delivered() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.total
}

// Written returns how many bytes the server has written, before encryption.
func (n *Network) Written() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.plain
}

// Dials returns how many connections were asked for, and Open how many the client has not closed.
func (n *Network) Dials() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dials
}

// Open returns how many connections the client has not closed.
func (n *Network) Open() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.open
}

// Dial is a rest.Config.Dial.
func (n *Network) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dials++
	if n.refuse {
		n.refusals++
		return nil, &net.OpError{Op: "dial", Net: network, Addr: memnet.Addr(addr), Err: syscall.ECONNREFUSED}
	}
	raw, err := n.wire.Dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c := &conn{network: n, Conn: raw.(*memnet.Conn), id: len(n.conns) + 1}
	n.conns = append(n.conns, c)
	n.open++
	if !n.tls {
		c.trace = n.trace.conn(c.id)
	}
	return c, nil
}

// Refusals returns how many connections were refused.
func (n *Network) Refusals() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.refusals
}

// room returns how many bytes a connection may receive before the next fault. Called with the lock.
func (n *Network) room(c *conn) int64 {
	room := int64(1) << 62
	for i := range n.armed {
		if f := &n.armed[i]; f.Kind != CloseNotify {
			if at, mine := n.place(f, c); mine {
				room = min(room, max(at, 0))
			}
		}
	}
	return room
}

// place returns how far a connection is from a fault, if it can meet it.
func (n *Network) place(f *Fault, c *conn) (int64, bool) {
	switch f.Conn {
	case 0:
		return f.At - n.total, true
	case c.id:
		return f.At - c.delivered, true
	}
	return 0, false
}

// strike lets the faults happen whose place a connection has reached. Called with the lock.
func (n *Network) strike(c *conn) {
	for i := 0; i < len(n.armed); {
		f := n.armed[i]
		if at, mine := n.place(&f, c); !mine || at > 0 || f.Kind == CloseNotify || c.end != nil || c.stalled {
			i++
			continue
		}
		n.armed = slices.Delete(n.armed, i, i+1)
		c.suffer(f)
	}
}
