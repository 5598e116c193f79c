package informer

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// FactoryOptions configures a Factory.
type FactoryOptions struct {
	// Namespaces that namespaced resources are followed in. None is all of them.
	Namespaces []string
	// TweakListOptions changes what is asked for, per resource: selectors, mostly. It runs when an informer is made.
	TweakListOptions func(rest.Resource, *rest.ListOptions)
	// DefaultResync is the resync period of every informer that CustomResync does not name. Zero is off.
	DefaultResync time.Duration
	CustomResync  map[rest.Resource]time.Duration
	// Workers validate and decode for all informers together. Zero is one per processor, at most 8; negative is off.
	Workers int
}

// Factory makes informers and shares them: who asks for the same collection in the same form gets the same informer.
// All methods may be called from any goroutine.
type Factory struct {
	client  *rest.Client
	options FactoryOptions
	pool    *pool
	lessons *listwatch.Lessons // which collections have no working watch-list: one server's, so every informer's

	mu      sync.Mutex
	members map[memberKey]*member
	order   []*member
	closed  bool
	running sync.WaitGroup
}

// memberKey is what makes two requests for an informer the same.
type memberKey struct {
	resource   rest.Resource
	namespaces string
	list       string // selectors and whatever else TweakListOptions asked for
	handle     reflect.Type
}

// member is an informer with who holds it. Its T is known to those functions alone that were made with it.
type member struct {
	key        memberKey
	transform  string
	references int
	informer   any
	run        func(context.Context) error
	waitSync   func(context.Context) error
	status     func() Status
	stop       context.CancelFunc
	stopped    chan struct{}
}

// NewFactory returns a factory without informers.
func NewFactory(client *rest.Client, o FactoryOptions) *Factory {
	return &Factory{client: client, options: o, pool: newPool(o.Workers), lessons: listwatch.NewLessons(), members: make(map[memberKey]*member)}
}

// For returns the factory's informer of a resource in the form that codec gives it, making it where there is none. o
// adds to the factory's options: Namespaces and Resync, where set, take their place. The same resource, namespaces,
// selectors and T with another Transform is an error, for one store cannot hold both. Each call holds the informer until
// Release; it is started by the next Start.
func For[T any](f *Factory, resource rest.Resource, codec watchdecoder.Codec[T], o Options) (*Informer[T], error) {
	f.complete(resource, &o)
	key := memberKey{
		resource: resource, namespaces: strings.Join(slices.SortedFunc(slices.Values(o.Namespaces), strings.Compare), ","),
		list: o.Reflector.List.Query().Encode(), handle: reflect.TypeFor[T](),
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, ErrStopped
	}
	if m := f.members[key]; m != nil {
		if m.transform != transformOf(codec) {
			return nil, fmt.Errorf("informer: %s as %s is shared already with another transform", resource, key.handle)
		}
		m.references++
		return m.informer.(*Informer[T]), nil
	}
	i := New(f.client, resource, codec, o)
	i.pool = f.pool
	m := &member{
		key: key, transform: transformOf(codec), references: 1,
		informer: i, run: i.Run, waitSync: i.WaitSync, status: i.Status, stopped: make(chan struct{}),
	}
	f.members[key] = m
	f.order = append(f.order, m)
	return i, nil
}

// complete adds what the factory says to the options of one informer.
func (f *Factory) complete(resource rest.Resource, o *Options) {
	if o.Namespaces == nil && resource.Namespaced {
		o.Namespaces = f.options.Namespaces
	}
	if o.Reflector.Lessons == nil {
		o.Reflector.Lessons = f.lessons
	}
	if o.Resync == 0 {
		o.Resync = f.options.DefaultResync
		if custom, ok := f.options.CustomResync[resource]; ok {
			o.Resync = custom
		}
	}
	if f.options.TweakListOptions != nil {
		f.options.TweakListOptions(resource, &o.Reflector.List)
	}
}

// ForResource returns the informer of any resource, with its objects as the server sent them. Whether the resource is
// namespaced is taken from the built-in table, and otherwise from the API server's discovery by the caller: namespaced
// is assumed, which for all namespaces together makes no difference.
func (f *Factory) ForResource(gvr schema.GroupVersionResource) (*Informer[watchdecoder.Raw], error) {
	resource := rest.Resource{Group: gvr.Group, Version: gvr.Version, Resource: gvr.Resource, Namespaced: true}
	for _, builtin := range rest.Builtin() {
		if builtin.Resource.GroupVersionResource() == gvr {
			resource = builtin.Resource
		}
	}
	return For(f, resource, watchdecoder.RawObject(), Options{})
}

// Start starts the informers that have not been started. It may be called again, after asking for more. They run
// until ctx ends, or Shutdown, or until the last of their holders releases them.
func (f *Factory) Start(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	for _, m := range f.order {
		if m.stop != nil {
			continue
		}
		ctx, cancel := context.WithCancel(ctx)
		m.stop = cancel
		f.running.Go(func() {
			defer close(m.stopped)
			m.run(ctx)
		})
	}
}

// WaitForCacheSync waits until every informer is synced. The error joins a *NotSyncedError for each that is not when ctx
// ends, or that has given up.
func (f *Factory) WaitForCacheSync(ctx context.Context) error {
	f.mu.Lock()
	members := slices.Clone(f.order)
	f.mu.Unlock()
	var failed []error
	for _, m := range members {
		failed = append(failed, m.waitSync(ctx))
	}
	return errors.Join(failed...)
}

// Status returns the state of every informer, in the order in which they were asked for.
func (f *Factory) Status() []Status {
	f.mu.Lock()
	members := slices.Clone(f.order)
	f.mu.Unlock()
	var all []Status
	for _, m := range members {
		all = append(all, m.status())
	}
	return all
}

// Release lets go of an informer that For returned. When everybody who asked for it has, it is stopped, and Release
// returns once its goroutines have ended; so it must not be called from one of its handlers. An informer of elsewhere
// is left alone.
func Release[T any](f *Factory, i *Informer[T]) {
	f.mu.Lock()
	at := slices.IndexFunc(f.order, func(m *member) bool { return m.informer == any(i) })
	if at < 0 {
		f.mu.Unlock()
		return
	}
	m := f.order[at]
	if m.references--; m.references > 0 {
		f.mu.Unlock()
		return
	}
	f.order = slices.Delete(f.order, at, at+1)
	delete(f.members, m.key)
	stop := m.stop
	f.mu.Unlock()
	if stop != nil {
		stop()
		<-m.stopped
	}
}

// Shutdown stops every informer and returns when all their goroutines have ended; so it must not be called from a
// handler. The factory makes no more of them.
func (f *Factory) Shutdown() {
	f.mu.Lock()
	f.closed = true
	for _, m := range f.order {
		if m.stop != nil {
			m.stop()
		}
	}
	f.mu.Unlock()
	f.running.Wait()
}
