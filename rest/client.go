package rest

import (
	"context"
	"crypto/tls"
	"net/url"

	"golang.org/x/net/http/httpguts"
)

// Client talks to one API server. It is safe for use by several goroutines. Close it when done.
type Client struct {
	// What holds a secret is behind a pointer of its own: fmt follows one pointer of a struct that holds a Client in an unexported field, where it does
	// not ask Format (%s of a pointer), and stops at the next.
	cfg  *Config
	acts *Header // Impersonate-* fields

	origin   origin
	tls      *tlsSource
	dialFunc dialFunc
	pool     pool
	count    counters

	life context.Context // ends with Close, and dials with it
	die  context.CancelFunc
}

// NewClient checks the configuration, reads its files and returns a client. It does not connect. Errors are *Error of PhaseConfig.
func NewClient(c Config) (*Client, error) {
	c = c.withDefaults()
	o, err := parseOrigin(c.Server)
	if err != nil {
		return nil, err
	}
	if !httpguts.ValidHeaderFieldValue(c.UserAgent) {
		return nil, configError("a control character in UserAgent", nil)
	}
	acts, rule := c.Impersonate.header()
	if rule != "" {
		return nil, configError("Impersonate: "+rule, nil)
	}
	client := &Client{cfg: &c, origin: o, acts: &acts, dialFunc: c.Dial, pool: pool{maxIdle: c.MaxIdleConns, patience: c.IdleConnTimeout}}
	client.life, client.die = context.WithCancel(context.Background())
	if client.dialFunc == nil {
		client.dialFunc = netDial(c.KeepAlive)
	}
	if o.scheme == "http" && !o.loopback() && client.hasCredentials() && !c.AllowTokenOverHTTP {
		return nil, refuseCleartext(o.host)
	}
	if client.tls, err = newTLSSource(client.cfg, o.host); err != nil {
		return nil, err
	}
	return client, nil
}

// Origin returns scheme://host of the server, with the port if one was given, without a path prefix.
func (c *Client) Origin() string { return c.origin.String() }

// Do sends one request and returns the head of a 2xx response with its body unread. ctx governs the body too, until it has been closed or read to its end.
//
// A non-2xx response is a *status.Error, a 3xx a *RedirectError; failures below that are an *Error. After a 401 Config.TokenRejected has been told.
//
// A GET, HEAD or OPTIONS on a kept connection that turned out dead before any byte of a response is sent once more on a new one (RFC 9112 9.3.1).
// PUT and DELETE are idempotent to HTTP, not to Kubernetes: the second one may meet another object of the same name. They are sent again only if
// nothing of them was written.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	w, err := c.prepare(&r)
	if err != nil {
		return nil, err
	}
	proxy, err := c.proxyFor(w.path)
	if err != nil {
		return nil, err
	}
	credentials, err := c.authorize(ctx, proxy)
	if err != nil {
		return nil, err
	}
	c.count.requests.Add(1)
	for again := false; ; again = true {
		x, err := c.begin(ctx, w, proxy, credentials.certificate, again)
		if err != nil {
			return nil, err
		}
		response, err := x.run(credentials)
		if again || !x.retry {
			return response, err
		}
		c.count.retries.Add(1)
	}
}

// begin finds a connection for a request: a kept one that is still quiet, or, always for a second attempt, a new one.
func (c *Client) begin(ctx context.Context, w *wireRequest, proxy *url.URL, cert *tls.Certificate, fresh bool) (*exchange, error) {
	if ctx.Err() != nil {
		return nil, &Error{Phase: PhaseDial, Addr: c.origin.addr(), Err: contextError(ctx)}
	}
	c.tls.use(cert)
	for !fresh {
		cn := c.pool.take(proxyKey(proxy))
		if cn == nil {
			break
		}
		if c.outdated(cn) {
			cn.shut(w.traces, SideLocal, errRotated.Error())
			continue
		}
		if cn.quiet() {
			c.count.reused.Add(1)
			cn.begin(ctx)
			return &exchange{client: c, ctx: ctx, w: w, cn: cn, reused: true}, nil
		}
		c.count.stale.Add(1)
		cn.shut(w.traces, SidePeerFIN, "closed by the peer, or bytes nobody asked for, while unused")
	}
	cn, err := c.connect(ctx, proxy, w.traces)
	if err != nil {
		return nil, err
	}
	cn.begin(ctx)
	return &exchange{client: c, ctx: ctx, w: w, cn: cn}, nil
}

// forget is called by a connection that was shut.
func (c *Client) forget(cn *conn) {
	c.count.closed.Add(1)
	c.pool.remove(cn)
}

// keep puts a connection back after a complete exchange.
func (c *Client) keep(cn *conn) {
	cn.limits.phase(0)
	if c.outdated(cn) {
		cn.shut(traces{c.cfg.Trace}, SideLocal, errRotated.Error())
		return
	}
	full := c.pool.put(cn, func(cn *conn) { cn.shut(traces{c.cfg.Trace}, SideLocal, "unused for "+c.cfg.IdleConnTimeout.String()) })
	if full != nil {
		full.shut(traces{c.cfg.Trace}, SideLocal, "enough unused connections are kept")
	}
}

// Close closes every connection, those in use too, and makes further calls of Do fail. It returns nil.
func (c *Client) Close() error {
	c.die()
	for _, cn := range c.pool.close() {
		cn.limits.end()
		cn.shut(traces{c.cfg.Trace}, SideLocal, "the client was closed")
	}
	return nil
}
