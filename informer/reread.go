package informer

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/fifo"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// rereadDelay gives a server that is in the middle of a change a moment before an object is read again.
const rereadDelay = time.Second

// reread reads stale objects again, one at a time, until ctx ends.
func (i *Informer[T]) reread(ctx context.Context) {
	for {
		select {
		case <-i.problems.more:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(rereadDelay):
		case <-ctx.Done():
			return
		}
		for _, key := range i.problems.takeRereads() {
			if s := i.sourceOf(key.Namespace); s != nil && ctx.Err() == nil {
				s.reread(ctx, key)
			}
		}
	}
}

func (p *problems) takeRereads() []Key {
	p.mu.Lock()
	defer p.mu.Unlock()
	keys := p.rereads
	p.rereads = nil
	return keys
}

// reread reads one object by GET and sends it the same way as the others. An object that is gone meanwhile, or a
// request that fails, changes nothing: the key stays marked, and the watch brings what comes next.
func (s *source[T]) reread(ctx context.Context, key Key) {
	i := s.informer
	response, err := i.client.Do(ctx, rest.Request{
		Method: "GET", Path: i.resource.Path(key.Namespace, key.Name), Accept: i.codec.Accept(),
	})
	if err != nil {
		return
	}
	defer response.Body.Close()
	i.rereads.Add(1)
	// An object in an event's clothes gets the bounds and the checks that an event gets.
	event := io.MultiReader(strings.NewReader(`{"type":"MODIFIED","object":`), response.Body, strings.NewReader("}"))
	frame, err := watchdecoder.NewDecoder(event, watchdecoder.Options{}).Next()
	if err != nil || frame.Identity.Key() != key {
		return
	}
	j := &job[T]{source: s, again: true}
	j.load(frame.Object)
	if s.reserve(ctx, j.size) != nil {
		return
	}
	i.pool.submit(j)
	s.queue.Push(ctx, fifo.Delta[*job[T]]{
		Type: fifo.Updated, Key: key, UID: string(frame.Identity.UID), ResourceVersion: string(frame.Identity.ResourceVersion),
		Value: j, Received: time.Now(),
	})
}
