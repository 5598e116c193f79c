package watchdecoder

import "sync"

// Raw is one object's JSON, valid as of [Valid].
type Raw []byte

// RawObject returns the codec that validates an object and copies its bytes.
func RawObject() Codec[Raw] { return new(rawCodec) }

type rawCodec struct{ known sync.Pool } // of *outlines

func (*rawCodec) Accept() string { return "" }

func (c *rawCodec) Decode(raw []byte) (Raw, error) {
	known, ok := c.known.Get().(*outlines)
	if !ok {
		known = new(outlines)
	}
	err := known.valid(raw)
	c.known.Put(known)
	if err != nil {
		return nil, err
	}
	object := make(Raw, len(raw)) // with copy behind it: memory that is not cleared before
	copy(object, raw)
	return object, nil
}

// Lazy is an object's JSON that is decoded when asked for.
type Lazy[T any] struct {
	raw   Raw
	codec *jsonCodec[T]
}

// LazyObject returns the codec that validates an object and keeps a copy of its bytes, for decoding as [JSON] does.
func LazyObject[T any]() Codec[Lazy[T]] { return &lazyCodec[T]{json: newJSONCodec[T]()} }

type lazyCodec[T any] struct {
	rawCodec
	json *jsonCodec[T]
}

func (c *lazyCodec[T]) Decode(raw []byte) (Lazy[T], error) {
	object, err := c.rawCodec.Decode(raw)
	return Lazy[T]{object, c.json}, err
}

// Raw returns the object's bytes, not to be changed.
func (l Lazy[T]) Raw() Raw { return l.raw }

// Decode decodes the object at each call and keeps nothing. The error is a *[DecodeError]. Of the zero Lazy it is nil, nil.
func (l Lazy[T]) Decode() (*T, error) {
	if l.codec == nil {
		return nil, nil
	}
	return l.codec.decodeValid(l.raw)
}
