// Package memnet is a buffered network in memory for tests and for servers that live in the same process.
//
// It starts no goroutine, and whoever waits in it waits on a channel or a timer of its own making and holds no lock: in a testing/synctest bubble
// every wait is durably blocking. Its connections behave like TCP ones where a client can tell the difference: a write does not wait for its reader,
// a half may be closed, a peer may reset, deadlines may be moved under a call that waits.
package memnet

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"syscall"
)

// Network connects Dial to Listen. Its fields are set before the first Dial; everything else may be used from several goroutines.
type Network struct {
	// Wrap, if set, stands around the client's side of each new connection: what it returns is what Dial returns.
	Wrap func(net.Conn) net.Conn

	// BufferSize bounds the bytes on their way in each direction of a new connection; a writer waits for room. Zero is no bound.
	BufferSize int

	mu        sync.Mutex
	listeners []*listener
	pending   []*Conn // dialled, not accepted yet
	dials     int
	wake      chan struct{} // closed when pending or listeners changed; nil while nobody waits
}

// New returns a network on which nobody listens yet.
func New() *Network { return new(Network) }

// Listen returns a listener for the connections that Dial makes. Several listeners share them. When the last one is closed, connections that
// nobody accepted are reset and Dial is refused, until the next Listen.
func (n *Network) Listen() net.Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &listener{network: n}
	n.listeners = append(n.listeners, l)
	return l
}

// Dial connects to the network's listener, whatever network and addr say; addr is the RemoteAddr of the connection. It never waits: like TCP's
// backlog, the network holds connections until they are accepted. Without a listener it is refused (syscall.ECONNREFUSED); a context that
// has ended is its error. Both come inside a *net.OpError.
func (n *Network) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, dialError(addr, err)
	}
	client, err := n.connect(addr)
	if err != nil {
		return nil, dialError(addr, err)
	}
	if n.Wrap != nil {
		return n.Wrap(client), nil
	}
	return client, nil
}

func dialError(addr string, err error) error {
	return &net.OpError{Op: "dial", Net: networkName, Addr: Addr(addr), Err: err}
}

func (n *Network) connect(addr string) (*Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.listeners) == 0 {
		return nil, syscall.ECONNREFUSED
	}
	n.dials++
	client, server := newPair(Addr(fmt.Sprintf("client-%d", n.dials)), Addr(addr), n.BufferSize)
	n.pending = append(n.pending, server)
	broadcast(&n.wake)
	return client, nil
}

type listener struct {
	network *Network
	closed  bool // guarded by network.mu
}

// Accept waits for the next connection. After Close it is net.ErrClosed.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, wait, err := l.next()
		if conn != nil {
			return conn, nil
		}
		if err != nil {
			return nil, &net.OpError{Op: "accept", Net: networkName, Addr: l.Addr(), Err: err}
		}
		<-wait
	}
}

func (l *listener) next() (*Conn, <-chan struct{}, error) {
	n := l.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if l.closed {
		return nil, nil, net.ErrClosed
	}
	if len(n.pending) == 0 {
		return nil, waiter(&n.wake), nil
	}
	conn := n.pending[0]
	n.pending = slices.Delete(n.pending, 0, 1)
	return conn, nil, nil
}

func (l *listener) Close() error {
	n := l.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if l.closed {
		return &net.OpError{Op: "close", Net: networkName, Addr: l.Addr(), Err: net.ErrClosed}
	}
	l.closed = true
	n.listeners = slices.DeleteFunc(n.listeners, func(other *listener) bool { return other == l })
	if len(n.listeners) == 0 {
		for _, conn := range n.pending {
			conn.Reset()
		}
		n.pending = nil
	}
	broadcast(&n.wake)
	return nil
}

func (l *listener) Addr() net.Addr { return Addr("listener") }

const networkName = "memnet"

// Addr is the address of one end: free text.
type Addr string

func (Addr) Network() string  { return networkName }
func (a Addr) String() string { return string(a) }

// waiter returns the channel that the next broadcast closes. Called with the lock that guards wake; the channel is made by who is going to wait,
// so that it belongs to the waiter's synctest bubble.
func waiter(wake *chan struct{}) <-chan struct{} {
	if *wake == nil {
		*wake = make(chan struct{})
	}
	return *wake
}

// broadcast wakes all who wait. Called with the lock that guards wake.
func broadcast(wake *chan struct{}) {
	if *wake != nil {
		close(*wake)
		*wake = nil
	}
}
