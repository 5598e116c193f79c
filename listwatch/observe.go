package listwatch

import (
	"context"
	"log/slog"
	"maps"
	"strings"
	"time"
)

// note changes the status.
func (r *Reflector) note(change func(*Status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.status)
}

func (r *Reflector) sawByte(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.LastByte = now
}

// opened notes a response.
func (r *Reflector) opened(s *stream) {
	if s == nil {
		return
	}
	r.note(func(status *Status) {
		status.LastByte = time.Now()
		if status.Conn != s.response.Conn {
			status.Conn = s.response.Conn
			status.Connections++
		}
	})
}

// transition tells everybody who wants to know.
func (r *Reflector) transition(now time.Time, a *action) {
	r.mu.Lock()
	r.status.entered(a, now)
	t := Transition{
		Time: now, From: a.from, To: a.to, Reason: a.reason, Err: a.err, Delay: a.wait, Version: r.machine.received, Epoch: r.machine.epoch,
	}
	r.mu.Unlock()
	if r.options.Observe != nil {
		r.options.Observe(t)
	}
	if r.options.Logger == nil {
		return
	}
	level := slog.LevelDebug
	args := []any{"path", r.path, "from", t.From, "to", t.To, "reason", t.Reason, "resourceVersion", t.Version}
	if t.Delay > 0 {
		args = append(args, "delay", t.Delay)
	}
	if t.Err != nil {
		level = slog.LevelWarn
		args = append(args, "error", t.Err.Error())
	}
	r.options.Logger.Log(context.Background(), level, "listwatch", args...)
}

func (s *Status) entered(a *action, now time.Time) {
	if a.from != a.to || s.Since.IsZero() {
		s.State, s.Since = a.to, now
	}
	s.Reason, s.Until = a.reason, time.Time{}
	if a.wait > 0 {
		s.Until = now.Add(a.wait)
	}
	if a.err != nil {
		s.failed(a.err, a.reason, now)
	}
}

func (s *Status) failed(err error, reason string, now time.Time) {
	s.LastError, s.LastErrorText, s.LastErrorReason, s.LastErrorTime = err, err.Error(), reason, now
}

// saw notes an event that is about to be yielded.
func (s *Status) saw(e *Event) {
	switch e.Kind {
	case Bookmark:
		s.LastBookmark = e.Received
	case ReplaceItem, ReplaceRemove, Added, Modified, Deleted:
		s.LastEvent = e.Received
	case Problem:
		s.Problems++
		s.failed(e.Err, ReasonBadFrame, e.Received)
	}
}

// count notes a request.
func (s *Status) count(q *request) {
	switch q.purpose {
	case forWatchList:
		s.WatchLists++
	case forList:
		s.Lists++
	case forPage:
		s.Pages++
	case forProbe:
		s.Probes++
	case forWatch:
		s.Watches++
		if q.resume {
			s.Resumes++
		}
	}
}

func (s *Status) relisted(reason string) {
	if s.Relists == nil {
		s.Relists = make(map[string]uint64)
	}
	s.Relists[reason]++
}

func (s Status) clone(lesson *Lesson) Status {
	s.Relists = maps.Clone(s.Relists)
	s.NoWatchList = lesson
	return s
}

// learnKind learns what objects must be of: from a complete list, or from a watch-list whose first object and marker agree. Each complete state says it
// anew, for a custom resource may have been replaced by another one under its name. A list whose kind says nothing teaches nothing.
func (r *Reflector) learnKind(s *stream) {
	if r.options.Kind != "" {
		return
	}
	r.apiVersion, r.kind = "", ""
	if s.list != nil {
		meta := s.list.Meta()
		if kind, ok := strings.CutSuffix(meta.Kind, "List"); ok && kind != "" {
			r.apiVersion, r.kind = meta.APIVersion, kind
		}
		return
	}
	id := &s.frame.Identity
	if s.kind != "" && string(id.Kind) == s.kind && string(id.APIVersion) == s.apiVersion {
		r.apiVersion, r.kind = s.apiVersion, s.kind
		s.watch.Expect(r.apiVersion, r.kind)
	}
}
