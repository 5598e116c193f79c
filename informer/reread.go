package informer

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/fifo"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// An object is read again a moment after it was found bad, for the server may be in the middle of a change, and again
// much later where the request itself did not get through.
const (
	rereadDelay = time.Second
	rereadRetry = 30 * time.Second
)

// reread reads stale objects again, one at a time, until ctx ends.
func (i *Informer[T]) reread(ctx context.Context) {
	for delay := rereadDelay; ; {
		select {
		case <-i.problems.more:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return
		}
		delay = rereadDelay
		for _, key := range i.problems.takeRereads() {
			if s := i.sourceOf(key.Namespace); s != nil && !s.reread(ctx, key) && ctx.Err() == nil {
				i.problems.mu.Lock()
				i.problems.readAgain(key)
				i.problems.mu.Unlock()
				delay = rereadRetry
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

// reread reads one object by GET and sends it the same way as the others. It reports false when the server could not be asked. Where the server says that the object
// does not exist, that is its end: the event that was bad may have been its deletion, of which no watch will tell again. Any other refusal changes nothing: the key
// stays marked, and the watch brings what comes next.
func (s *source[T]) reread(ctx context.Context, key Key) (asked bool) {
	i := s.informer
	problem := i.problems.problemOf(key)
	if problem == 0 {
		return true // something came meanwhile
	}
	before, existed := i.store.Entry(key)
	response, err := i.client.Do(ctx, rest.Request{
		Method: "GET", Path: i.resource.Path(key.Namespace, key.Name), Accept: i.codec.Accept(),
	})
	if err != nil {
		switch gone := deniesExistence(err, i.resource, key); {
		case gone && existed:
			s.gone(ctx, before)
		case gone:
			i.problems.dispel(key)
		}
		code := status.Code(err)
		return code >= 400 && code < 500 && code != 429
	}
	defer response.Body.Close()
	// An object in an event's clothes gets the bounds and the checks that an event gets.
	event := io.MultiReader(strings.NewReader(`{"type":"MODIFIED","object":`), response.Body, strings.NewReader("}"))
	limits := watchdecoder.Options{MaxBytes: i.options.Reflector.MaxFrameBytes, MaxDepth: i.options.Reflector.MaxDepth}
	frame, err := watchdecoder.NewDecoder(event, limits).Next()
	if err != nil {
		return watchdecoder.IsRecoverable(err) // bad as before; anything else broke off
	}
	i.rereads.Add(1)
	if frame.Identity.Key() != key {
		return true
	}
	if had, ok := i.store.Entry(key); ok && had.UID == string(frame.Identity.UID) && had.ResourceVersion == string(frame.Identity.ResourceVersion) {
		i.problems.cleared(key, problem)
		return true
	}
	s.push(ctx, s.found(fifo.Updated, key, string(frame.Identity.UID), string(frame.Identity.ResourceVersion)), frame.Object)
	return true
}

// doubtful are the objects that the list lacks, where one of its items did not say which object it is: it may be any of
// them. They stay, and are read again one by one; where that would be too many, the list is believed.
func (l *listing[T]) doubtful() []Key {
	if !l.unnamed {
		return nil
	}
	missing := l.state.Missing()
	if len(missing) > maxStale {
		return nil
	}
	for _, key := range missing {
		l.state.Retain(key)
	}
	return missing
}

// doubt marks objects that may be gone.
func (p *problems) doubt(keys []Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, key := range keys {
		p.order++
		p.stale[key] = Problem{Key: key, Reason: "unlisted", order: p.order}
		p.readAgain(key)
	}
}

// dispel forgets a doubt. What was found bad is not one.
func (p *problems) dispel(key Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stale[key].Reason == "unlisted" {
		delete(p.stale, key)
	}
}
