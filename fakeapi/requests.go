package fakeapi

import (
	"net/http"
	"net/url"
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
func (s *Server) Requests() []Request { return nil }

// ForgetRequests empties the log.
func (s *Server) ForgetRequests() {}

// Watch describes an open watch.
type Watch struct {
	Resource  string
	Namespace string
	Query     url.Values
	Started   time.Time
	// Version is the newest version its client was sent.
	Version uint64
}

// Watches returns the open watches, oldest first.
func (s *Server) Watches() []Watch { return nil }

// SetTokens replaces Options.Tokens. Open watches go on, as on a real server.
func (s *Server) SetTokens(tokens map[string]User) {}
