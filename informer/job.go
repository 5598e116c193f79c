package informer

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"github.com/rawwatch/rawwatch/store"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// job is one object on its way from the wire to the store: bytes first, then a T.
type job[T any] struct {
	source  *source[T]
	version string      // where the collection stands after it; "" inside a list
	list    *listing[T] // the list that it is part of; nil for a change
	again   bool        // read again by GET because it could not be used as it came
	reason  string      // of a bad frame, which has no value
	raw     *[]byte     // nil once decoded
	size    int64

	value T
	err   error
	done  atomic.Bool
}

// listing is a complete state that is being read.
type listing[T any] struct {
	state    *store.Replace[T]
	keep     bool   // what the store has already stays as it is
	epoch    uint64 // of the server's versions
	problems uint64 // how many were known before it: those that it does not repeat are over
	unnamed  bool   // an item did not say which object it was; apply's
	risen    []Key  // buried, and in the list; apply's
}

// newJob returns a job that knows its source, perhaps one that was used before.
func (s *source[T]) newJob() *job[T] {
	j, ok := s.informer.jobs.Get().(*job[T])
	if !ok {
		j = new(job[T])
	}
	j.source = s
	return j
}

// forget gives a job back that is done and whose value has been taken over.
func (s *source[T]) forget(j *job[T]) {
	*j = job[T]{}
	s.informer.jobs.Put(j)
}

// keepBuffer bounds the buffers that are kept: one large object must not set the price of all later ones.
const keepBuffer = 64 << 10

// load takes a copy of the object's bytes.
func (j *job[T]) load(raw []byte) {
	j.raw, _ = j.source.informer.pool.buffers.Get().(*[]byte)
	if j.raw == nil {
		j.raw = new([]byte)
	}
	*j.raw = append((*j.raw)[:0], raw...)
	j.size = int64(len(raw))
}

// run decodes and tells the source. It is a pool's task.
func (j *job[T]) run() {
	s, i := j.source, j.source.informer
	defer i.decoding.Done()
	j.value, j.err = decode(i.codec, *j.raw)
	if cap(*j.raw) <= keepBuffer {
		i.pool.buffers.Put(j.raw)
	}
	j.raw = nil
	j.done.Store(true) // from here on it is the one's who waited for it
	s.wake()
}

// drop takes the place of run where nobody waits for the value any more.
func (j *job[T]) drop() { j.source.informer.decoding.Done() }

// decode validates and decodes one object; a panic of a codec or of a transform becomes an error.
func decode[T any](codec watchdecoder.Codec[T], raw []byte) (value T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			value, err = *new(T), newPanicError("decode", cause)
		}
	}()
	return codec.Decode(raw)
}

// PanicError says that user code panicked.
type PanicError struct {
	Where string // "decode", or which function of which handler
	Type  string // of what it panicked with. The value itself is not kept, for it may hold parts of an object ...
	Err   error  // ... but for the runtime's own errors, such as an index out of range
	Stack []byte
}

func newPanicError(where string, cause any) *PanicError {
	e := &PanicError{Where: where, Type: fmt.Sprintf("%T", cause), Stack: debug.Stack()}
	if err, ok := cause.(error); ok {
		if re, ok := errors.AsType[runtime.Error](err); ok {
			e.Err = re
		}
	}
	return e
}

// Error says where, and with what type of value.
func (e *PanicError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("informer: panic in %s: %v", e.Where, e.Err)
	}
	return fmt.Sprintf("informer: panic in %s with a %s", e.Where, e.Type)
}

// Unwrap returns Err.
func (e *PanicError) Unwrap() error { return e.Err }
