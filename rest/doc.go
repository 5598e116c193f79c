// Package rest speaks HTTP/1.1 to one Kubernetes API server over connections it dials itself: one request, one response.
//
// A [Client] is bound to one origin (scheme, host, port). Its credentials never leave for another: redirects are not followed, and a request
// names a path, not a URL. The wire is read strictly: what RFC 9112 leaves open is refused wherever two readers could see two messages.
//
// One watch is one connection. A response body holds its connection until it has been read to its end or closed, so n watches at a time are n
// connections; [Client.Stats] counts them.
//
// No goroutine outlives a call. Cancelling the context of [Client.Do] ends the request and the body that came of it at once.
package rest
