package faults

import (
	"net/http"

	"github.com/rawwatch/rawwatch/fakeapi"
)

func credentialFaults() []*Fault {
	storm, rotation := []Invariant{StormBound, FinalState}, []Invariant{Rotation, FinalState}
	origin := []Invariant{OneOrigin, WrongContent}
	with := func(e *fakeapi.StatusError, header ...string) func(*exchange) {
		return func(x *exchange) {
			for i := 0; i < len(header); i += 2 {
				x.w.Header().Set(header[i], header[i+1])
			}
			fakeapi.WriteStatus(x.w, e)
		}
	}
	unauthorized, forbidden := status(401, "Unauthorized", "Unauthorized"), status(403, "Forbidden", `pods is forbidden: User "x" cannot list resource "pods"`)
	return in(Credentials, []*Fault{
		{Name: "unauthorized", Summary: "401", Invariants: rotation, On: Reads | Probe | Get, answer: with(unauthorized)},
		{Name: "unauthorized-watch", Summary: "401 for watches alone", Invariants: rotation, On: Watches, answer: with(unauthorized)},
		{Name: "unauthorized-page", Summary: "401 with a page to sign in at", Invariants: storm, On: Reads | Probe, answer: func(x *exchange) {
			x.w.Header().Set("Content-Type", "text/html")
			x.w.Header().Set("WWW-Authenticate", `Negotiate`)
			x.send(401, "<html>Sign in</html>")
		}},
		{Name: "unauthorized-realm", Summary: "401 that asks for a password, for a realm elsewhere", Invariants: origin, On: Reads | Probe,
			answer: with(unauthorized, "WWW-Authenticate", `Basic realm="https://elsewhere.example/"`)},
		{Name: "unauthorized-mid-watch", Summary: "a watch is cut when its credentials expire, and the next request is answered 401", Invariants: rotation, On: Watch, alter: func(x *exchange, next http.Handler) {
			x.w.Header().Set("Content-Type", "application/json")
			x.w.WriteHeader(200)
			x.flush()
			panic(http.ErrAbortHandler)
		}},
		{Name: "forbidden", Summary: "403", Invariants: storm, On: Reads | Probe | Get, answer: with(forbidden)},
		{Name: "forbidden-watch", Summary: "403 for watches alone: lists are allowed", Invariants: storm, On: Watches, answer: with(forbidden)},
		{Name: "forbidden-list", Summary: "403 for lists alone: watches are allowed", Invariants: storm, On: Lists | Probe, answer: with(forbidden)},
		{Name: "redirected-elsewhere", Summary: "307 to another origin, which is to get no token", Invariants: origin, On: Reads | Probe | Get,
			answer: func(x *exchange) {
				x.w.Header().Set("Location", "https://elsewhere.example"+x.r.URL.Path)
				x.w.WriteHeader(307)
			}},
		{Name: "redirected-to-http", Summary: "308 to another port of the host, in the clear", Invariants: origin, On: Reads | Probe | Get,
			answer: func(x *exchange) {
				x.w.Header().Set("Location", "http://127.0.0.1:9"+x.r.URL.Path)
				x.w.WriteHeader(308)
			}},
		{Name: "alternative-service", Summary: "Alt-Svc and Refresh name another host", Invariants: origin, On: Reads, Legal: true, alter: func(x *exchange, next http.Handler) {
			h := x.w.Header()
			h.Set("Alt-Svc", `h2="elsewhere.example:443"; ma=86400`)
			h.Set("Refresh", "0; url=https://elsewhere.example/")
			h.Set("Set-Cookie", "session=1; Domain=example")
			next.ServeHTTP(x.w, x.r)
		}},
	})
}

// throttled is a 429 that says when to come again.
func throttled(after string) func(*exchange) {
	return func(x *exchange) {
		x.w.Header().Set("Retry-After", after)
		fakeapi.WriteStatus(x.w, status(429, "TooManyRequests", "storage is (re)initializing"))
	}
}
