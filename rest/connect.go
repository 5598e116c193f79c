package rest

import (
	"bufio"
	"fmt"
	"net"
	"net/url"
	"time"
)

// proxyFor asks Config.Proxy. Only what can be done is accepted, anything else is refused by name and never ignored.
func (c *Client) proxyFor(path string) (*url.URL, error) {
	if c.cfg.Proxy == nil || c.origin.socket {
		return nil, nil
	}
	target := &url.URL{Scheme: c.origin.scheme, Host: c.origin.header, Path: path}
	proxy, err := c.cfg.Proxy(target)
	if err != nil {
		return nil, &Error{Phase: PhaseConfig, Rule: "Config.Proxy failed", Err: err}
	}
	if proxy == nil {
		return nil, nil
	}
	switch {
	case proxy.Scheme == "http" || proxy.Scheme == "https":
	case !isSOCKS(proxy):
		return nil, configError("a proxy of scheme "+quote(proxy.Scheme)+" is not supported, only http, https, socks5 and socks5h", nil)
	case c.cfg.SOCKS5 == nil:
		return nil, configError("a SOCKS proxy "+needsSOCKS5, nil)
	}
	if _, _, err := hostPort(proxy); err != nil {
		return nil, &Error{Phase: PhaseConfig, Rule: "the proxy's address", Err: err}
	}
	return proxy, nil
}

const needsSOCKS5 = "is not allowed by this program (to allow it, set the SOCKS5 field of the options or the Config to rest.SOCKS5)"

func isSOCKS(proxy *url.URL) bool { return proxy.Scheme == "socks5" || proxy.Scheme == "socks5h" }

// socks asks a SOCKS proxy for a connection to the server.
func (cn *conn) socks(c *Client, proxy *url.URL) error {
	err := c.cfg.SOCKS5(cn, proxy, c.origin.host, c.origin.port)
	if e, ok := err.(*Error); ok && e.Addr == "" {
		e.Addr, e.limit = cn.dialed, c.cfg.DialTimeout
	}
	return err
}

// proxyKey names a proxy without its user; "" is none.
func proxyKey(proxy *url.URL) string {
	if proxy == nil {
		return ""
	}
	return proxy.Scheme + "://" + proxyAddr(proxy)
}

func proxyAddr(proxy *url.URL) string {
	host, port, err := hostPort(proxy)
	if err != nil {
		return ""
	}
	return net.JoinHostPort(host, port)
}

// tunnel asks the proxy for a connection to the server (RFC 9110 9.3.6). Plain http goes through a tunnel too, so that a proxy never
// sees a request: it neither rewrites one nor reads an Authorization field it was sent on purpose.
func (cn *conn) tunnel(c *Client, proxy *url.URL, t traces) error {
	start := time.Now()
	target := hostHeader(c.origin.host, c.origin.port)
	fields := Header{{"Host", target}, {"User-Agent", c.cfg.UserAgent}}
	var password string
	if proxy.User != nil {
		password, _ = proxy.User.Password()
		fields.Add("Proxy-Authorization", basicAuth(proxy.User.Username(), password))
	}
	cn.secrets = secretsOf(fields.Get("Proxy-Authorization"), password)
	line := "CONNECT " + target + " HTTP/1.1"
	head := append([]byte(line), "\r\n"...)
	for _, f := range fields {
		head = appendField(head, f.Name, f.Value)
	}
	if _, err := cn.Write(append(head, "\r\n"...)); err != nil {
		return &Error{Phase: PhaseProxy, Addr: cn.dialed, Err: err, limit: c.cfg.DialTimeout}
	}
	br := bufio.NewReaderSize(cn, 4<<10)
	h, err := c.finalHead(br, func(*responseHead) {})
	if err != nil {
		if e, ok := err.(*Error); ok {
			e.Phase, e.Addr, e.limit = PhaseProxy, cn.dialed, c.cfg.DialTimeout
		}
		return err
	}
	if t.any() {
		t.connect(ConnectDone{
			Conn: cn.id, Time: time.Now(), Duration: time.Since(start), Code: h.code,
			Request: append([]string{line}, fields.lines()...), Response: cn.secrets.hideAll(h.lines()),
		})
	}
	switch { // Content-Length and Transfer-Encoding of a 2xx answer mean nothing (RFC 9110 9.3.6)
	case h.code/100 != 2:
		contentType := cn.secrets.hide(printable(h.header.Get("Content-Type"), maxQuoted))
		return &Error{Phase: PhaseProxy, Addr: cn.dialed, Err: &ProxyError{Code: h.code, ContentType: contentType}}
	case br.Buffered() > 0:
		return &Error{
			Phase: PhaseProxy, Addr: cn.dialed, Section: "RFC 9110 9.3.6", protocol: true,
			Rule: fmt.Sprintf("%d bytes before the tunnel was used", br.Buffered()),
		}
	}
	return nil
}

// finalHead reads past informational responses, none of which was asked for. each sees all heads.
func (c *Client) finalHead(br *bufio.Reader, each func(*responseHead)) (*responseHead, error) {
	p := &headParser{br: br, maxBytes: c.cfg.MaxHeadBytes, maxFields: c.cfg.MaxHeadFields}
	for seen := 0; ; seen++ {
		h, err := p.read()
		if err != nil {
			return nil, err
		}
		each(h)
		if h.code >= 200 {
			return h, nil
		}
		if err := c.checkInformational(h, seen); err != nil {
			return nil, err
		}
	}
}

// checkInformational accepts an interim response (RFC 9110 15.2): any number is legal, a bounded one is sane; 101 only answers an Upgrade; and
// one that says it closes the connection contradicts itself.
func (c *Client) checkInformational(h *responseHead, seen int) error {
	switch {
	case h.code == 101:
		return badFraming(0, "RFC 9110 15.2.2", "101 Switching Protocols, which was not asked for")
	case c.cfg.MaxInformational >= 0 && seen >= c.cfg.MaxInformational:
		return badFraming(0, "RFC 9110 15.2", fmt.Sprintf("more than %d informational responses", c.cfg.MaxInformational))
	case hasClose(h.header):
		return badFraming(h.offsetOf("Connection"), "RFC 9112 9.6", "an informational response with Connection: close")
	}
	return nil
}

// lines is a head as a trace shows it.
func (h *responseHead) lines() []string {
	return append([]string{printable(h.statusLine, 1<<10)}, h.header.lines()...)
}
