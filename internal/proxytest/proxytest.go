// Package proxytest has proxies for tests: an HTTP proxy with CONNECT, on net/http, and a SOCKS5 server (RFC 1928, RFC 1929), both with a password if
// wanted, on loopback.
package proxytest

import (
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// Tunnels are pairs of connections that are copied into each other.
type Tunnels struct {
	mu    sync.Mutex
	open  map[net.Conn]bool
	count int
	work  sync.WaitGroup
}

func (n *Tunnels) join(a, b net.Conn) {
	n.mu.Lock()
	if n.open == nil {
		n.open = map[net.Conn]bool{}
	}
	n.open[a], n.open[b] = true, true
	n.count++
	n.mu.Unlock()
	for from, to := range map[net.Conn]net.Conn{a: b, b: a} {
		n.work.Go(func() {
			_, _ = io.Copy(to, from) // ends when either is closed
			to.Close()
			from.Close()
		})
	}
}

// Cut ends all of them at once.
func (n *Tunnels) Cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.open {
		c.Close()
		delete(n.open, c)
	}
}

// Total is how many there have been.
func (n *Tunnels) Total() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.count
}

// Connect is net/http's server with CONNECT.
type Connect struct {
	listener net.Listener
	Tunnels  *Tunnels
	mu       sync.Mutex
	seen     []string
}

// StartConnect starts one that ends with the test; an empty user lets anybody through.
func StartConnect(t testing.TB, user, password string) *Connect {
	t.Helper()
	p := &Connect{listener: listen(t), Tunnels: &Tunnels{}}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.seen = append(p.seen, fmt.Sprintf("%s %s %v", r.Method, r.RequestURI, r.Header))
		p.mu.Unlock()
		if user != "" && r.Header.Get("Proxy-Authorization") != want {
			w.Header().Set("Proxy-Authenticate", `Basic realm="conformance"`)
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		upstream, err := net.Dial("tcp", r.RequestURI)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		client, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			upstream.Close()
			return
		}
		fmt.Fprint(client, "HTTP/1.1 200 Connection established\r\n\r\n")
		p.Tunnels.join(client, upstream)
	})}
	serve(t, server, p.listener, p.Tunnels)
	return p
}

// Addr is host:port.
func (p *Connect) Addr() string { return p.listener.Addr().String() }

// Requests are what the proxy was asked: method, target, header.
func (p *Connect) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// serve ends the server with the test. What was registered later, the follower, has ended before.
func serve(t testing.TB, server *http.Server, l net.Listener, open *Tunnels) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // http.ErrServerClosed
	}()
	t.Cleanup(func() {
		server.Close()
		<-done
		open.Cut()
		open.work.Wait()
	})
}
