package compact

import (
	"errors"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// Object is one object, compressed. It may be copied and kept, and costs 32 bytes beside what it was compressed to.
// The zero Object holds nothing. All methods may be called from any goroutine.
type Object[T any] struct {
	packed []byte
	book   *book[T]
}

// errDamaged can only be met where memory was overwritten: what is packed here was packed here.
var errDamaged = errors.New("compact: an object in memory does not unpack")

// Decode returns the object as [watchdecoder.JSON] decodes it. It does so at each call and keeps nothing. The error is a
// *[watchdecoder.DecodeError]. Of the zero Object it is nil, nil.
func (o Object[T]) Decode() (*T, error) {
	if o.book == nil {
		return nil, nil
	}
	buffer := buffers.Get().(*[]byte)
	defer keep(buffer)
	raw, err := o.unpack((*buffer)[:0])
	if err != nil {
		return nil, err
	}
	*buffer = raw
	return o.book.json.Decode(raw)
}

// Raw returns the object's JSON as the server sent it. The bytes are the caller's. Of the zero Object they are nil.
func (o Object[T]) Raw() watchdecoder.Raw {
	if o.book == nil {
		return nil
	}
	raw, err := o.unpack(nil)
	if err != nil {
		panic(err)
	}
	return raw
}

// AppendRaw appends the object's JSON to dst: Raw without the allocation, where dst is large enough.
func (o Object[T]) AppendRaw(dst []byte) []byte {
	if o.book == nil {
		return dst
	}
	buffer := buffers.Get().(*[]byte)
	defer keep(buffer)
	raw, err := o.unpack((*buffer)[:0])
	if err != nil {
		panic(err)
	}
	*buffer = raw
	return append(dst, raw...)
}

// Size returns the bytes that the object takes, compressed.
func (o Object[T]) Size() int { return len(o.packed) }
