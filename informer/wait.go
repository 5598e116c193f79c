package informer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/rawwatch/rawwatch/rest"
)

// NotSyncedError says why an informer has no complete state yet.
type NotSyncedError struct {
	Resource  rest.Resource
	Namespace string // of the collection that is missing
	State     string // what its reflector is doing
	Err       error  // its last error: a *status.Error for a refusal, a *rest.Error for a connection; nil when it only takes time
	Cause     error  // why the waiting ended
}

func (e *NotSyncedError) Error() string {
	where := e.Resource.String()
	if e.Namespace != "" {
		where += " in " + e.Namespace
	}
	why := "no error so far"
	if e.Err != nil {
		why = e.Err.Error()
	}
	return fmt.Sprintf("informer: %s not synced (%s): %s", where, e.State, why)
}

// Unwrap returns the last error and why the waiting ended.
func (e *NotSyncedError) Unwrap() []error {
	return slices.DeleteFunc([]error{e.Err, e.Cause}, func(err error) bool { return err == nil })
}

// Synced is closed when every collection has its first complete state in the store. Handlers have their own;
// see Subscription.Synced.
func (i *Informer[T]) Synced() <-chan struct{} { return i.synced }

// WaitSync waits for Synced. When ctx ends first, when the informer stops, or when a collection has given up, the
// error is a *NotSyncedError that says why it has not come so far.
func (i *Informer[T]) WaitSync(ctx context.Context) error {
	for {
		changed, failed := i.unsynced()
		if failed == nil && changed == nil {
			i.checkSynced() // the source that came last may not have got there
			return nil
		}
		if failed != nil {
			return failed
		}
		select {
		case <-changed:
		case <-i.ended:
			return i.whyNot(ErrStopped)
		case <-ctx.Done():
			return i.whyNot(context.Cause(ctx))
		}
	}
}

// unsynced returns a channel that tells of news of a source that is on its way, or the error of one that has given up;
// neither when all are synced.
func (i *Informer[T]) unsynced() (changed <-chan struct{}, failed error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, s := range i.sources {
		s.progress.mu.Lock()
		synced, err := s.progress.synced, s.progress.err
		if !synced && err == nil {
			changed = s.progress.next()
		}
		s.progress.mu.Unlock()
		if !synced && err != nil {
			return nil, s.notSynced(err)
		}
	}
	return changed, nil
}

func (i *Informer[T]) whyNot(cause error) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, s := range i.sources {
		if !s.hasSynced() {
			return s.notSynced(cause)
		}
	}
	return cause
}

func (s *source[T]) notSynced(cause error) error {
	status := s.reflector.Status()
	return &NotSyncedError{
		Resource: s.informer.resource, Namespace: s.namespace, State: status.State, Err: status.LastError, Cause: cause,
	}
}

// EpochError says that the server's versions went backwards while somebody waited for one: etcd was restored, and what
// was waited for may never have happened.
type EpochError struct{ Version string }

func (e *EpochError) Error() string {
	return fmt.Sprintf("informer: the server's resourceVersions went backwards while waiting for %.64q", e.Version)
}

var errIncomparable = errors.New("informer: resourceVersions cannot be compared")

// WaitVersion waits until the store shows the given resourceVersion or a later one: read your own writes. namespace is
// that of the object written, for an informer of several. Versions that cannot be compared, and a restored etcd
// (*EpochError), are errors.
func (i *Informer[T]) WaitVersion(ctx context.Context, namespace, version string) error {
	s := i.sourceOf(namespace)
	if s == nil {
		return fmt.Errorf("informer: %s: namespace %q is not followed", i.resource, namespace)
	}
	p := &s.progress
	p.mu.Lock()
	epoch, began := p.epoch, p.synced
	p.mu.Unlock()
	for {
		p.mu.Lock()
		if began && p.epoch != epoch {
			p.mu.Unlock()
			return &EpochError{Version: version}
		}
		epoch, began = p.epoch, p.synced
		reached, err := reached(p.version, version)
		changed := p.next()
		p.mu.Unlock()
		if reached || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-s.stopped:
			return ErrStopped
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// reached reports whether the version applied is the one wanted or a later one.
func reached(applied, wanted string) (bool, error) {
	if applied == "" {
		return false, nil
	}
	if applied == wanted {
		return true, nil
	}
	c, err := resourceversion.CompareResourceVersion(applied, wanted)
	if err != nil {
		return false, fmt.Errorf("%w: %w", errIncomparable, err)
	}
	return c >= 0, nil
}

// WaitFor waits until the condition holds for an object and returns it. It is asked when the informer is synced, and
// again after each change of the object; there is false when the object is not in the store.
func (i *Informer[T]) WaitFor(ctx context.Context, key Key, condition func(object T, there bool) bool) (T, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := i.WaitSync(ctx); err != nil {
		return *new(T), err
	}
	sub := i.Subscribe(Handler[T]{Name: "WaitFor", Match: func(k Key, _ T) bool { return k == key }, Resync: -1})
	defer sub.Close(false)
	value, there := i.store.Get(key)
	if condition(value, there) {
		return value, nil
	}
	for e, err := range sub.Events(ctx) {
		if err != nil {
			return *new(T), err
		}
		if condition(e.New, e.Kind != Deleted) {
			return e.New, nil
		}
	}
	return *new(T), ErrStopped
}
