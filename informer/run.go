package informer

import (
	"context"
	"errors"
)

// ErrStopped says that the informer has run and does not run any more.
var ErrStopped = errors.New("informer: stopped")

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
	i.decoding.Wait()
	for _, sub := range i.all() {
		sub.end(ErrStopped)
	}
	close(i.ended)
	return context.Cause(ctx)
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
