package fifo

import (
	"context"
	"sync"
)

// segmentSize is how many events stand in one link of the log. A link is let go when the last reader has left it.
const segmentSize = 64

// segment is a link of the log. The log's lock guards it.
type segment[T any] struct {
	events  []Event[T] // segmentSize of them; an array would cost a comparison function for each T
	n       int
	next    *segment[T]
	readers int // that stand here
}

func newSegment[T any]() *segment[T] { return &segment[T]{events: make([]Event[T], segmentSize)} }

// Log is a sequence of events with any number of readers, each at its own position. Nothing is kept for its own sake:
// events live as long as a reader has not passed them. One goroutine appends at a time.
type Log[T any] struct {
	mu      sync.Mutex
	first   *segment[T] // where the slowest reader stands, or before
	tail    *segment[T]
	spare   *segment[T] // links that were let go, to be the tail again; nil for none
	spares  int
	end     uint64 // how many events have been appended
	readers []*Reader[T]
	room    chan struct{} // closed when the last full blocking reader made room; nil while nobody waits for that
	closed  bool
}

// NewLog returns an empty log.
func NewLog[T any]() *Log[T] {
	s := newSegment[T]()
	return &Log[T]{first: s, tail: s}
}

// Append adds the events for every reader. It never waits; see Room. The slice stays the caller's.
func (l *Log[T]) Append(events ...Event[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.readers) == 0 {
		return
	}
	for i := range events {
		l.push(&events[i])
	}
	for _, r := range l.readers {
		r.overflow()
		r.wake()
	}
}

// Room waits until no reader whose policy is Block is full. Whoever appends calls it first, and holds no lock that a
// handler may want. It returns the context's cause when that ends first.
func (l *Log[T]) Room(ctx context.Context) error {
	l.mu.Lock()
	for l.full() {
		if l.room == nil {
			l.room = make(chan struct{})
		}
		room := l.room
		l.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		l.mu.Lock()
	}
	l.mu.Unlock()
	return nil
}

// push puts one event at the end and into the pending changes of the readers that have left the log.
func (l *Log[T]) push(e *Event[T]) {
	if l.tail.n == segmentSize {
		l.extend()
	}
	l.tail.events[l.tail.n] = *e
	l.tail.n++
	l.end++
	for _, r := range l.readers {
		if r.pending != nil {
			r.pending.fold(e)
		}
	}
}

// extend adds a link.
func (l *Log[T]) extend() {
	next := l.spare
	if next == nil {
		next = newSegment[T]()
	} else {
		l.spare, next.next = next.next, nil
		l.spares--
	}
	l.tail.next = next
	l.tail = next
	l.release()
}

// mostSpares is how many links are kept for later: what comes at once, mostly.
const mostSpares = 4

// release lets the links go that every reader has left.
//
//go:noinline // it is called from everywhere
func (l *Log[T]) release() {
	for l.first != l.tail && l.first.readers == 0 {
		s := l.first
		l.first = s.next
		if l.spares == mostSpares {
			continue
		}
		clear(s.events)
		s.n, s.next = 0, l.spare
		l.spare = s
		l.spares++
	}
}

func (l *Log[T]) full() bool {
	for _, r := range l.readers {
		if r.blocks() {
			return true
		}
	}
	return false
}

// Blocked returns how many readers make Room wait right now.
func (l *Log[T]) Blocked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, r := range l.readers {
		if r.blocks() {
			n++
		}
	}
	return n
}

// Close ends the log: readers drain what they have and are then told ErrClosed.
func (l *Log[T]) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, r := range l.readers {
		r.wake()
	}
}

// made wakes whoever waits for room.
func (l *Log[T]) made() {
	if l.room != nil && !l.full() {
		close(l.room)
		l.room = nil
	}
}
