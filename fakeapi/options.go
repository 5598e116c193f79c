package fakeapi

import "time"

// Options configure a Server. The zero value is a server with every built-in
// resource, no authentication and the real server's timings. Fields are read
// once, by New. For durations and counts zero means the stated default and
// negative means off.
type Options struct {
	// Resources are served beside the built-in ones, as custom resources.
	Resources []Resource

	// Tokens maps bearer tokens to users. Nil accepts every request as
	// system:anonymous with all rights; anything else, an empty map included,
	// answers 401 to a request without a token it holds.
	Tokens map[string]User

	// Seed decides every random choice: object UIDs, generated names, audit
	// IDs, the length of a watch without timeoutSeconds. Two servers with one
	// seed and one sequence of calls answer alike.
	Seed uint64

	// BookmarkInterval is the time between the bookmarks of a watch that asked
	// for them. Default one minute. Negative sends none but the marker that
	// ends the initial events of a watch-list, which is not periodic.
	BookmarkInterval time.Duration

	// WatchTimeout bounds a watch that names no timeoutSeconds: it ends after
	// a random time between WatchTimeout and twice that. Default 30 minutes
	// (kube-apiserver's --min-request-timeout). Negative never ends it.
	WatchTimeout time.Duration

	// FreshWait is how long a list or watch-list waits for a resourceVersion
	// that the server has not reached. Default 3 s. Negative refuses at once.
	FreshWait time.Duration

	// History bounds how many changes are kept for watches and old versions
	// before the oldest are compacted away. Default 100,000. Negative keeps
	// all until Compact.
	History int

	// WatchBuffer is how many changes a watch may lag behind before it is
	// ended. Default 1,000. Negative lets it lag as far as History does.
	WatchBuffer int

	// DialBuffer is how many bytes a connection made by Dial holds in each
	// direction before its writer waits. Default and negative: no bound.
	DialBuffer int

	// CompressOver is the size in bytes from which a response other than a
	// watch is compressed for a client that asks for gzip. Default 128 KiB.
	// Negative never compresses, watch-lists included.
	CompressOver int

	// WatchList says how sendInitialEvents is treated.
	WatchList WatchListMode

	// GoneStatus answers a watch from a compacted version with HTTP status
	// 410. Off, as in today's kube-apiserver, the answer is 200 and an ERROR
	// event that carries the 410.
	GoneStatus bool

	// GitVersion is what /version reports. Default "v1.37.1".
	GitVersion string

	// RequestLog is how many requests Requests remembers; the oldest are
	// forgotten. Default 10,000. Negative keeps none.
	RequestLog int
}

// WatchListMode says how a Server treats a watch with sendInitialEvents
// (KEP-3157).
type WatchListMode uint8

const (
	// WatchListOn streams the initial state and its marker bookmark.
	WatchListOn WatchListMode = iota
	// WatchListRefused answers 422 Invalid, as a server that knows the
	// parameter and has its feature gate off.
	WatchListRefused
	// WatchListIgnored drops sendInitialEvents and resourceVersionMatch, as a
	// server that never heard of them: the watch is an ordinary one.
	WatchListIgnored
	// WatchListSilent accepts the request and then sends nothing at all, as
	// some intermediaries do, until the watch times out.
	WatchListSilent
	// WatchListUnmarked streams the initial state and later changes but never
	// the marker.
	WatchListUnmarked
)

// withDefaults replaces zero by the default and negative by zero, which the
// rest of the package reads as off.
func (o Options) withDefaults() Options {
	orDefault(&o.BookmarkInterval, time.Minute)
	orDefault(&o.WatchTimeout, 30*time.Minute)
	orDefault(&o.FreshWait, 3*time.Second)
	orDefault(&o.History, 100_000)
	orDefault(&o.WatchBuffer, 1000)
	orDefault(&o.CompressOver, 128<<10)
	orDefault(&o.RequestLog, 10_000)
	if o.GitVersion == "" {
		o.GitVersion = "v1.37.1"
	}
	return o
}

func orDefault[T ~int | ~int64](v *T, d T) {
	switch {
	case *v == 0:
		*v = d
	case *v < 0:
		*v = 0
	}
}
