package faults

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

func apiFaults() []*Fault {
	return in(API, refusals(), throttles(), lists(), items(), watches(), markers(), bookmarkFaults(), events(), legalEvents())
}

// refuse answers with a Status.
func refuse(e *fakeapi.StatusError) func(*exchange) {
	return func(x *exchange) { fakeapi.WriteStatus(x.w, e) }
}

func status(code int, reason, message string) *fakeapi.StatusError {
	return &fakeapi.StatusError{Code: code, Reason: reason, Message: message}
}

var (
	gone     = status(410, "Expired", "too old resource version: 1 (1000)")
	tooLarge = &fakeapi.StatusError{Code: 504, Reason: "Timeout", Message: "Timeout: Too large resource version: 1000, current: 1", Details: &fakeapi.StatusDetails{
		Causes: []fakeapi.StatusCause{{Reason: "ResourceVersionTooLarge", Message: "Too large resource version"}}, RetryAfterSeconds: 1,
	}}
)

// refusals are errors of the API, as status or as event.
func refusals() []*Fault {
	expired, storm := []Invariant{ExpiredEnds, FinalState}, []Invariant{StormBound, FinalState}
	list := []*Fault{
		{Name: "list-410", Summary: "a list is too old", Invariants: expired, On: Lists, answer: refuse(gone)},
		{Name: "page-410", Summary: "a continue token is too old", Invariants: expired, On: Page, answer: refuse(gone)},
		{Name: "watch-410", Summary: "a watch is refused with status 410, as older servers did", Invariants: expired, On: Watches, answer: refuse(gone)},
		{Name: "watch-error-410-first", Summary: "a watch begins with an ERROR event of code 410", Invariants: expired, On: Watches, answer: errorEvent(gone)},
		{Name: "gone-gone", Summary: "410 with the reason Gone, as the oldest servers have it", Invariants: expired, On: Reads, answer: refuse(status(410, "Gone", "gone"))},
		{Name: "list-too-large", Summary: "a version is ahead of the server", Invariants: []Invariant{TooLargeEnds, FinalState}, On: Lists | WatchList, answer: refuse(tooLarge)},
		{Name: "list-too-large-old", Summary: "the same as servers before 1.19 say it, in the message alone", Invariants: []Invariant{TooLargeEnds, FinalState}, On: Lists | WatchList,
			answer: refuse(status(504, "Timeout", "Timeout: Too large resource version: 1000, current: 1"))},
		{Name: "watch-list-400", Summary: "the server does not know watch-list: 400", Invariants: []Invariant{Fallback}, On: WatchList, answer: refuse(status(400, "BadRequest", "unknown parameter"))},
		{Name: "watch-list-405", Summary: "the server does not know watch-list: 405", Invariants: []Invariant{Fallback}, On: WatchList, answer: refuse(status(405, "MethodNotAllowed", "no"))},
		{Name: "watch-list-422", Summary: "the server's watch-list is off: 422", Invariants: []Invariant{Fallback}, On: WatchList,
			answer: refuse(status(422, "Invalid", "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden"))},
		{Name: "refused-404", Summary: "the collection is not there, as while its definition is installed", Invariants: storm, On: Reads, answer: refuse(status(404, "NotFound", "the server could not find the requested resource"))},
		{Name: "refused-409", Summary: "409, which makes no sense here", Invariants: storm, On: Reads, answer: refuse(status(409, "Conflict", "conflict"))},
		{Name: "refused-500", Summary: "500 InternalError", Invariants: storm, On: Reads, answer: refuse(status(500, "InternalError", "etcdserver: leader changed"))},
		{Name: "refused-503", Summary: "503 ServiceUnavailable", Invariants: storm, On: Reads, answer: refuse(status(503, "ServiceUnavailable", "the server is shutting down"))},
		{Name: "refused-504", Summary: "504 Timeout", Invariants: storm, On: Reads, answer: refuse(status(504, "Timeout", "etcdserver: request timed out"))},
		{Name: "refused-store-read", Summary: "an object in etcd cannot be read", Invariants: storm, On: Reads, answer: refuse(status(500, "StoreReadError", "failed to decrypt"))},
		{Name: "refused-no-reason", Summary: "a Status without reason and message", Invariants: storm, On: Reads, answer: refuse(status(500, "", ""))},
		{Name: "refused-not-status", Summary: "500 with JSON that is no Status", Invariants: storm, On: Reads, answer: func(x *exchange) { x.json(500, `{"error":["x"]}`) }},
		{Name: "refused-bad-json", Summary: "500 with half a Status", Invariants: storm, On: Reads, answer: func(x *exchange) { x.json(500, `{"kind":"Status","code":50`) }},
		{Name: "refused-at-length", Summary: "500 with a message of four megabytes", Invariants: []Invariant{MemoryBound}, On: Reads,
			answer: func(x *exchange) { x.json(500, `{"kind":"Status","message":"`+strings.Repeat("a", 4<<20)+`"}`) }},
	}
	for _, e := range []struct {
		name, says string
		event      *fakeapi.StatusError
	}{
		{"watch-error-500", "a watch begins with an ERROR event of code 500", status(500, "InternalError", "unable to decode")},
		{"watch-error-store-read", "a watch begins with an ERROR event about an object that cannot be read", status(500, "StoreReadError", "failed to decrypt")},
		{"watch-error-429", "a watch begins with an ERROR event of code 429", &fakeapi.StatusError{Code: 429, Reason: "TooManyRequests", Details: &fakeapi.StatusDetails{RetryAfterSeconds: 5}}},
		{"watch-error-401", "a watch begins with an ERROR event of code 401", status(401, "Unauthorized", "Unauthorized")},
		{"watch-error-504", "a watch begins with an ERROR event of code 504", status(504, "Timeout", "timed out")},
	} {
		list = append(list, &Fault{Name: e.name, Summary: e.says, Invariants: storm, On: Watches, answer: errorEvent(e.event)})
	}
	return list
}

// errorEvent answers a watch with one ERROR event.
func errorEvent(e *fakeapi.StatusError) func(*exchange) {
	return func(x *exchange) {
		body, _ := e.MarshalJSON()
		x.json(200, `{"type":"ERROR","object":`+string(body)+"}\n")
	}
}

// throttles are 429 and 503 with each form of Retry-After.
func throttles() []*Fault {
	storm := []Invariant{StormBound, FinalState}
	var all []*Fault
	for _, d := range []struct {
		name, says string
		value      func() string
	}{
		{"none", "without Retry-After", nil},
		{"seconds", "Retry-After: 2", func() string { return "2" }},
		{"zero", "Retry-After: 0", func() string { return "0" }},
		{"date", "Retry-After: a date ten seconds from now", func() string { return time.Now().Add(10 * time.Second).UTC().Format(http.TimeFormat) }},
		{"past", "Retry-After: a date that is over", func() string { return time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat) }},
		{"huge", "Retry-After: thirty years", func() string { return "946080000" }},
		{"overflow", "Retry-After: more than 64 bits", func() string { return "99999999999999999999" }},
		{"negative", "Retry-After: -5", func() string { return "-5" }},
		{"junk", "Retry-After: soon", func() string { return "soon" }},
	} {
		for _, code := range []int{429, 503} {
			reason := map[int]string{429: "TooManyRequests", 503: "ServiceUnavailable"}[code]
			all = append(all, &Fault{
				Name: "storm-" + strconv.Itoa(code) + "-" + d.name, Summary: strconv.Itoa(code) + " " + d.says, Invariants: storm, On: Reads | Probe,
				answer: func(x *exchange) {
					if d.value != nil {
						x.w.Header().Set("Retry-After", d.value())
					}
					fakeapi.WriteStatus(x.w, status(code, reason, "too many requests, please try again later"))
				},
			})
		}
	}
	return append(all, &Fault{Name: "storm-429-page", Summary: "429 with a page in place of a Status, as of a proxy", Invariants: storm, On: Reads | Probe, answer: func(x *exchange) {
		x.w.Header().Set("Content-Type", "text/html")
		x.send(429, "<html>slow down</html>")
	}})
}

// watches are streams that end, or do not, as they should not.
func watches() []*Fault {
	stream := func(x *exchange, body string) {
		x.w.Header().Set("Content-Type", "application/json")
		x.w.WriteHeader(200)
		_, _ = x.w.Write([]byte(body))
		x.flush()
	}
	return []*Fault{
		{Name: "watch-empty", Summary: "a watch ends at once, whole, without an event", Invariants: []Invariant{StormBound, ResumeExact}, On: Watches, answer: func(x *exchange) { stream(x, "") }},
		{Name: "watch-ends-early", Summary: "a watch ends whole after five seconds", Invariants: []Invariant{StormBound, ResumeExact}, On: Watches, alter: func(x *exchange, next http.Handler) {
			r := x.r.Clone(x.r.Context())
			q := r.URL.Query()
			q.Set("timeoutSeconds", "5")
			r.URL.RawQuery = q.Encode()
			next.ServeHTTP(x.w, r)
		}},
		{Name: "watch-silent", Summary: "a watch is accepted and sends nothing for ever", Invariants: []Invariant{StallEnds}, On: Watches, answer: func(x *exchange) { stream(x, ""); x.hang() }},
		{Name: "watch-blank-lines", Summary: "a watch sends an empty line every ten seconds and nothing else, for ten minutes", Invariants: []Invariant{LorisEnds, StallEnds}, On: Watch, answer: func(x *exchange) {
			stream(x, "")
			for range 60 {
				_, _ = x.w.Write([]byte("\n"))
				x.flush()
				x.wait(10 * time.Second)
			}
		}},
		{Name: "watch-overdue", Summary: "a watch goes on after timeoutSeconds", Invariants: []Invariant{StallEnds}, On: Watches, Legal: false, alter: func(x *exchange, next http.Handler) {
			r := x.r.Clone(x.r.Context())
			q := r.URL.Query()
			q.Set("timeoutSeconds", "36000")
			r.URL.RawQuery = q.Encode()
			next.ServeHTTP(x.w, r)
		}},
		{Name: "watch-no-bookmarks", Summary: "allowWatchBookmarks is ignored, but for the marker", Invariants: []Invariant{FinalState}, On: Watches, alter: func(x *exchange, next http.Handler) {
			r := x.r.Clone(x.r.Context())
			q := r.URL.Query()
			if x.kind == Watch {
				q.Del("allowWatchBookmarks")
			}
			r.URL.RawQuery = q.Encode()
			next.ServeHTTP(x.w, r)
		}, Legal: true},
		{Name: "watch-as-list", Summary: "watch is ignored: a list comes", Invariants: []Invariant{WrongContent, Fallback}, On: Watches, alter: func(x *exchange, next http.Handler) {
			r := x.r.Clone(x.r.Context())
			q := r.URL.Query()
			for _, name := range []string{"watch", "sendInitialEvents", "resourceVersionMatch", "resourceVersion"} {
				q.Del(name)
			}
			r.URL.RawQuery = q.Encode()
			next.ServeHTTP(x.w, r)
		}},
		{Name: "list-as-watch", Summary: "a list is answered with events", Invariants: []Invariant{WrongContent}, On: Lists, answer: func(x *exchange) {
			x.json(200, `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"5"}}}`+"\n")
		}},
	}
}

// markers are about the end of the initial events.
func markers() []*Fault {
	tries := []Invariant{Fallback, InitAtomic, SyncedHonest}
	return []*Fault{
		{Name: "watch-list-ignored", Summary: "sendInitialEvents is ignored: the watch begins with the state and no marker ever comes", Invariants: tries, On: WatchList, alter: func(x *exchange, next http.Handler) {
			r := x.r.Clone(x.r.Context())
			q := r.URL.Query()
			q.Del("sendInitialEvents")
			q.Del("resourceVersionMatch")
			q.Del("allowWatchBookmarks")
			r.URL.RawQuery = q.Encode()
			next.ServeHTTP(x.w, r)
		}},
		marker("marker-missing", "the marker does not come", tries, func(e fakeapi.Event) []fakeapi.Event { return nil }),
		marker("marker-plain", "the marker comes without its annotation", tries, func(e fakeapi.Event) []fakeapi.Event {
			return edited(e, func(o string) string { return strings.Replace(o, "initial-events-end", "something-else", 1) })
		}),
		marker("marker-false", "the marker's annotation says false", tries, func(e fakeapi.Event) []fakeapi.Event {
			return edited(e, func(o string) string {
				return strings.Replace(o, `"k8s.io/initial-events-end":"true"`, `"k8s.io/initial-events-end":"false"`, 1)
			})
		}),
		marker("marker-without-version", "the marker comes without a version", tries, func(e fakeapi.Event) []fakeapi.Event { return edited(e, withoutVersion) }),
		marker("marker-twice", "the marker comes twice", tries, func(e fakeapi.Event) []fakeapi.Event { return []fakeapi.Event{e, e} }),
		marker("marker-late", "the marker comes ten seconds after the state", tries, nil),
		marker("marker-cut", "the connection is cut in place of the marker", tries, func(fakeapi.Event) []fakeapi.Event { panic(http.ErrAbortHandler) }),
	}
}

func marker(name, says string, tries []Invariant, change func(fakeapi.Event) []fakeapi.Event) *Fault {
	return &Fault{Name: name, Summary: says, Invariants: tries, On: WatchList, about: markersOnly, Legal: name == "marker-twice" || name == "marker-late",
		event: func(x *exchange, e fakeapi.Event) []fakeapi.Event {
			if change == nil {
				x.waitFor(10 * time.Second)
				return []fakeapi.Event{e}
			}
			return change(e)
		}}
}

// cutAfter cuts a watch after a while.
func cutAfter(d time.Duration) func(*exchange, http.Handler) {
	return func(x *exchange, next http.Handler) {
		c := connOf(x)
		if c == nil {
			next.ServeHTTP(x.w, x.r)
			return
		}
		timer := time.AfterFunc(d, func() { _ = c.Close() })
		defer timer.Stop()
		next.ServeHTTP(x.w, x.r)
	}
}

func repeated(e fakeapi.Event, n int) []fakeapi.Event { return slices.Repeat([]fakeapi.Event{e}, n) }
