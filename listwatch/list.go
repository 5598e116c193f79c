package listwatch

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
)

// List yields a collection once, page after page, with o.List's parameters as they are and o.PageSize where o.List.Limit is zero: ReplaceBegin, ReplaceItem
// for each object, Problem for one that could not be read, and at last ReplaceEnd with the list's version. When a later page has expired (410), a
// ReplaceAbort and a ReplaceBegin are followed by the whole list without pages (API concepts, "Retrieving large results sets in chunks").
// Any other failure, and the end of ctx, ends the iteration with an error: a list without ReplaceEnd is not complete.
func List(ctx context.Context, c *rest.Client, o Options) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		l := &lister{ctx: ctx, client: c, o: o, s: settingsOf(&o, ""), yield: yield}
		var err error
		if l.path, err = collectionPath(&o); err == nil {
			err = l.run()
		}
		if err != nil && err != errLeft {
			yield(nil, err)
		}
	}
}

// errLeft says that the loop was left.
var errLeft = errors.New("left")

// lister is one list.
type lister struct {
	ctx    context.Context
	client *rest.Client
	o      Options
	s      settings
	path   string
	yield  func(*Event, error) bool

	pages pages
	bytes int64
	event Event
}

func (l *lister) run() error {
	first := l.o.List
	if first.Limit == 0 {
		first.Limit = l.s.pageSize
	}
	err := l.all(first)
	if l.pages.page == 1 || !status.IsGone(err) {
		return err
	}
	if !l.send(Event{Kind: ReplaceAbort, Err: err, Reason: ReasonExpired}) {
		return errLeft
	}
	first.Limit = 0
	return l.all(first)
}

// all yields every page.
func (l *lister) all(q rest.ListOptions) error {
	l.pages, l.bytes = newPages(l.s.maxPages), l.o.MaxBytes
	for {
		version, token, err := l.one(q)
		if err != nil {
			return err
		}
		more, err := l.pages.end(version, token)
		if err != nil {
			return err
		}
		if !more {
			l.send(Event{Kind: ReplaceEnd, Version: version})
			return nil
		}
		q.ResourceVersion, q.ResourceVersionMatch, q.Continue = "", "", token
	}
}

// one yields one page.
func (l *lister) one(q rest.ListOptions) (version, token string, err error) {
	s, err := ask(l.ctx, l.client, &l.o, l.path, &request{purpose: forList, list: q})
	if err != nil {
		return "", "", err
	}
	defer s.close()
	if l.o.MaxBytes > 0 {
		s.left, s.most = l.bytes, l.o.MaxBytes
	}
	if l.pages.page == 1 && !l.send(Event{Kind: ReplaceBegin, Conn: s.response.Conn}) {
		return "", "", errLeft
	}
	for {
		in := s.next()
		switch in.kind {
		case inPageEnd:
			l.bytes = s.left
			l.learnKind(s)
			return in.version, in.token, nil
		case inEnded:
			return "", "", in.err
		}
		if err := l.item(s, &in); err != nil {
			return "", "", err
		}
	}
}

// item yields an item, or what is wrong with it.
func (l *lister) item(s *stream, in *input) error {
	if l.pages.objects++; l.s.maxObjects > 0 && l.pages.objects > l.s.maxObjects {
		return &LimitError{Limit: "MaxObjects", Value: l.s.maxObjects}
	}
	e := Event{Kind: ReplaceItem, Initial: true}
	if in.kind == inBad {
		e.Kind, e.Err, e.Reason = Problem, in.err, in.reason
	}
	s.fill(&e)
	if !l.send(e) {
		return errLeft
	}
	return nil
}

// learnKind makes the pages after the first be of its kind.
func (l *lister) learnKind(s *stream) {
	if kind, ok := strings.CutSuffix(s.list.Meta().Kind, "List"); ok && kind != "" && l.o.Kind == "" {
		l.o.APIVersion, l.o.Kind = s.list.Meta().APIVersion, kind
	}
}

func (l *lister) send(e Event) bool {
	l.event = e
	return l.yield(&l.event, nil)
}
