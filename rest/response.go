package rest

import (
	"slices"
	"strconv"
	"strings"
)

// Framing is how a response's body is delimited (RFC 9112 6.3).
type Framing uint8

const (
	NoBody         Framing = iota // HEAD, 204, 304: nothing follows the head
	ContentLength                 // a counted body
	Chunked                       // the chunked transfer coding
	CloseDelimited                // until the server closes the connection
)

// String returns the framing's name.
func (f Framing) String() string {
	switch f {
	case NoBody:
		return "no body"
	case ContentLength:
		return "content-length"
	case Chunked:
		return "chunked"
	case CloseDelimited:
		return "close-delimited"
	}
	return "unknown"
}

// MediaType returns the Content-Type without its parameters, in lower case; "" when there is none.
func (r *Response) MediaType() string {
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.ToLower(trimOWS(media))
}

// ExpectMediaType returns an *Error, and closes the body, unless the body is of one of these media types (lower case, without parameters).
// A login page or a balancer's notice comes as 200 text/html.
func (r *Response) ExpectMediaType(want ...string) error {
	media := r.MediaType()
	if slices.Contains(want, media) {
		return nil
	}
	r.Body.Close()
	rule := "a " + strconv.Itoa(r.Code) + " answer of type " + quote(media)
	if media == "" {
		rule = "a " + strconv.Itoa(r.Code) + " answer without Content-Type"
	}
	return &Error{
		Phase: PhaseHead, Addr: r.Body.x.cn.server, Rule: rule + " in place of " + strings.Join(want, " or "), Section: "RFC 9110 8.3", Offset: -1, protocol: true,
		hint: "a login page, proxy or balancer answered in place of the API server; check the address and what stands in front of it",
	}
}

// Response is a 2xx response whose body has not been read.
type Response struct {
	Code   int
	Header Header
	// Body is never nil. It must be closed, or read to io.EOF.
	Body    *Body
	Framing Framing
	// ContentLength is the counted body's length on the wire, -1 when it is not known in advance.
	ContentLength int64
	// Warnings are the texts of the API server's Warning fields.
	Warnings []string
	AuditID  string
	// Conn numbers the connection, from 1, within the client.
	Conn uint64
	// Reused says that the connection had served an earlier request.
	Reused bool
}
