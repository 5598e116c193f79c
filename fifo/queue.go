package fifo

import (
	"context"
	"errors"
	"iter"
	"sync"
)

// ErrClosed is what a closed queue or log answers: a queue to Push at once and to Process when it is drained.
var ErrClosed = errors.New("fifo: closed")

// QueueOptions configures a Queue.
type QueueOptions[T any] struct {
	// Limit is how many deltas may wait before Push does. Zero means 4,096. A Replaced counts as one.
	Limit int
	// Coalesce merges a delta with one of the same key that is still waiting: the later state wins, in the earlier's
	// place. Off, every delta is delivered. Deltas are never merged across a Replaced, nor a Deleted with what follows it.
	Coalesce bool
	// Known iterates over the objects that the consumer has. With it, Replace adds a tombstone for each object that
	// neither its list nor a waiting delta accounts for. Without it the consumer finds out itself what is gone.
	Known func() iter.Seq2[Key, T]
}

// Queue is the delta queue: one or several producers, one consumer. The zero value is not usable; NewQueue makes one.
type Queue[T any] struct {
	options QueueOptions[T]

	mu      sync.Mutex
	waiting ring[Delta[T]] // in order of arrival
	taken   int            // the first so many are with the consumer
	newest  map[Key]int    // with Coalesce: where the newest mergeable delta of a key stands, counted from base
	base    int
	closed  bool
	changed chan struct{} // closed at the next change; nil while nobody waits for one

	synced     chan struct{}
	syncedOnce sync.Once
}

// NewQueue returns an empty queue.
func NewQueue[T any](o QueueOptions[T]) *Queue[T] {
	if o.Limit == 0 {
		o.Limit = 4096
	}
	return &Queue[T]{options: o, newest: make(map[Key]int), synced: make(chan struct{})}
}

// Push appends d. It waits while the queue is full, and returns ErrClosed or the context's cause without appending.
func (q *Queue[T]) Push(ctx context.Context, d Delta[T]) error {
	q.mu.Lock()
	for !q.closed && q.waiting.n >= q.options.Limit && q.options.Limit > 0 && !q.merges(d) {
		if err := q.wait(ctx); err != nil {
			return err
		}
	}
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.append(d)
	q.signal()
	return nil
}

// Replace appends one Replaced with the objects, as of version; see QueueOptions.Known for what is gone.
func (q *Queue[T]) Replace(ctx context.Context, objects []Delta[T], version string) error {
	d := Delta[T]{Type: Replaced, ResourceVersion: version}
	d.Objects = append(q.tombstones(objects), objects...)
	return q.Push(ctx, d)
}

// tombstones returns a stale Deleted for each object that somebody downstream has, or will have once the waiting
// deltas are processed, and that objects does not contain.
func (q *Queue[T]) tombstones(objects []Delta[T]) []Delta[T] {
	if q.options.Known == nil {
		return nil
	}
	has := make(map[Key]Delta[T])
	for key, value := range q.options.Known() {
		has[key] = Delta[T]{Type: Deleted, Key: key, Value: value, Stale: true}
	}
	q.mu.Lock()
	for i := range q.waiting.n {
		outcome(has, *q.waiting.at(i))
	}
	q.mu.Unlock()
	for _, d := range objects {
		delete(has, d.Key)
	}
	gone := make([]Delta[T], 0, len(has))
	for _, d := range has {
		gone = append(gone, d)
	}
	return gone
}

// outcome applies d to the set of objects that a consumer has.
func outcome[T any](has map[Key]Delta[T], d Delta[T]) {
	switch d.Type {
	case Added, Updated:
		has[d.Key] = Delta[T]{Type: Deleted, Key: d.Key, UID: d.UID, ResourceVersion: d.ResourceVersion, Value: d.Value, Stale: true}
	case Deleted:
		delete(has, d.Key)
	case Replaced:
		clear(has)
		for _, o := range d.Objects {
			outcome(has, o)
		}
	}
}

// Process waits for deltas and gives up to limit of them (all there are when limit is not positive), in order, to f.
// They leave the queue when f returns nil; with an error, which Process returns, they stay, and the next Process gives
// them again: nothing is lost between the queue and what stands behind it. After Close it drains what is there and
// then returns ErrClosed. The batch is f's only during the call. One goroutine at a time.
func (q *Queue[T]) Process(ctx context.Context, limit int, f func(batch []Delta[T]) error) error {
	q.mu.Lock()
	for q.waiting.n == 0 {
		if q.closed {
			q.mu.Unlock()
			return ErrClosed
		}
		if err := q.wait(ctx); err != nil {
			return err
		}
	}
	if limit <= 0 {
		q.waiting.straighten()
		limit = q.waiting.n
	}
	batch := q.waiting.front(limit)
	n := len(batch)
	q.taken = n
	q.mu.Unlock()

	err := f(batch)

	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken = 0
	if err != nil {
		return err
	}
	q.drop(n)
	q.signal()
	return nil
}

// drop removes the first n deltas and lets go of what they hold.
func (q *Queue[T]) drop(n int) {
	for i := range n {
		d := q.waiting.at(i)
		if d.Type == Replaced {
			q.syncedOnce.Do(func() { close(q.synced) })
		}
		if q.options.Coalesce && q.newest[d.Key] == q.base+i {
			delete(q.newest, d.Key)
		}
	}
	q.base += n
	q.waiting.drop(n)
}

// Drain waits until nothing waits and nothing is being processed. It returns the context's cause when that ends first.
func (q *Queue[T]) Drain(ctx context.Context) error {
	q.mu.Lock()
	for q.waiting.n > 0 {
		if err := q.wait(ctx); err != nil {
			return err
		}
	}
	q.mu.Unlock()
	return nil
}

// Close ends the queue: nothing more is taken in, and what is waiting is still given out.
func (q *Queue[T]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

// Len returns the number of deltas that wait or are being processed.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting.n
}

// Synced is closed once the first Replaced has been processed.
func (q *Queue[T]) Synced() <-chan struct{} { return q.synced }

// wait gives up the lock until something changes. On error the lock is not held.
func (q *Queue[T]) wait(ctx context.Context) error {
	if q.changed == nil {
		q.changed = make(chan struct{})
	}
	changed := q.changed
	q.mu.Unlock()
	select {
	case <-changed:
		q.mu.Lock()
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (q *Queue[T]) signal() {
	if q.changed != nil {
		close(q.changed)
		q.changed = nil
	}
}
