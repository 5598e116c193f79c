// Package chunked decodes the chunked transfer coding of HTTP/1.1 (RFC 9112 section 7.1), strictly.
//
// It takes nothing that two parsers could read differently: a size is hexadecimal digits and no more, a line ends at CRLF and nowhere else, and
// what follows the size is an extension by the letter of the grammar. What a peer can make us read beside the content is bounded.
package chunked

import "math"

// Options bounds what a peer may send. Zero is the default that each field names, negative is no bound.
type Options struct {
	// MaxLine bounds the bytes of a chunk's line: size, extension and CRLF. Default DefaultMaxLine.
	MaxLine int
	// MaxExtension bounds the bytes of all extensions of one body together. Default DefaultMaxExtension.
	MaxExtension int
	// MaxOverhead bounds the framing that its content does not pay for, in bytes; see DefaultMaxOverhead.
	MaxOverhead int
	// MaxTrailerBytes bounds the bytes of the trailer section, without the CRLF that ends the body. Default DefaultMaxTrailerBytes.
	MaxTrailerBytes int
	// MaxTrailers bounds the fields of the trailer section. Default DefaultMaxTrailers.
	MaxTrailers int
	// MaxChunk bounds the size of one chunk, in bytes. A chunk is never held, so it guards arithmetic only. Default DefaultMaxChunk.
	MaxChunk int64
	// OnChunk, if set, is called by Read for each chunk once its line is there, the last one included. Read may be past earlier data by then, not yet
	// returned: Offset tells where the chunk belongs.
	OnChunk func(Chunk)
}

// Defaults of Options. API servers send neither extensions nor trailers; what proxies add is far below.
const (
	DefaultMaxLine         = 4 << 10
	DefaultMaxExtension    = 16 << 10
	DefaultMaxTrailerBytes = 16 << 10
	DefaultMaxTrailers     = 64
	DefaultMaxChunk        = 1 << 40

	// DefaultMaxOverhead is how far framing may get ahead of what pays for it. For each chunk, the bytes that are not content (its size, its
	// extension, two CRLF) are set against 12 bytes and one more for each byte of its content. What that leaves unpaid is added up; what
	// is to spare makes up for earlier chunks and is not saved for later ones, or a large body would buy junk of the same length.
	// So chunks of one byte may go on for ever ("1" CRLF "x" CRLF is five bytes, of thirteen), even with their sizes padded to eight digits, and an
	// extension may be as long as the content beside it. A sender who makes us read much more than it gives us is stopped 16 KiB later: without
	// this, a line of 4 KiB around each byte would cost thousands of times the content (CVE-2023-39326).
	DefaultMaxOverhead = 16 << 10
)

const (
	freePerChunk = 12 // the framing of an honest chunk: two CRLF and a size of up to eight digits
	dataCRLF     = 2  // of them, what follows the data
)

// Chunk is the beginning of a chunk.
type Chunk struct {
	// Offset is where its data begins in the decoded content; for the last chunk, the content's length.
	Offset int64
	// WireOffset is where its line begins, counted from the first byte of the body.
	WireOffset int64
	// Size is the length of its data; zero is the last chunk, after which only the trailer section comes.
	Size int64
	// Extension is all of the line between the size and CRLF, as it came. It is valid during the call only.
	Extension []byte
}

// resolved returns the options with every default and "no bound" as a number.
func (o Options) resolved() Options {
	o.MaxLine = bound(o.MaxLine, DefaultMaxLine, math.MaxInt)
	o.MaxExtension = bound(o.MaxExtension, DefaultMaxExtension, math.MaxInt)
	o.MaxOverhead = bound(o.MaxOverhead, DefaultMaxOverhead, math.MaxInt)
	o.MaxTrailerBytes = bound(o.MaxTrailerBytes, DefaultMaxTrailerBytes, math.MaxInt)
	o.MaxTrailers = bound(o.MaxTrailers, DefaultMaxTrailers, math.MaxInt)
	o.MaxChunk = bound(o.MaxChunk, DefaultMaxChunk, math.MaxInt64)
	return o
}

func bound[N int | int64](n, standard, most N) N {
	switch {
	case n == 0:
		return standard
	case n < 0:
		return most
	}
	return n
}
