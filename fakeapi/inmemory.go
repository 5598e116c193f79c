package fakeapi

import (
	"context"
	"net"
	"os"
	"sync"
	"syscall"
)

// inMemory is a stand-in for internal/memnet until that exists.
type inMemory struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newInMemory() *inMemory {
	return &inMemory{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (n *inMemory) Listen() net.Listener { return n }
func (n *inMemory) Close() error         { n.once.Do(func() { close(n.done) }); return nil }
func (n *inMemory) Addr() net.Addr       { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8001} }

func (n *inMemory) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

func (n *inMemory) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case n.conns <- server:
		return client, nil
	case <-n.done:
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
