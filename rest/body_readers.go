package rest

import (
	"io"
	"os"
	"time"

	"github.com/rawwatch/rawwatch/chunked"
)

// errEnded is a read on a connection whose waits have been ended.
var errEnded = os.ErrDeadlineExceeded

type eofReader struct{}

func (eofReader) Read([]byte) (int, error) { return 0, io.EOF }

// countedReader reads a body of known length (RFC 9112 6.2). Less is a cut (6.3).
type countedReader struct {
	src  io.Reader
	left int64
}

func (r *countedReader) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n, err := r.src.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	if err == io.EOF && r.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// chunkOptions ties the decoder's view of chunks to the traces, if anybody looks.
func (x *exchange) chunkOptions() chunked.Options {
	if !x.w.traces.wantsChunks() {
		return chunked.Options{}
	}
	return chunked.Options{OnChunk: func(c chunked.Chunk) {
		x.w.traces.chunk(ChunkReceived{
			Conn: x.cn.id, Time: time.Now(), Offset: c.Offset, WireOffset: c.WireOffset, Size: c.Size, Extension: c.Extension,
		})
	}}
}
