package informer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/store"
)

// Status is what an informer is doing and how it is. The JSON names are stable.
type Status struct {
	Resource      string               `json:"resource"`
	Synced        bool                 `json:"synced"`
	Objects       int                  `json:"objects"`
	Sources       []SourceStatus       `json:"sources"`
	Subscriptions []SubscriptionStatus `json:"subscriptions"`

	Problems    map[string]uint64 `json:"problems,omitempty"` // objects that could not be stored as they came, by reason
	LastProblem string            `json:"lastProblem,omitempty"`
	Stale       []string          `json:"stale,omitempty"` // keys whose newest state is not in the store; at most 1,000 are remembered
	Rereads     uint64            `json:"rereads"`         // objects read again by GET
	Panics      uint64            `json:"panics"`          // of handlers
	// Blocked says that a handler with the Block policy is full, so that nothing is read from the wire.
	Blocked bool `json:"blocked"`
}

// SourceStatus is one collection: what its reflector says, and how far its objects have come on their way.
type SourceStatus struct {
	Namespace string           `json:"namespace,omitempty"`
	Synced    bool             `json:"synced"`
	Reflector listwatch.Status `json:"reflector"`
	Queued    int              `json:"queued"`    // changes between the wire and the store
	InFlight  int64            `json:"inFlight"`  // bytes read and not yet decoded
	Unchanged uint64           `json:"unchanged"` // objects that came again as the store has them: neither decoded nor delivered
	Replaces  uint64           `json:"replaces"`  // complete lists committed
}

// SubscriptionStatus is one handler.
type SubscriptionStatus struct {
	Name    string `json:"name,omitempty"`
	Synced  bool   `json:"synced"`
	Depth   int    `json:"depth"`   // events that wait
	Slow    uint64 `json:"slow"`    // how often it fell so far behind that its policy applied
	Handled uint64 `json:"handled"` // events given to it
	Panics  uint64 `json:"panics"`
}

// Status returns the present state.
func (i *Informer[T]) Status() Status {
	i.mu.Lock()
	defer i.mu.Unlock()
	status := Status{
		Resource: i.resource.String(), Synced: isClosed(i.synced), Objects: i.store.Len(),
		Rereads: i.rereads.Load(), Blocked: i.log.Blocked() > 0,
	}
	for _, s := range i.sources {
		status.Sources = append(status.Sources, SourceStatus{
			Namespace: s.namespace, Synced: s.hasSynced(), Reflector: s.reflector.Status(), Queued: s.queue.Len(),
			InFlight: s.inFlight.Load(), Unchanged: s.unchanged.Load(), Replaces: s.relists.Load(),
		})
	}
	for _, sub := range i.subscriptions {
		status.Subscriptions = append(status.Subscriptions, SubscriptionStatus{
			Name: sub.handler.Name, Synced: isClosed(sub.synced), Depth: sub.Depth(), Slow: sub.reader.Left(),
			Handled: sub.handled.Load(), Panics: sub.panics.Load(),
		})
	}
	i.problems.describe(&status)
	return status
}

func (p *problems) describe(status *Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	status.Problems = maps.Clone(p.counts)
	if p.last != nil {
		status.LastProblem = p.last.Error()
	}
	for key := range p.stale {
		status.Stale = append(status.Stale, store.FormatKey(key))
	}
	slices.Sort(status.Stale)
	status.Panics = p.panics
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Healthy returns nil when the informer is synced, every collection has heard from its server within maxSilence (zero
// or less: however long ago), and no handler has panicked since the last Acknowledge. Otherwise the error says what is
// wrong: it is meant for a health probe.
func (i *Informer[T]) Healthy(maxSilence time.Duration) error {
	if isClosed(i.ended) {
		return ErrStopped
	}
	var wrong []error
	i.problems.mu.Lock()
	wrong = append(wrong, i.problems.lastPanic)
	i.problems.mu.Unlock()
	now := time.Now()
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, s := range i.sources {
		s.progress.mu.Lock()
		synced, err := s.progress.synced, s.progress.err
		s.progress.mu.Unlock()
		if !synced || err != nil {
			wrong = append(wrong, s.notSynced(err))
			continue
		}
		status := s.reflector.Status()
		if silence := now.Sub(status.LastByte); maxSilence > 0 && silence > maxSilence {
			wrong = append(wrong, fmt.Errorf("informer: %s in namespace %q has heard nothing for %s (%s)",
				i.resource, s.namespace, silence.Round(time.Second), status.State))
		}
	}
	return errors.Join(wrong...)
}
