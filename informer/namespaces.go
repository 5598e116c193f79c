package informer

import (
	"fmt"
	"slices"
	"time"
)

// AddNamespace begins to follow one more namespace, at once where the informer runs. Subscriptions see its objects as
// Initial events. An error says that it is followed already, that the informer follows all namespaces, or ErrStopped.
func (i *Informer[T]) AddNamespace(namespace string) error {
	i.publishing.Lock()
	defer i.publishing.Unlock()
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.finished {
		return ErrStopped
	}
	for _, s := range i.sources {
		if s.namespace == "" || namespace == "" {
			return fmt.Errorf("informer: %s: all namespaces and single ones do not go together", i.resource)
		}
	}
	s, err := i.newSource(namespace)
	if err != nil {
		return fmt.Errorf("informer: %s: namespace %q is followed already", i.resource, namespace)
	}
	i.sources = append(i.sources, s)
	if i.ctx != nil {
		s.late = true
		s.start(i.ctx)
	}
	return nil
}

// RemoveNamespace stops following a namespace and waits until that has ended. Its objects leave the store, and every
// subscription sees their deletion, marked Stale.
func (i *Informer[T]) RemoveNamespace(namespace string) error {
	i.mu.Lock()
	at := slices.IndexFunc(i.sources, func(s *source[T]) bool { return s.namespace == namespace })
	if at < 0 {
		i.mu.Unlock()
		return fmt.Errorf("informer: %s: namespace %q is not followed", i.resource, namespace)
	}
	s := i.sources[at]
	i.sources = slices.Delete(i.sources, at, at+1)
	running := s.stop != nil
	i.mu.Unlock()
	if running {
		s.stop(nil)
		<-s.stopped
	}

	i.publishing.Lock()
	removed := s.writer.Close()
	generation := i.generation.Add(1)
	i.tell(removed, origin{received: time.Now(), stale: true}, generation)
	i.publishing.Unlock()
	for _, sub := range i.all() {
		sub.abandon(s)
	}
	s.progress.update(func(*progress) {}) // who waits for it waits no more
	i.checkSynced()
	return nil
}

// sourceOf returns the source that brings the objects of a namespace.
func (i *Informer[T]) sourceOf(namespace string) *source[T] {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, s := range i.sources {
		if s.namespace == "" || s.namespace == namespace {
			return s
		}
	}
	return nil
}
