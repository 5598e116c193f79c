package rest

import (
	"sync"
	"time"
)

// pool holds every connection of a client, and which of them wait for a request.
type pool struct {
	maxIdle  int           // negative or zero: none is kept
	patience time.Duration // negative: none is kept

	mu     sync.Mutex
	closed bool
	open   map[*conn]struct{}
	idle   []*conn // the most recently used last
}

func (p *pool) size() (open, idle int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open), len(p.idle)
}

// add remembers a new connection; false if the pool has been closed.
func (p *pool) add(cn *conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	if p.open == nil {
		p.open = make(map[*conn]struct{})
	}
	p.open[cn] = struct{}{}
	return true
}

// remove forgets a connection that was shut.
func (p *pool) remove(cn *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, cn)
	p.unidle(cn)
}

// unidle takes a connection off the idle list; false if it was not there. Called with the lock held.
func (p *pool) unidle(cn *conn) bool {
	for i, x := range p.idle {
		if x == cn {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			return true
		}
	}
	return false
}

// take returns the most recently used idle connection of a key, or nil. The most recent one is the least likely to have been closed by the peer.
func (p *pool) take(key string) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.idle) - 1; i >= 0; i-- {
		if cn := p.idle[i]; cn.pool == key {
			p.unidle(cn)
			if cn.expiry != nil {
				cn.expiry.Stop() // if it has fired, it finds the connection gone from the list
			}
			return cn
		}
	}
	return nil
}

// put keeps a connection for the next request; expired is called if none comes. It returns the connection that must be shut to make room, which may
// be the one given, or nil.
func (p *pool) put(cn *conn, expired func(*conn)) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.maxIdle <= 0 || p.patience < 0 {
		return cn
	}
	cn.expiry = time.AfterFunc(p.patience, func() {
		if p.expire(cn) {
			expired(cn)
		}
	})
	p.idle = append(p.idle, cn)
	if len(p.idle) <= p.maxIdle {
		return nil
	}
	oldest := p.idle[0]
	p.unidle(oldest)
	oldest.expiry.Stop()
	return oldest
}

// expire claims an idle connection for its end.
func (p *pool) expire(cn *conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unidle(cn)
}

// close returns every connection and lets in no more.
func (p *pool) close() (open []*conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, cn := range p.idle {
		cn.expiry.Stop()
	}
	p.idle = nil
	for cn := range p.open {
		open = append(open, cn)
	}
	return open
}
