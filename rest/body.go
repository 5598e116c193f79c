package rest

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rawwatch/rawwatch/chunked"
)

// Body is a response body. Read and SetIdleTimeout belong to one goroutine at a time; Close may be called from another and ends a Read that waits.
type Body struct {
	x      *exchange
	plan   bodyPlan
	framed *wireReader // content as the framing delimits it
	src    io.Reader   // framed, or the gzip decoder above it

	mu      sync.Mutex
	reading bool  // a Read is under way, without the lock
	err     error // final; set once
	bytes   int64 // given to the reader
}

// wireReader counts what the framing let through and remembers its end.
type wireReader struct {
	src   io.Reader
	bytes atomic.Int64
	ended atomic.Bool // the framing's end was seen
}

func (r *wireReader) Read(p []byte) (int, error) {
	n, err := r.src.Read(p)
	r.bytes.Add(int64(n))
	if err == io.EOF {
		r.ended.Store(true)
	}
	return n, err
}

func newBody(x *exchange, plan bodyPlan, zipped bool) *Body {
	b := &Body{x: x, plan: plan, framed: new(wireReader)}
	switch plan.framing {
	case NoBody:
		b.framed.src = eofReader{}
	case ContentLength:
		b.framed.src = &countedReader{src: x.cn.br, left: plan.length}
	case Chunked:
		b.framed.src = chunked.NewReader(x.cn.br, x.chunkOptions())
	case CloseDelimited:
		b.framed.src = x.cn.br // over TLS only close_notify is this end (RFC 9112 9.8): see tlsTransport
	}
	b.src = b.framed
	if zipped && plan.framing != NoBody {
		b.src = newGzipReader(b.framed, x.client.cfg.MaxGzipMembers, x.client.cfg.MaxGzipRatio)
	}
	return b
}

// Read returns content as soon as any is there. io.EOF comes only at the end that the framing (and gzip) defines; a body that is cut is an *Error for
// which errors.Is(err, io.ErrUnexpectedEOF). Errors are final.
func (b *Body) Read(p []byte) (int, error) {
	b.mu.Lock()
	if b.err == nil && b.x.cn.limits.ended.Load() {
		side, err := b.failure(errEnded)
		return 0, b.finishAndUnlock(side, err)
	}
	if b.err != nil || len(p) == 0 {
		defer b.mu.Unlock()
		return 0, b.err
	}
	b.reading = true
	b.mu.Unlock()

	n, err := b.src.Read(p)

	b.mu.Lock()
	b.reading = false
	b.bytes += int64(n)
	switch {
	case b.err != nil: // closed meanwhile
		defer b.mu.Unlock()
		return 0, b.err
	case err != nil:
		side, err := b.failure(err)
		return n, b.finishAndUnlock(side, err)
	}
	b.mu.Unlock()
	return n, nil
}

// Close gives the connection back if the body was complete, or closes it. It never waits for the peer. It returns nil.
func (b *Body) Close() error {
	b.mu.Lock()
	switch {
	case b.err == io.EOF:
		b.err = errBodyClosed
		b.mu.Unlock()
	case b.err != nil:
		b.mu.Unlock()
	case b.reading:
		b.x.cn.limits.end() // the Read that waits returns
		b.finishAndUnlock(SideLocal, errBodyClosed)
	case b.drained():
		b.finishAndUnlock(SideLocal, io.EOF)
		return b.Close()
	default:
		b.finishAndUnlock(SideLocal, errBodyClosed)
	}
	return nil
}

// SetIdleTimeout changes how long a read may wait for the next byte: zero is the client's IdleTimeout, negative is no limit. A Read that waits
// is bound by it from its own start.
func (b *Body) SetIdleTimeout(d time.Duration) {
	if d == 0 {
		d = b.x.client.cfg.IdleTimeout
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.x.w.idle = d
		b.x.cn.limits.setIdle(d)
	}
}

// drained reads on to the framing's end as far as the bytes are already here: a decoder that stopped at the last brace has left the last chunk unread.
// Called with the lock held.
func (b *Body) drained() bool {
	const enough = 32 << 10
	if b.framed.ended.Load() {
		return true
	}
	if b.plan.framing == CloseDelimited {
		return false
	}
	b.x.cn.dry = true
	defer func() { b.x.cn.dry = false }()
	var scratch [512]byte
	for read := 0; read < enough; { // io.Copy would link what sendfile and splice need
		n, err := b.framed.Read(scratch[:])
		if read += n; err != nil {
			return err == io.EOF
		}
	}
	return false
}

// endIfEmpty gives the connection back at once when there is nothing to read.
func (b *Body) endIfEmpty() {
	if b.plan.framing == NoBody || (b.plan.length == 0 && b.src == io.Reader(b.framed)) {
		b.framed.ended.Store(true)
		b.mu.Lock()
		b.finishAndUnlock(SideLocal, io.EOF)
	}
}

// atEnd reports whether nothing more comes.
func (b *Body) atEnd() bool {
	var one [1]byte
	n, err := b.Read(one[:])
	return n == 0 && err == io.EOF
}

// failure completes a reader's error.
func (b *Body) failure(err error) (Side, error) {
	if err == io.EOF {
		return SideLocal, err
	}
	e, ok := err.(*Error)
	if !ok {
		e = &Error{Phase: PhaseBody, Err: err}
	}
	if bad, ok := errors.AsType[*chunked.Error](err); ok && !errors.Is(err, io.ErrUnexpectedEOF) {
		e = &Error{Phase: PhaseBody, Rule: bad.Rule, Section: bad.Section, Offset: bad.Offset, protocol: true}
	}
	e.limit = b.x.w.idle
	e, side := b.x.cn.failure(b.x.ctx, e)
	return side, e
}

// finishAndUnlock ends the body, once, and gives the connection back or shuts it. It is called with the lock held and releases it before anything
// that may wait: a close_notify, a trace. It returns err.
func (b *Body) finishAndUnlock(side Side, err error) error {
	b.err = err
	x, cn := b.x, b.x.cn
	alive := cn.release()
	why := b.plan.why
	switch {
	case err != io.EOF:
		why = err.Error()
	case !alive:
		why = "cancelled"
	case b.plan.keep && cn.br.Buffered() > 0:
		why, side = "bytes after the end of the response (RFC 9112 6.3)", SideProtocol
	case b.plan.framing == CloseDelimited:
		side = SidePeerFIN
	}
	reusable := err == io.EOF && b.plan.keep && why == ""
	end := BodyEnd{Conn: cn.id, Bytes: b.bytes, Wire: b.framed.bytes.Load(), Complete: err == io.EOF, Reusable: reusable}
	b.mu.Unlock()

	if x.w.traces.any() {
		if end.Time = time.Now(); err != io.EOF {
			end.Err = err
		}
		x.w.traces.bodyEnd(end)
	}
	if reusable {
		x.client.keep(cn)
	} else {
		cn.shut(x.w.traces, side, why)
	}
	return err
}
