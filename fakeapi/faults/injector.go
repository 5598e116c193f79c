package faults

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// Injector does faults to one server. All methods are safe for concurrent use.
type Injector struct {
	server *fakeapi.Server

	mu     sync.Mutex
	active []*Injection // in the order of Inject
	conns  map[*conn]struct{}
	backup *fakeapi.Snapshot
	dead   int           // how many faults keep the server down
	frozen chan struct{} // closed when the server thaws; nil: it is not frozen
}

// New prepares a server for faults. It has to be called before the server's
// first connection, and once for each server.
func New(server *fakeapi.Server) *Injector {
	i := &Injector{server: server, conns: make(map[*conn]struct{}), backup: server.Snapshot()}
	server.WrapConns(i.wrap)
	server.Use(i.middleware)
	server.Intercept(intercept)
	server.RewriteEvents(rewrite)
	return i
}

// Server returns the server.
func (i *Injector) Server() *fakeapi.Server { return i.server }

// Remember takes the snapshot that the fault "etcd-restored" goes back to; New
// has taken one already.
func (i *Injector) Remember() {
	snap := i.server.Snapshot()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.backup = snap
}

// Inject lets a fault happen. When several match a request, an event or a dial,
// the one injected first does.
func (i *Injector) Inject(f *Fault, w When) *Injection {
	n := &Injection{Fault: f, injector: i, when: w, started: time.Now(), ended: make(chan struct{})}
	if n.when.On == 0 {
		n.when.On = f.On
	}
	i.mu.Lock()
	i.active = append(i.active, n)
	i.mu.Unlock()
	if f.begin != nil {
		n.hit()
		n.setEnd(f.begin(n))
	}
	if w.For > 0 {
		n.expire(w.For)
	}
	return n
}

// Dial is the server's Dial with the faults at dialling; other faults do not
// need it.
func (i *Injector) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return i.Dialer(i.server.Dial)(ctx, network, addr)
}

// Dialer is another way to dial with the faults at dialling, for a server that
// is reached through a network.
func (i *Injector) Dialer(dial func(ctx context.Context, network, addr string) (net.Conn, error)) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		d := &dialing{ctx: ctx, network: network, addr: addr}
		if n := i.find(func(n *Injection) bool { return n.dial != nil && n.take(n.count()) }); n != nil {
			if err := n.dial(n, d); err != nil {
				return nil, err
			}
		}
		return dial(ctx, network, addr)
	}
}

type dialing struct {
	ctx           context.Context
	network, addr string
}

// Handle does what faults at handlers do: wait, or panic. A test calls it at
// the beginning of the handler under test.
func (i *Injector) Handle() {
	if n := i.find(func(n *Injection) bool { return n.handle != nil && n.take(n.count()) }); n != nil {
		n.handle(n)
	}
}

// find returns the first active injection that wants what there is to do.
func (i *Injector) find(wants func(*Injection) bool) *Injection {
	i.mu.Lock()
	active := slices.Clone(i.active)
	i.mu.Unlock()
	for _, n := range active {
		if wants(n) {
			return n
		}
	}
	return nil
}

func (i *Injector) remove(n *Injection) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.active = slices.DeleteFunc(i.active, func(other *Injection) bool { return other == n })
}

// middleware decides, once for each request, which fault happens to it.
func (i *Injector) middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{w: w, kind: kindOf(r), of: i, server: i.server}
		x.r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
		x.fault = i.find(func(n *Injection) bool { return n.wants(x) })
		switch n := x.fault; {
		case n != nil && n.alter != nil:
			x.arm(nil)
			n.alter(x, next)
			return
		case n != nil && n.wire != nil:
			x.arm(n.wire(x))
		default:
			x.arm(nil) // of the answer before
		}
		next.ServeHTTP(w, x.r)
	})
}

// intercept answers in the server's place, where its log knows of the request.
func intercept(w http.ResponseWriter, r *http.Request) bool {
	x, _ := r.Context().Value(exchangeKey{}).(*exchange)
	if x == nil || x.fault == nil || x.fault.answer == nil {
		return false
	}
	x.w, x.r = w, r
	x.fault.answer(x)
	return true
}

// rewrite lets faults at events happen. They are looked for anew at each event,
// so that a fault may begin in the middle of a watch.
func rewrite(r *http.Request, e fakeapi.Event) []fakeapi.Event {
	x, _ := r.Context().Value(exchangeKey{}).(*exchange)
	if x == nil {
		return []fakeapi.Event{e}
	}
	number := x.events
	x.events++
	n := x.of.find(func(n *Injection) bool { return n.event != nil && n.matches(x) && n.fits(e) && n.take(number) })
	if n == nil {
		return []fakeapi.Event{e}
	}
	return n.event(x, e)
}
