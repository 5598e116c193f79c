package informer

import (
	"log/slog"
	"slices"
	"time"

	"github.com/rawwatch/rawwatch/listwatch"
)

// Options configures an Informer. The zero value is a good one.
type Options struct {
	// Namespaces to follow, one list and one watch each. None, or the empty one, is all namespaces, or a resource that
	// has none.
	Namespaces []string
	// Reflector configures how each collection is followed: selectors, watch-list, page size, time-outs. Resource,
	// Namespace, Path, Accept and ManualApply in it are the informer's own.
	Reflector listwatch.Options

	// Resync is the resync period of handlers that name none. Zero and negative are off.
	Resync time.Duration
	// RedeliverUnchanged decodes and delivers the objects of a relist that have not changed, too.
	RedeliverUnchanged bool
	// Workers validate and decode. Zero is one per processor, at most 8; negative is off: the reading goroutine decodes.
	// Informers of a factory use the factory's.
	Workers int
	// BytesInFlight bounds what has been read and not been decoded. Zero means 8 MiB; negative is off.
	BytesInFlight int64
	// Queue bounds what has been read and has not reached the store. Zero means 4,096 changes.
	Queue int

	// OnProblem is called, from goroutines of the informer, for each object that could not be stored as it is.
	OnProblem func(Problem)
	// Repanic lets a handler's panic end the process, after it was logged.
	Repanic bool
	// Logger, nil for silence. Objects are never logged, keys are.
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.BytesInFlight == 0 {
		o.BytesInFlight = 8 << 20
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if len(o.Namespaces) == 0 || slices.Contains(o.Namespaces, "") {
		o.Namespaces = []string{""}
	}
	return o
}
