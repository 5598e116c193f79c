package fakeapi

import (
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Request is one entry of the request log.
type Request struct {
	Time   time.Time
	Method string
	Path   string
	Query  url.Values
	// Header is as received, with Authorization masked.
	Header http.Header
	// Verb is what authorization calls the request: list, watch, get, ...;
	// for paths outside of resources it is the method in lower case.
	Verb string
	// Resource is the resource's Name, "" outside of resources.
	Resource        string
	Namespace, Name string
	RemoteAddr      string

	// Code is the HTTP status of the answer, 0 before it.
	Code int
	// Done is when the answer was complete, zero before it.
	Done time.Time
}

// Requests returns the log of requests, oldest first.
func (s *Server) Requests() []Request {
	l := &s.requests
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]Request, len(l.entries))
	for i, e := range l.entries {
		all[i] = e.Request
	}
	return all
}

// ForgetRequests empties the log.
func (s *Server) ForgetRequests() {
	s.requests.mu.Lock()
	defer s.requests.mu.Unlock()
	s.requests.entries = nil
}

type requestLog struct {
	mu      sync.Mutex
	limit   int
	entries []*logEntry
}

type logEntry struct{ Request }

func (l *requestLog) add(q *request) *logEntry {
	r := q.http
	e := &logEntry{Request{
		Time: time.Now(), Method: r.Method, Path: r.URL.Path, Query: q.query, Header: r.Header.Clone(),
		Verb: q.verb, Namespace: q.namespace, Name: q.name, RemoteAddr: r.RemoteAddr,
	}}
	if q.isResource {
		e.Resource = Resource{Group: q.group, Resource: q.resource}.Name()
	}
	if e.Header.Get("Authorization") != "" {
		e.Header.Set("Authorization", "(masked)")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.limit > 0 {
		if len(l.entries) >= l.limit {
			l.entries = l.entries[1:] // append moves what is left, now and then
		}
		l.entries = append(l.entries, e)
	}
	return e
}

func (l *requestLog) code(e *logEntry, code int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Code == 0 {
		e.Code = code
	}
}

func (l *requestLog) done(e *logEntry, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Done = now
}
