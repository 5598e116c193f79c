package listwatch

import (
	"math/rand/v2"
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

const (
	defaultSilence        = 30 * time.Second
	defaultInternalWindow = 30 * time.Second
	defaultBadFrameRelist = time.Hour
)

// settingsOf puts the defaults in place.
func settingsOf(o *Options, path string) settings {
	s := settings{
		collection: path, timeoutSeconds: o.List.TimeoutSeconds, watchList: o.WatchList != WatchListOff, silence: o.WatchListSilence,
		consistent: o.ConsistentList, pageSize: o.PageSize, maxPages: o.MaxPages, maxObjects: max(o.MaxObjects, 0), idle: o.IdleTimeout,
		backoff: o.Backoff.withDefaults(), internalWindow: o.InternalErrorWindow, badFrameRelist: o.BadFrameRelist, failUntilSynced: o.FailUntilSynced,
	}
	if o.Path == "" {
		s.collection = o.Resource.String() // what a server can do is the same in all namespaces
	}
	if v := o.List.ResourceVersion; v != "0" {
		s.start = v
	}
	orDefault(&s.silence, defaultSilence)
	orDefault(&s.internalWindow, defaultInternalWindow)
	orDefault(&s.badFrameRelist, defaultBadFrameRelist)
	orDefault(&s.pageSize, defaultPageSize)
	orDefault(&s.maxPages, defaultMaxPages)
	s.pageSize = max(s.pageSize, 0)
	if s.maxPages < 0 {
		s.maxPages = int(^uint(0) >> 1)
	}
	return s
}

func orDefault[T ~int | ~int64](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}

func randomOf(o *Options) func() float64 {
	if o.Rand != nil {
		return o.Rand
	}
	return rand.Float64
}

// collectionPath is the path of every request.
func collectionPath(o *Options) (string, error) {
	if o.Path != "" {
		return o.Path, nil
	}
	return o.Resource.BuildPath(o.Namespace, "")
}

// parameters completes the protocol's parameters of a request with the caller's selectors.
func (r *Reflector) parameters(l rest.ListOptions) rest.ListOptions {
	from := &r.options.List
	l.LabelSelector, l.FieldSelector, l.Extra = from.LabelSelector, from.FieldSelector, from.Extra
	return l
}
