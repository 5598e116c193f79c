package informer

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/rawwatch/rawwatch/fifo"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/store"
)

// source is one collection that feeds the informer: a reflector, the way of its objects to the store, and its version.
// Two goroutines work for it: read owns what comes off the wire, apply owns what goes into the store.
type source[T any] struct {
	informer  *Informer[T]
	namespace string
	reflector *listwatch.Reflector
	writer    *store.Writer[T]
	queue     *fifo.Queue[*job[T]]
	stop      context.CancelCauseFunc
	stopped   chan struct{}

	inFlight atomic.Int64
	room     chan struct{} // holds a token when inFlight went down
	decoded  chan struct{} // holds a token when a job was done

	late       bool              // added while the informer ran
	list       *listing[T]       // the one that is being read; read's
	epoch      uint64            // as of the last list; read's
	namespaces map[string]string // that objects have been in; read's
	had        store.Entry[T]    // what the store has of the object that is being taken in; read's
	listing    atomic.Bool       // a list has begun and is neither committed nor aborted

	ahead   map[Key]string    // versions that a GET has put into the store before the watch got there; apply's
	buried  buried            // apply's, too
	changes []store.Change[T] // scratch; apply's, as is events
	origins []origin
	events  []Event[T]
	pending string // the newest version of what has been gathered; "" for none
	version string // the newest version applied

	progress progress

	unchanged atomic.Uint64
	relists   atomic.Uint64
}

// progress is how far the source has come, for those who wait for it.
type progress struct {
	mu      sync.Mutex
	synced  bool
	version string
	epoch   uint64
	err     error
	changed chan struct{} // closed at the next change; nil while nobody waits
}

// update changes the progress and wakes who waits for that.
func (p *progress) update(f func(*progress)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p)
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// next returns a channel that is closed at the next change. The caller holds mu.
func (p *progress) next() <-chan struct{} {
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}

func (i *Informer[T]) newSource(namespace string) (*source[T], error) {
	w, err := i.store.Writer(namespace)
	if err != nil {
		return nil, err
	}
	o := i.options.Reflector
	o.Resource, o.Namespace, o.Accept, o.ManualApply = i.resource, namespace, i.codec.Accept(), true
	if o.Logger == nil {
		o.Logger = i.options.Logger
	}
	return &source[T]{
		informer:  i,
		namespace: namespace,
		reflector: listwatch.New(i.client, o),
		writer:    w,
		queue:     fifo.NewQueue(fifo.QueueOptions[*job[T]]{Limit: i.options.Queue}),
		stopped:   make(chan struct{}),
		room:      make(chan struct{}, 1),
		decoded:   make(chan struct{}, 1),
	}, nil
}

// entries iterates over the source's part of a snapshot: its namespace, or everything.
func (s *source[T]) entries(snapshot *store.Snapshot[T]) iter.Seq[store.Entry[T]] {
	if s == nil || s.namespace == "" {
		return snapshot.Entries()
	}
	return snapshot.NamespaceEntries(s.namespace)
}

// start runs the source in a goroutine of the informer. The caller holds the informer's mu.
func (s *source[T]) start(ctx context.Context) {
	ctx, s.stop = context.WithCancelCause(ctx)
	s.informer.running.Go(func() { s.run(ctx) })
}

// run follows the collection until ctx ends, or until the reflector says that it cannot go on.
func (s *source[T]) run(ctx context.Context) {
	defer close(s.stopped)
	defer s.stop(nil)
	var applying sync.WaitGroup
	applying.Go(func() {
		for s.queue.Process(ctx, batchLimit, func(batch []fifo.Delta[*job[T]]) error { return s.apply(ctx, batch) }) == nil {
		}
	})
	for event, err := range s.reflector.Events(ctx) {
		if err != nil {
			s.progress.update(func(p *progress) { p.err = err })
			break
		}
		if err := s.take(ctx, event); err != nil {
			break
		}
	}
	s.queue.Close()
	s.stop(nil)
	applying.Wait()
}

// wake tells apply that a job is done.
func (s *source[T]) wake() {
	select {
	case s.decoded <- struct{}{}:
	default:
	}
}
