package rest

import (
	"context"
	"errors"
	"net"
	"os"
	"time"

	"github.com/rawwatch/rawwatch/status"
)

// exchange is one request and its response head on one connection.
type exchange struct {
	client  *Client
	ctx     context.Context
	w       *wireRequest
	cn      *conn
	reused  bool
	started time.Time
	secrets secrets // of the request

	poison string // why the connection cannot serve another request, whatever the final response says
	retry  bool   // the connection had died before any byte of a response came
}

// run sends the request and turns the answer into a response or an error. The connection is given back, shut, or held by the response's body.
func (x *exchange) run(cred credentials) (*Response, error) {
	x.started = time.Now()
	read := x.cn.read.Load()
	x.cn.limits.phase(x.w.head)
	x.secrets = secretsOf(cred.header, x.client.cfg.Password)
	x.cn.secrets = x.secrets
	written, writeErr := x.send(cred)
	if writeErr != nil {
		x.poison = "the request was not written in full"
	}
	if writeErr != nil && (errors.Is(writeErr, os.ErrDeadlineExceeded) || errors.Is(writeErr, net.ErrClosed)) {
		return nil, x.fail(&Error{Phase: PhaseWrite, Err: writeErr, limit: x.w.head})
	}
	// A server that refuses a request early may close before it has read it all: its answer may still be there (RFC 9112 9.5).
	h, err := x.client.finalHead(x.cn.br, x.sawHead)
	if err != nil {
		x.retry = x.mayRetry(written, x.cn.read.Load() == read, err)
		if writeErr != nil && !isAnyAlert(err) { // an alert says why: TLS 1.3 refuses a client certificate after the handshake
			err = &Error{Phase: PhaseWrite, Err: writeErr}
		}
		return nil, x.fail(err)
	}
	plan, err := planBody(x.w.method, h)
	if err != nil {
		return nil, x.fail(err)
	}
	if plan.keep && x.poison != "" {
		plan.keep, plan.why = false, x.poison
	}
	switch {
	case h.code == 206 && !x.w.header.Has("Range"):
		return nil, x.fail(badFraming(0, "RFC 9110 15.3.7", "206 Partial Content, which was not asked for"))
	case h.code/100 != 2:
		return nil, x.refusal(h, plan, cred)
	}
	return x.response(h, plan)
}

// send writes the request.
func (x *exchange) send(cred credentials) (written int, err error) {
	head, body := x.w.encode(cred.header)
	if written, err = x.cn.Write(head); err == nil && len(body) > 0 {
		_, err = x.cn.Write(body)
	}
	if x.w.traces.any() {
		x.w.traces.request(RequestSent{
			Conn: x.cn.id, Time: time.Now(), Reused: x.reused, Lines: x.w.lines(cred.header), Body: len(x.w.body), Err: err,
		})
	}
	return written, err
}

// sawHead looks at each head, informational ones included. One of those that announces a body is where readers part (RFC 9110 15.2).
func (x *exchange) sawHead(h *responseHead) {
	if h.code < 200 && (h.minor == 0 || h.header.Has("Content-Length") || h.header.Has("Transfer-Encoding")) {
		x.poison = "an informational response that announced a body"
	}
	if !x.w.traces.any() {
		return
	}
	now := time.Now()
	info := HeadReceived{Conn: x.cn.id, Time: now, Duration: now.Sub(x.started), Code: h.code, Lines: x.secrets.hideAll(h.lines()), ContentLength: -1}
	if plan, err := planBody(x.w.method, h); err == nil {
		info.Framing, info.ContentLength = plan.framing, plan.length
	}
	x.w.traces.head(info)
}

// mayRetry: a connection the server closed while it was unused looks alive until the request is on its way. See Client.Do for the methods.
func (x *exchange) mayRetry(written int, nothingRead bool, err error) bool {
	if !x.reused || !nothingRead || x.cn.limits.ended.Load() {
		return false
	}
	e, ok := err.(*Error)
	if !ok || e.protocol || errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	return written == 0 || x.w.method == "GET" || x.w.method == "HEAD" || x.w.method == "OPTIONS"
}

// fail ends the connection with the exchange.
func (x *exchange) fail(err error) error {
	if e, ok := err.(*Error); ok && e.limit == 0 {
		e.limit = x.w.head
	}
	failed, side := x.cn.failure(x.ctx, err)
	x.cn.release()
	x.cn.shut(x.w.traces, side, failed.Error())
	return failed
}

// response hands a 2xx response out.
func (x *exchange) response(h *responseHead, plan bodyPlan) (*Response, error) {
	zipped, err := contentCoding(h, x.w.gzip)
	if err != nil && plan.framing != NoBody {
		return nil, x.fail(err)
	}
	id := x.cn.id
	body := newBody(x, plan, zipped)
	x.cn.limits.body(x.w.idle)
	body.endIfEmpty()
	return &Response{
		Code: h.code, Header: h.header, Body: body, Framing: plan.framing, ContentLength: plan.length,
		Warnings: x.secrets.hideAll(status.ParseWarnings(h.header.Values("Warning"))), AuditID: h.header.Get("Audit-Id"),
		Conn: id, Reused: x.reused,
	}, nil
}
