package informer

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// job is one object on its way from the wire to the store: bytes first, then a T.
type job[T any] struct {
	source *source[T]
	raw    *[]byte // nil once decoded
	size   int64
	item   bool // of a list in progress, not a change
	again  bool // read again by GET because its frame was bad

	value T
	err   error
	done  atomic.Bool
}

// buffers are what raw bytes wait in. Large ones are not kept: one large object must not set the price of all later ones.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const keepBuffer = 64 << 10

func (j *job[T]) load(raw []byte) {
	j.raw = buffers.Get().(*[]byte)
	*j.raw = append((*j.raw)[:0], raw...)
	j.size = int64(len(raw))
}

// run decodes and tells the source. It is a pool's task.
func (j *job[T]) run() {
	j.value, j.err = decode(j.source.informer.codec, *j.raw)
	if cap(*j.raw) <= keepBuffer {
		buffers.Put(j.raw)
	}
	j.raw = nil
	j.done.Store(true)
	j.source.wake()
}

// decode validates and decodes one object; a panic of a codec or of a transform becomes an error.
func decode[T any](codec watchdecoder.Codec[T], raw []byte) (value T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			value, err = *new(T), &PanicError{Where: "decode", Stack: debug.Stack()}
		}
	}()
	return codec.Decode(raw)
}

// PanicError says that user code panicked. What it panicked with is not kept: it may hold parts of an object.
type PanicError struct {
	Where string // "decode", or the name of the handler
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("informer: panic in %s", e.Where) }
