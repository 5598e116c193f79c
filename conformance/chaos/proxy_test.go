package chaos

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// proxy is the network between the informers and the server. It passes the
// bytes on in slices of random size, holds a connection back for a while, and
// cuts them; healed, it only passes them on.
type proxy struct {
	listener net.Listener
	target   string
	healed   chan struct{}

	mu     sync.Mutex
	random *rand.Rand
	conns  map[net.Conn]bool
	wait   sync.WaitGroup

	accepted, cuts, stalls, slices atomic.Int64
}

func newProxy(t *testing.T, target string, seed uint64) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{listener: l, target: target, healed: make(chan struct{}), random: rand.New(rand.NewPCG(seed, 1)), conns: map[net.Conn]bool{}}
	p.wait.Go(p.serve)
	return p
}

func (p *proxy) url() string { return "https://" + p.listener.Addr().String() }

func (p *proxy) close() {
	p.listener.Close()
	p.cut(1)
	p.wait.Wait()
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			client.Close()
			continue
		}
		p.accepted.Add(1)
		p.mu.Lock()
		p.conns[client], p.conns[server] = true, true
		p.mu.Unlock()
		p.wait.Go(func() { p.pass(client, server) })
		p.wait.Go(func() { p.pass(server, client) })
	}
}

// pass moves bytes until one of the two ends.
func (p *proxy) pass(to, from net.Conn) {
	defer p.forget(to, from)
	buffer := make([]byte, 16<<10)
	for {
		n, err := from.Read(buffer)
		for rest := buffer[:n]; len(rest) > 0; {
			size, pause := p.plan(len(rest))
			if pause > 0 {
				select {
				case <-time.After(pause):
				case <-p.healed:
				}
			}
			if _, err := to.Write(rest[:size]); err != nil {
				return
			}
			rest = rest[size:]
		}
		if err != nil {
			return
		}
	}
}

func (p *proxy) forget(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		c.Close()
		delete(p.conns, c)
	}
}

// plan says how many bytes go on, and after which pause.
func (p *proxy) plan(n int) (size int, pause time.Duration) {
	select {
	case <-p.healed:
		return n, 0
	default:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slices.Add(1)
	size = 1 + p.random.IntN(n)
	switch p.random.IntN(2000) {
	case 0: // a stall
		p.stalls.Add(1)
		pause = time.Duration(p.random.Int64N(int64(20 * time.Second)))
	case 1, 2, 3, 4, 5, 6, 7, 8, 9, 10:
		pause = time.Duration(p.random.Int64N(int64(50 * time.Millisecond)))
	}
	return size, pause
}

// cut resets or closes each connection with this probability.
func (p *proxy) cut(probability float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		if p.random.Float64() >= probability {
			continue
		}
		if tcp, ok := conn.(*net.TCPConn); ok && p.random.IntN(2) == 0 {
			_ = tcp.SetLinger(0) // RST in place of FIN
		}
		conn.Close()
		p.cuts.Add(1)
	}
}

func (p *proxy) heal() { close(p.healed) }

func (p *proxy) String() string {
	return fmt.Sprintf("%d connections, %d ends of them cut, %d stalls, %d slices", p.accepted.Load(), p.cuts.Load(), p.stalls.Load(), p.slices.Load())
}
