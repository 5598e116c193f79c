package listwatch

import (
	"log/slog"
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

// Options says which collection to follow, and how. Zero is the documented default of a field, negative is off. Options are read once and not modified.
type Options struct {
	// Resource and Namespace name the collection; an empty Namespace is all namespaces, or a resource that has none.
	Resource  rest.Resource
	Namespace string
	// Path names the collection instead of Resource and Namespace: any absolute path that answers a list, such as /apis/example.com/v1/widgets.
	Path string

	// List holds the selectors, and Extra parameters for every request. ResourceVersion, unless empty or "0", is where to go on: [Reflector.Events],
	// [Follow] and [Until] then begin with a watch from there in place of a list. TimeoutSeconds replaces the random one of a watch; the other fields are theirs to
	// choose. [List] and [Watch] send all of it as it is.
	List rest.ListOptions
	// Accept is the media type of the objects, as watchdecoder's codecs say it; empty is application/json.
	Accept string
	// APIVersion and Kind are what each object must be of. Empty: what the first list says, if it says.
	APIVersion string
	Kind       string
	// Gzip asks for compressed lists and watch-lists. Ordinary watches are never compressed.
	Gzip bool

	// WatchList says whether the state may come as a watch with sendInitialEvents (KEP-3157).
	WatchList WatchListMode
	// WatchListSilence is for how long a watch-list may send nothing before its marker. Default 30 s.
	WatchListSilence time.Duration
	// Lessons remembers which collections have no working watch-list. Nil is a memory of the reflector's own; share one among the reflectors of a client.
	Lessons *Lessons

	// ConsistentList makes the first list the most recent state, in place of whatever the server's cache holds (resourceVersion=0).
	ConsistentList bool
	// PageSize is the limit of each page of a list. Default 500; negative asks for no pages.
	PageSize int64
	// MaxPages bounds the pages of one list. Default 100,000.
	MaxPages int
	// MaxObjects and MaxBytes bound a list as a whole. Default: no bound.
	MaxObjects int64
	MaxBytes   int64
	// MaxFrameBytes and MaxDepth bound one object: see watchdecoder.Options.
	MaxFrameBytes int
	MaxDepth      int

	// IdleTimeout is after how long without a byte a watch is given up and resumed. Default: 150 s until the stream has sent two bookmarks, then 1.25 times
	// their interval, at least 75 s.
	IdleTimeout time.Duration
	// Backoff times the attempts after failures.
	Backoff Backoff
	// InternalErrorWindow is for how long ERROR events of reason InternalError are answered by a resume before they force a relist. Default 30 s; a minute
	// without one begins a new window.
	InternalErrorWindow time.Duration
	// BadFrameRelist is how often, at most, bad events and [Reflector.Failed] may cause a relist; what comes in between causes one when that time is over.
	// Default once an hour; negative never. A list with bad items is repeated after a minute, and after twice as long each time until it has none: at this
	// interval in the end.
	BadFrameRelist time.Duration

	// FailUntilSynced ends the iteration with the first failure before the first complete state: what a command-line tool wants. A server that asks to wait
	// (429) is waited for all the same.
	FailUntilSynced bool
	// ManualApply leaves it to the caller to say which versions are applied. By default an event is applied when the loop body returns.
	ManualApply bool

	// Observe is called for each transition of the machine, by the goroutine that iterates. It must not call back into the reflector but for Status.
	Observe func(Transition)
	// Logger gets a line for each transition. Nil is silence.
	Logger *slog.Logger
	// Trace observes the requests, in addition to the client's.
	Trace *rest.Trace
	// Rand returns numbers in [0, 1) for jitter. Nil is math/rand/v2. It is called by the goroutine that iterates.
	Rand func() float64
}

// WatchListMode says whether watch-list is tried.
type WatchListMode int8

const (
	// WatchListFirst tries it, and falls back to a list where the server turns out not to have it.
	WatchListFirst WatchListMode = 0
	// WatchListOff never tries it.
	WatchListOff WatchListMode = -1
)

// Backoff is an exponential delay with a jitter of 20 percent either way.
type Backoff struct {
	// Initial is the first delay. Default 0.8 s.
	Initial time.Duration
	// Max is the highest delay before jitter. Default 30 s.
	Max time.Duration
	// Healthy is how long things must have gone well before the delays begin anew. Default 2 min.
	Healthy time.Duration
}
