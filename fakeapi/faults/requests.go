package faults

import (
	"net/http"
	"strings"
)

// Requests is a set of kinds of requests.
type Requests uint16

// The kinds of requests.
const (
	List      Requests = 1 << iota // a list, or its first page
	Page                           // a further page
	Watch                          // a watch from a version
	WatchList                      // a watch with sendInitialEvents
	Probe                          // a list with limit=1: where is the server?
	Get                            // one object
	Write                          // anything but GET
	Other                          // discovery, health, version

	Lists   = List | Page
	Watches = Watch | WatchList
	Reads   = Lists | Watches
	Any     = Reads | Probe | Get | Write | Other
)

// kindOf sorts requests as the API's paths and parameters have them.
func kindOf(r *http.Request) Requests {
	if r.Method != http.MethodGet {
		return Write
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		parts = parts[3:]
	default:
		return Other
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	if len(parts) > 1 {
		return Get
	}
	q := r.URL.Query()
	switch {
	case isTrue(q.Get("watch")) && isTrue(q.Get("sendInitialEvents")):
		return WatchList
	case isTrue(q.Get("watch")):
		return Watch
	case q.Get("continue") != "":
		return Page
	case q.Get("limit") == "1":
		return Probe
	}
	return List
}

func isTrue(value string) bool { return value == "true" || value == "1" }
