package rest

import (
	"net/url"
	"time"
)

// Request is one request to the client's origin.
//
// Path is the absolute path below Config.Server's, such as Resource.Path returns: it begins with one slash and has no query, no fragment and no dot
// segment. A %XX in it is sent as it stands; bytes that a path cannot hold are escaped; control characters are refused.
type Request struct {
	// Method is an HTTP method; empty is GET. CONNECT and TRACE are refused.
	Method string
	Path   string
	Query  url.Values
	// Header holds further fields. Those this package writes itself (Host, Accept, Content-Type, Content-Length, User-Agent, ...), hop-by-hop
	// fields, Expect and Authorization are refused.
	Header Header
	// Body is sent with its Content-Length. It is not modified, and not used after Do returns.
	Body        []byte
	ContentType string
	// Accept is the media type asked for; empty is application/json.
	Accept string
	// Gzip asks for gzip and decodes it. A content coding that was not asked for is refused.
	Gzip bool
	// IdleTimeout and HeadTimeout replace the client's: 0 is the client's, negative is off.
	IdleTimeout time.Duration
	HeadTimeout time.Duration
	// Trace observes this request, in addition to the client's.
	Trace *Trace
}
