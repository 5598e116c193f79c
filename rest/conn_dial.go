package rest

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"
)

// dialFunc is Config.Dial.
type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// netDial is the dialler of a Config without one.
func netDial(keepAlive time.Duration) dialFunc {
	d := &net.Dialer{KeepAlive: keepAlive}
	if keepAlive > 0 {
		d.KeepAliveConfig = net.KeepAliveConfig{Enable: true, Idle: keepAlive, Interval: keepAlive}
	}
	return d.DialContext
}

// connect makes a connection that is ready for requests: dialled, through the proxy's tunnel, with TLS. It is watched by ctx from its first moment on.
func (c *Client) connect(ctx context.Context, proxy *url.URL, t traces) (*conn, error) {
	cn := &conn{id: c.count.dials.Add(1), server: c.origin.addr(), dialed: c.origin.addr(), pool: proxyKey(proxy), born: time.Now(), trace: traces{c.cfg.Trace}, onShut: c.forget}
	cn.limits = new(deadline)
	if proxy != nil {
		cn.dialed = proxyAddr(proxy)
	}
	if err := cn.dial(ctx, c, proxy, t); err != nil {
		c.count.failed.Add(1)
		return nil, err
	}
	cn.watched = cn.limits.watch(ctx)
	cn.keepLooking(c)
	if !c.pool.add(cn) {
		cn.release()
		cn.shut(t, SideLocal, errClientClosed.Error())
		return nil, &Error{Phase: PhaseDial, Addr: cn.server, Err: errClientClosed}
	}
	if err := cn.establish(ctx, c, proxy, t); err != nil {
		c.count.failed.Add(1)
		failed, side := cn.failure(ctx, err)
		cn.release()
		cn.shut(t, side, failed.Error())
		return nil, failed
	}
	return cn, nil
}

// dial makes the connection itself.
func (cn *conn) dial(ctx context.Context, c *Client, proxy *url.URL, t traces) error {
	if t.any() {
		t.dialStart(DialStart{Conn: cn.id, Time: cn.born, Addr: cn.dialed, Proxy: proxyKey(proxy), Target: cn.server})
	}
	limited, cancel := context.WithCancel(ctx)
	if c.cfg.DialTimeout > 0 {
		limited, cancel = context.WithTimeout(ctx, c.cfg.DialTimeout)
	}
	stop := context.AfterFunc(c.life, cancel)
	raw, err := c.dialFunc(limited, c.origin.network(proxy), cn.dialed)
	timedOut := errors.Is(limited.Err(), context.DeadlineExceeded)
	stop()
	cancel()
	if err == nil && raw == nil {
		err = errors.New("Config.Dial returned no connection")
	}
	if err != nil {
		if c.life.Err() != nil {
			err = errClientClosed
		}
		err = dialError(ctx, cn.dialed, timedOut, c.cfg.DialTimeout, err)
	} else if c.strays(raw) {
		_ = raw.Close() // nothing was written
		err = refuseCleartext(c.origin.host)
	}
	if t.any() {
		done := DialDone{Conn: cn.id, Time: time.Now(), Duration: time.Since(cn.born), Err: err}
		if err == nil {
			done.LocalAddr, done.RemoteAddr = fmt.Sprint(raw.LocalAddr()), fmt.Sprint(raw.RemoteAddr())
		}
		t.dialDone(done)
	}
	if err != nil {
		return err
	}
	cn.raw, cn.http, cn.limits.conn = raw, raw, raw
	cn.br = bufio.NewReaderSize(cn, readBuffer)
	return nil
}

// strays reports whether credentials would leave the machine in the clear: localhost and names below it are whatever the resolver says, and it may ask
// the network. Config.Dial knows where it leads; a proxy is not told any.
func (c *Client) strays(raw net.Conn) bool {
	if c.origin.scheme != "http" || c.cfg.Dial != nil || c.cfg.AllowTokenOverHTTP || !c.hasCredentials() {
		return false
	}
	to, ok := raw.RemoteAddr().(*net.TCPAddr)
	return ok && !to.IP.IsLoopback()
}

// dialError sorts what a dialler returns.
func dialError(ctx context.Context, addr string, timedOut bool, limit time.Duration, err error) error {
	e := &Error{Phase: PhaseDial, Addr: addr, Err: err}
	switch {
	case ctx.Err() != nil:
		e.Err = contextError(ctx)
	case timedOut:
		e.Rule, e.timeout = fmt.Sprintf("no connection within %v", limit), true
	default:
		if _, ok := errors.AsType[*net.DNSError](err); ok {
			e.Phase = PhaseResolve
		}
	}
	return e
}

// establish opens the tunnel and shakes hands.
func (cn *conn) establish(ctx context.Context, c *Client, proxy *url.URL, t traces) error {
	if proxy != nil {
		if proxy.Scheme == "https" {
			if err := cn.secure(c.tls.forProxy(proxy.Hostname()), c.cfg.TLSTimeout, true, t); err != nil {
				return err
			}
		}
		cn.limits.phase(c.cfg.DialTimeout)
		if isSOCKS(proxy) {
			if err := cn.socks(c, proxy); err != nil {
				return err
			}
		} else if err := cn.tunnel(c, proxy, t); err != nil {
			return err
		}
	}
	if c.origin.scheme == "https" {
		cfg := c.tls.config()
		cn.made.Store(cfg)
		if err := cn.secure(cfg, c.cfg.TLSTimeout, false, t); err != nil {
			return err
		}
	}
	cn.read.Store(0)
	cn.written.Store(0)
	return nil
}

// secure shakes hands over what is there.
func (cn *conn) secure(cfg *tls.Config, limit time.Duration, proxy bool, t traces) error {
	start := time.Now()
	cn.limits.phase(limit)
	transport := &tlsTransport{Conn: cn.http}
	tc := tls.Client(transport, cfg)
	if err := tc.Handshake(); err != nil {
		e := &Error{Phase: PhaseTLS, Addr: cn.server, Err: err, limit: limit}
		if proxy {
			e.Addr = cn.dialed
		}
		return e
	}
	cn.http, cn.transport = tc, transport
	if t.any() {
		s := tc.ConnectionState()
		t.tls(TLSDone{
			Conn: cn.id, Time: time.Now(), Duration: time.Since(start), Proxy: proxy, Version: tls.VersionName(s.Version),
			Cipher: s.CipherSuite, ALPN: s.NegotiatedProtocol, ServerName: s.ServerName, Resumed: s.DidResume, Peer: s.PeerCertificates,
		})
	}
	return nil
}
