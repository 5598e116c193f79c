package listwatch

import (
	"context"
	"iter"

	"github.com/rawwatch/rawwatch/rest"
)

// List yields a collection once, page after page, with o.List's parameters as they are and o.PageSize where o.List.Limit is zero: ReplaceBegin, ReplaceItem
// for each object, Problem for one that could not be read, and at last ReplaceEnd with the list's version. When a later page has expired (410), a
// ReplaceAbort and a ReplaceBegin are followed by the whole list without pages (API concepts, "Retrieving large results sets in chunks").
// Any other failure, and the end of ctx, ends the iteration with an error: a list without ReplaceEnd is not complete.
func List(ctx context.Context, c *rest.Client, o Options) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {}
}

// Watch yields one watch request to its end, with o.List's parameters as they are: Added, Modified, Deleted, Bookmark and Problem. It always ends with an error,
// a *StreamError once the watch had begun; see there for what ended it. Bookmarks are not asked for unless o.List says so; without them there is no
// idle deadline but a positive o.IdleTimeout.
func Watch(ctx context.Context, c *rest.Client, o Options) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {}
}

// Follow yields a collection for ever: each object as Added (with Initial for those of the first state), then Added, Modified, Deleted, Bookmark and Problem.
// After a relist it yields only the differences to what it had yielded, between a ReplaceBegin that says why and a ReplaceEnd; objects that
// were found missing are Deleted with Stale. An object that was deleted and created anew under its name is Deleted, then Added. It keeps UID and version of
// each object, nothing else. It ends as [Reflector.Events] does.
//
// Differences are yielded as they are read: a ReplaceAbort takes none of them back, they are true states. The first list is a consistent one.
func Follow(ctx context.Context, c *rest.Client, o Options) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {}
}

// Until follows a collection until done returns true or an error, which is returned. The end of ctx is an error, its cause.
func Until(ctx context.Context, c *rest.Client, o Options, done func(*Event) (bool, error)) error {
	return nil
}
