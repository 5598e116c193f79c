package listwatch

import (
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

// listing: the state comes as a list, page by page.
type listing struct {
	version string // sent with the first page
	pages   pages
	begun   bool
}

func (*listing) name() string { return "list" }

func (s *listing) step(m *machine, now time.Time, in *input) {
	switch in.kind {
	case inAccepted:
		m.throttled.good(now)
		if !s.begun {
			s.begun = true
			m.yield(ReplaceBegin, "", m.reason, nil)
		}
	case inItem:
		s.pages.objects++
		m.item(now, s.pages.objects)
	case inBad:
		s.pages.objects++
		m.repeat.bad = true
		m.yield(Problem, "", in.reason, in.err)
	case inPageEnd:
		s.pageEnd(m, now, in)
	case inEnded:
		s.ended(m, now, in)
	case inFailed:
		m.lost = true
	}
}

// item yields an object of a complete state, unless it is one more than there may be.
func (m *machine) item(now time.Time, objects int64) {
	if m.o.maxObjects > 0 && objects > m.o.maxObjects {
		m.emit(actClose)
		m.again(now, true, "", &input{reason: ReasonLimit, err: &LimitError{Limit: "MaxObjects", Value: m.o.maxObjects}})
		return
	}
	m.yield(ReplaceItem, "", "", nil)
}

func (s *listing) pageEnd(m *machine, now time.Time, in *input) {
	more, err := s.pages.end(in.version, in.token)
	if err != nil {
		m.again(now, true, "", &input{reason: pagingReason(err), err: err})
		return
	}
	if err := m.behind(in.version); err != nil {
		m.restart(now, err, false)
		return
	}
	if more {
		m.paged = m.paged || s.version == "0" // a cache would have answered in one page
		// The token carries the version: the server refuses another one beside it.
		m.send(&request{purpose: forPage, list: rest.ListOptions{Continue: in.token, Limit: m.o.pageSize}})
		return
	}
	m.complete(now, in.version)
	if m.lostItem(now, false) {
		return
	}
	m.requestWatch(now, &input{reason: ReasonSynced})
}

// pagingReason tells a missing version from pages that do not add up.
func pagingReason(err error) string {
	if _, ok := err.(*VersionError); ok {
		return ReasonVersion
	}
	return ReasonPaging
}

// ended: a token that has expired while we paged does not make the list impossible, only the paging of it.
func (s *listing) ended(m *machine, now time.Time, in *input) {
	if in.reason == ReasonExpired && s.pages.page > 1 {
		m.yield(ReplaceAbort, "", in.reason, in.err)
		m.requestList(in, true)
		return
	}
	version := s.version
	if version == "0" {
		version = "" // never too old and never too large
	}
	m.again(now, s.begun, version, in)
}
