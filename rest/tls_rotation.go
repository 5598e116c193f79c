package rest

import (
	"io"
	"math"
	"time"
)

// errRotated is why a connection of older certificates ends.
var errRotated error = rotatedError{}

type rotatedError struct{}

func (rotatedError) Error() string { return "certificates or authorities were rotated" }

// Unwrap makes it a cut like any other: what was being read is not whole.
func (rotatedError) Unwrap() error { return io.ErrUnexpectedEOF }

// keepLooking reads the files of certificates again and again while the connection is open. No goroutine waits: a timer starts each look.
func (cn *conn) keepLooking(c *Client) {
	if c.cfg.ReloadInterval < 0 || c.cfg.CAFile == "" && c.cfg.CertFile == "" && c.cfg.Credentials == nil {
		return
	}
	cn.looking = time.AfterFunc(math.MaxInt64, func() {
		if !cn.ended.Load() && cn.look(c) {
			cn.looking.Reset(c.cfg.ReloadInterval)
		}
	})
	cn.looking.Reset(c.cfg.ReloadInterval) // not before looking has been set
}

// look is false when it ended the connection. A request under way has until the next look to end by itself.
func (cn *conn) look(c *Client) bool {
	made := cn.made.Load()
	switch {
	case made == nil || made == c.tls.config():
	case c.pool.expire(cn):
		cn.shut(traces{c.cfg.Trace}, SideLocal, errRotated.Error())
		return false
	case cn.retired.Swap(true):
		cn.limits.end() // whoever reads finds errRotated
		return false
	}
	return true
}

// outdated reports whether a connection was made with another configuration than the one in force.
func (c *Client) outdated(cn *conn) bool {
	made := cn.made.Load()
	return made != nil && made != c.tls.current()
}
