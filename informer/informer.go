package informer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rawwatch/rawwatch/fifo"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/store"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// Informer keeps the objects of one resource in memory and tells its subscriptions what changes. All methods may be
// called from any goroutine, handlers included.
type Informer[T any] struct {
	client   *rest.Client
	resource rest.Resource
	codec    watchdecoder.Codec[T]
	options  Options
	store    *store.Store[T]
	log      *fifo.Log[T]
	pool     *pool
	problems problems

	generation atomic.Uint64 // counts the lists that replaced a collection
	rereads    atomic.Uint64
	indexes    atomic.Uint64 // numbers those without a name

	// publishing is held from a commit of the store until its events are in the log, and by whoever needs the two in
	// step: to subscribe, to resync.
	publishing sync.Mutex

	mu            sync.Mutex
	sources       []*source[T]
	subscriptions []*Subscription[T]
	ctx           context.Context // of Run, nil before
	finished      bool
	running       sync.WaitGroup

	synced chan struct{}
	ended  chan struct{}
}

// New returns an informer of a resource. Nothing happens before Run.
func New[T any](client *rest.Client, resource rest.Resource, codec watchdecoder.Codec[T], o Options) *Informer[T] {
	i := &Informer[T]{
		client: client, resource: resource, codec: codec, options: o.withDefaults(),
		store: store.New[T](), log: fifo.NewLog[T](), pool: newPool(o.Workers),
		synced: make(chan struct{}), ended: make(chan struct{}),
	}
	i.problems.more = make(chan struct{}, 1)
	for _, namespace := range i.options.Namespaces {
		if s, err := i.newSource(namespace); err == nil { // a namespace named twice is one
			i.sources = append(i.sources, s)
		}
	}
	return i
}

var errRunning = errors.New("informer: Run was called before")

// Run follows the collections until ctx ends and returns its cause when every goroutine of the informer has ended. A
// call of a handler that is running is waited for; what waits for it is not delivered. An informer runs once.
func (i *Informer[T]) Run(ctx context.Context) error {
	i.mu.Lock()
	if i.ctx != nil {
		i.mu.Unlock()
		return errRunning
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	i.ctx = ctx
	i.pool.hold()
	for _, s := range i.sources {
		s.start(ctx)
	}
	for _, sub := range i.subscriptions {
		i.start(sub)
	}
	i.running.Go(func() { i.reread(ctx) })
	i.mu.Unlock()

	<-ctx.Done()
	i.mu.Lock()
	i.finished = true // nothing is started from here on
	i.mu.Unlock()
	i.log.Close()
	i.running.Wait()
	i.pool.release()
	for _, sub := range i.ending() {
		sub.end(ErrStopped)
	}
	close(i.ended)
	return context.Cause(ctx)
}

func (i *Informer[T]) ending() []*Subscription[T] {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.subscriptions)
}

// Subscribe adds a handler. What is there already comes first, as Added events with Initial set; everything that
// happens after this call follows. See Subscription.Err for a Handler that cannot be used.
func (i *Informer[T]) Subscribe(h Handler[T]) *Subscription[T] {
	sub := &Subscription[T]{
		informer: i, handler: h, nudge: make(chan struct{}, 1), done: make(chan struct{}), synced: make(chan struct{}),
		awaiting: make(map[*source[T]]bool),
	}
	i.publishing.Lock()
	defer i.publishing.Unlock()
	i.mu.Lock()
	defer i.mu.Unlock()
	sub.reader = i.log.Reader(fifo.ReaderOptions{Limit: h.Limit, Policy: h.Policy})
	if err := h.check(); err != nil || i.finished {
		sub.reader.Close(false)
		if err == nil {
			err = ErrStopped
		}
		sub.end(err)
		return sub
	}
	for _, s := range i.sources {
		sub.awaiting[s] = true
		if s.hasSynced() {
			sub.begin(s, i.store.Snapshot())
		}
	}
	i.subscriptions = append(i.subscriptions, sub)
	if i.ctx != nil {
		i.start(sub)
	}
	return sub
}

// start gives a subscription its goroutine, if it needs one. The caller holds mu.
func (i *Informer[T]) start(sub *Subscription[T]) {
	if sub.handler.pulled() {
		return
	}
	sub.mu.Lock()
	sub.started = true
	sub.mu.Unlock()
	ctx := i.ctx
	i.running.Go(func() { sub.run(ctx) })
}

// run calls the handler until the subscription is over.
func (s *Subscription[T]) run(ctx context.Context) {
	err := s.each(ctx, s.deliver)
	if errors.Is(err, fifo.ErrClosed) {
		err = nil
	} else if err != nil {
		err = ErrStopped
	}
	s.end(err)
}

// deliver calls the handler for a batch. A panic is contained: that event counts as handled, the rest follow.
func (s *Subscription[T]) deliver(events []Event[T]) bool {
	if s.handler.OnBatch != nil {
		if len(events) > 0 {
			s.contain(func() { s.handler.OnBatch(events) })
			s.handled.Add(uint64(len(events)))
		}
		return true
	}
	for n := range events {
		if s.stopped() || s.informer.ctx.Err() != nil {
			return false
		}
		s.contain(func() { s.handler.call(events[n]) })
		s.handled.Add(1)
	}
	return true
}

func (s *Subscription[T]) contain(call func()) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		i := s.informer
		err := &PanicError{Where: fmt.Sprintf("handler %q", s.handler.Name), Stack: debug.Stack()}
		s.panics.Add(1)
		i.problems.mu.Lock()
		i.problems.panics++
		i.problems.panicked = err
		i.problems.mu.Unlock()
		i.options.Logger.Error("handler panicked", "resource", i.resource.String(), "handler", s.handler.Name, "stack", string(err.Stack))
		if i.options.Repanic {
			panic(cause)
		}
	}()
	call()
}

// Acknowledge makes Healthy forget the handlers' panics up to now.
func (i *Informer[T]) Acknowledge() {
	i.problems.mu.Lock()
	defer i.problems.mu.Unlock()
	i.problems.panicked = nil
}

// Events is Subscribe for a loop: the subscription exists from this call on, so nothing is missed before the first
// iteration, and ends with the loop or with ctx. The error, if any, comes last.
func (i *Informer[T]) Events(ctx context.Context) iter.Seq2[Event[T], error] {
	sub := i.Subscribe(Handler[T]{})
	stop := context.AfterFunc(ctx, func() { sub.Close(false) })
	return func(yield func(Event[T], error) bool) {
		defer stop()
		if ctx.Err() != nil {
			yield(Event[T]{}, context.Cause(ctx))
			return
		}
		for e, err := range sub.Events(ctx) {
			if !yield(e, err) {
				return
			}
		}
		if ctx.Err() != nil {
			yield(Event[T]{}, context.Cause(ctx))
		}
	}
}

func (i *Informer[T]) forget(sub *Subscription[T]) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.subscriptions = slices.DeleteFunc(i.subscriptions, func(other *Subscription[T]) bool { return other == sub })
}

// beginAll shows the source's first state to every subscription. The caller holds publishing.
func (i *Informer[T]) beginAll(s *source[T]) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, sub := range i.subscriptions {
		sub.begin(s, i.store.Snapshot())
	}
}

// checkSynced closes synced once every source has its first state in the store.
func (i *Informer[T]) checkSynced() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, s := range i.sources {
		if !s.hasSynced() {
			return
		}
	}
	select {
	case <-i.synced:
	default:
		close(i.synced)
	}
}

func (s *source[T]) hasSynced() bool {
	s.progress.mu.Lock()
	defer s.progress.mu.Unlock()
	return s.progress.synced
}
