package follow

import (
	"context"
	"net"
	"os"
	"sync"
	"syscall"
)

// gate is the network between the informers and the server: shut, it refuses
// new connections and cuts those that are open.
type gate struct {
	mu    sync.Mutex
	shut  bool
	conns map[net.Conn]bool
}

func newGate() *gate { return &gate{conns: map[net.Conn]bool{}} }

func (g *gate) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		conn.Close()
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	g.conns[conn] = true
	return gated{conn, g}, nil
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
	for conn := range g.conns {
		conn.Close()
	}
	clear(g.conns)
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = false
}

type gated struct {
	net.Conn
	gate *gate
}

func (c gated) Close() error {
	c.gate.mu.Lock()
	delete(c.gate.conns, c.Conn)
	c.gate.mu.Unlock()
	return c.Conn.Close()
}
