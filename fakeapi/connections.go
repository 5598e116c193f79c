package fakeapi

import (
	"net"
	"net/http"
	"sync"
)

// connections are those of the server's own listeners, hijacked ones
// included, so that they can be cut and waited for.
type connections struct {
	mu     sync.Mutex
	open   map[net.Conn]bool // true: taken over by an interceptor
	serves sync.WaitGroup
}

// track is an http.Server.ConnState hook. StateHijacked and StateClosed are
// the last thing a connection's goroutine reports.
func (c *connections) track(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		if c.open == nil {
			c.open = make(map[net.Conn]bool)
		}
		c.open[conn] = false
		c.serves.Add(1)
	case http.StateHijacked:
		c.open[conn] = true
		c.serves.Done()
	case http.StateClosed:
		delete(c.open, conn)
		c.serves.Done()
	}
}

func (c *connections) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn, hijacked := range c.open {
		conn.Close()
		if hijacked {
			delete(c.open, conn)
		}
	}
}

func (c *connections) wait() { c.serves.Wait() }
