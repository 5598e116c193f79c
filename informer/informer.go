package informer

import (
	"context"
	"iter"
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
	decoding      sync.WaitGroup // jobs with the pool, which other informers may share
	jobs          sync.Pool      // of *job[T]

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
		synced := s.hasSynced()
		if synced {
			sub.begin(s, i.store.Snapshot())
		}
		if synced || !s.late {
			sub.awaiting[s] = true
		}
	}
	sub.checkSynced()
	i.subscriptions = append(i.subscriptions, sub)
	if i.ctx != nil {
		i.start(sub)
	}
	return sub
}

// Events is Subscribe for a loop: the subscription exists from this call on, so nothing is missed before the first
// iteration, and ends with the loop or with ctx. The error, if any, comes last.
func (i *Informer[T]) Events(ctx context.Context) iter.Seq2[Event[T], error] {
	sub := i.Subscribe(Handler[T]{})
	stop := context.AfterFunc(ctx, func() { sub.Close(false) })
	return func(yield func(Event[T], error) bool) {
		defer stop()
		sub.Events(ctx)(yield)
	}
}

func (i *Informer[T]) forget(sub *Subscription[T]) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.subscriptions = slices.DeleteFunc(i.subscriptions, func(other *Subscription[T]) bool { return other == sub })
}

// all returns the subscriptions.
func (i *Informer[T]) all() []*Subscription[T] {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.subscriptions)
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
	if !isClosed(i.synced) {
		close(i.synced)
	}
}

func (s *source[T]) hasSynced() bool {
	s.progress.mu.Lock()
	defer s.progress.mu.Unlock()
	return s.progress.synced
}
