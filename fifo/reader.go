package fifo

import (
	"context"
	"slices"
)

// Policy says what becomes of a reader that cannot keep up.
type Policy uint8

const (
	// Coalesce: past its limit the reader leaves the log and keeps one pending change per key (first old state, last new
	// one), never merged across a UID change or a relist, until it has caught up.
	Coalesce Policy = iota
	// Block: Log.Room waits, and with it the collection, the store and the socket.
	Block
	// DropAndResync: as Coalesce, but all that is kept is the difference between the state the reader had reached and
	// the present one: what came and went meanwhile, relists included, leaves no trace. Deletions are not lost.
	DropAndResync
)

// ReaderOptions configures a Reader.
type ReaderOptions struct {
	Limit  int // events that may wait before Policy applies. Zero means 4,096; negative is off: no limit.
	Policy Policy
}

// Reader is one cursor in a Log. One goroutine reads it at a time.
type Reader[T any] struct {
	log     *Log[T]
	options ReaderOptions
	arrived chan struct{} // holds a token when there may be something new

	// What follows is guarded by the log's lock.
	at       *segment[T]
	index    int
	position uint64
	pending  *pending[T] // nil while the reader follows the log
	left     uint64      // how often it has left the log
	closed   bool
}

// Reader adds a reader that sees what is appended from now on.
func (l *Log[T]) Reader(o ReaderOptions) *Reader[T] {
	if o.Limit == 0 {
		o.Limit = 4096
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &Reader[T]{log: l, options: o, arrived: make(chan struct{}, 1)}
	r.follow()
	l.readers = append(l.readers, r)
	return r
}

// follow puts the cursor at the end of the log.
func (r *Reader[T]) follow() {
	r.stand(r.log.tail)
	r.index, r.position = r.log.tail.n, r.log.end
	r.pending = nil
}

// stand puts the reader at a link, nil for none. The link that it leaves may be let go.
//
//go:noinline // it is called from everywhere
func (r *Reader[T]) stand(s *segment[T]) {
	if r.at != nil {
		r.at.readers--
	}
	if r.at = s; s != nil {
		s.readers++
	}
	r.log.release()
}

// here returns the event that the reader stands before.
func (r *Reader[T]) here() *Event[T] {
	if r.index == segmentSize {
		r.stand(r.at.next)
		r.index = 0
	}
	return &r.at.events[r.index]
}

// Next waits for events and appends up to limit of them to dst (at least one, all there are when limit is not
// positive). It returns ErrClosed when the log or the reader was closed and everything has been read, or the
// context's cause.
func (r *Reader[T]) Next(ctx context.Context, dst []Event[T], limit int) ([]Event[T], error) {
	for {
		events, err := r.Poll(dst, limit)
		if err != nil || len(events) > len(dst) {
			return events, err
		}
		select {
		case <-r.arrived:
		case <-ctx.Done():
			return dst, context.Cause(ctx)
		}
	}
}

// Arrived yields a token whenever Poll may have something new to tell. It is for those who wait for other things too.
func (r *Reader[T]) Arrived() <-chan struct{} { return r.arrived }

// Poll is Next without the waiting: no events and no error mean that there is nothing yet.
func (r *Reader[T]) Poll(dst []Event[T], limit int) ([]Event[T], error) {
	l := r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	n := r.depth()
	if n == 0 {
		if l.closed || r.closed {
			return dst, ErrClosed
		}
		return dst, nil
	}
	if limit > 0 {
		n = min(n, limit)
	}
	if r.pending != nil {
		dst = r.pending.take(dst, n)
		if r.pending.len() == 0 && !r.closed {
			r.follow()
		}
		return dst, nil
	}
	for range n {
		dst = append(dst, *r.here())
		r.index++
		r.position++
	}
	l.made()
	return dst, nil
}

// Depth returns how many events wait for the reader.
func (r *Reader[T]) Depth() int {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	return r.depth()
}

// Left returns how often the reader has left the log because it was too slow.
func (r *Reader[T]) Left() uint64 {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	return r.left
}

func (r *Reader[T]) depth() int {
	if r.pending != nil {
		return r.pending.len()
	}
	return int(r.log.end - r.position)
}

// blocks reports whether the reader makes Room wait.
func (r *Reader[T]) blocks() bool {
	return r.options.Policy == Block && r.options.Limit > 0 && r.depth() >= r.options.Limit
}

// overflow takes a reader that has fallen too far behind out of the log.
func (r *Reader[T]) overflow() {
	if r.pending != nil || r.options.Policy == Block || r.options.Limit < 0 || r.depth() <= r.options.Limit {
		return
	}
	p := newPending[T](r.options.Policy == DropAndResync)
	for ; r.position < r.log.end; r.position++ {
		p.fold(r.here())
		r.index++
	}
	r.stand(nil)
	r.pending = p
	r.left++
	if p.len() == 0 {
		r.follow()
	}
}

func (r *Reader[T]) wake() {
	select {
	case r.arrived <- struct{}{}:
	default:
	}
}

// Close takes the reader out of the log. With drain, what waits for it can still be read; without, it is dropped, and
// Next returns ErrClosed. Safe to call from any goroutine, more than once.
func (r *Reader[T]) Close(drain bool) {
	l := r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if !r.closed && drain && r.pending == nil {
		r.detach()
	}
	if !drain {
		r.pending = newPending[T](false)
		r.stand(nil)
	}
	r.closed = true
	l.readers = slices.DeleteFunc(l.readers, func(other *Reader[T]) bool { return other == r })
	l.made()
	r.wake()
}

// detach copies what waits for the reader, as it stands, so that it no longer depends on the log.
func (r *Reader[T]) detach() {
	p := newPending[T](false)
	for ; r.position < r.log.end; r.position++ {
		p.append(r.here())
		r.index++
	}
	r.stand(nil)
	r.pending = p
}
