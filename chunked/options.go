// Package chunked decodes the chunked transfer coding of HTTP/1.1 (RFC 9112 section 7.1), strictly.
//
// It takes nothing that two parsers could read differently: a size is hexadecimal digits and no more, a line ends at CRLF and nowhere else, and
// whatever follows the size is an extension by the letter of the grammar. What a peer may make us read beside the content is bounded.
package chunked

// Options bounds what a peer may send. Zero is the default named at each field, negative is no bound.
type Options struct {
	// MaxLine bounds a chunk's line with its size and extension, without CRLF; default 4096.
	MaxLine int
	// MaxExtension bounds the extensions of one body together; default 16 KiB.
	MaxExtension int
	// MaxOverhead bounds how far the framing may get ahead of the content it carries, see DefaultMaxOverhead.
	MaxOverhead int
	// MaxTrailerBytes bounds the trailer section, without its last CRLF; default 16 KiB.
	MaxTrailerBytes int
	// MaxTrailers bounds the fields of the trailer section; default 64.
	MaxTrailers int
	// MaxChunk bounds a single chunk's size; default 1 TiB. It costs no memory.
	MaxChunk int64
	// OnChunk, if set, is called by Read when a chunk's line has been read, before its data.
	OnChunk func(Chunk)
}

// Chunk is the beginning of a chunk.
type Chunk struct {
	// Offset is that of its first byte in the decoded content; for the last chunk it is the content's length.
	Offset int64
	// WireOffset is that of its first size digit, counted from the first byte of the body.
	WireOffset int64
	// Size is zero for the last chunk, after which only the trailer section comes.
	Size int64
	// Extension is what follows the size, as it came, from the first blank or semicolon to before CRLF. It is valid during the call only.
	Extension []byte
}
