package rest

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
