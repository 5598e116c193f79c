package watchdecoder

// Codec turns the bytes of one object into a T. It is safe for concurrent use.
type Codec[T any] interface {
	// Decode validates raw and returns its value, which shares no memory with raw: raw is valid during the call only.
	Decode(raw []byte) (T, error)
	// Accept is the media type to ask the server for when watching or reading single objects, "" for application/json.
	// [ListAccept] of it is the one for lists.
	Accept() string
}

// JSON returns the codec that decodes an object into a *T as sigs.k8s.io/json does: keys compared byte by byte, integers
// exact, in values of type any too (int64, or float64 where they do not fit).
func JSON[T any]() Codec[*T] { return jsonCodec[T]{} }

type jsonCodec[T any] struct{}

func (jsonCodec[T]) Decode(raw []byte) (*T, error) { return nil, nil }
func (jsonCodec[T]) Accept() string                { return "" }

// Raw is one object's JSON, valid as of [Valid].
type Raw []byte

// RawObject returns the codec that validates an object and copies its bytes.
func RawObject() Codec[Raw] { return rawCodec{} }

type rawCodec struct{}

func (rawCodec) Decode(raw []byte) (Raw, error) { return append(Raw(nil), raw...), nil }
func (rawCodec) Accept() string                 { return "" }

// Lazy is an object's JSON that is decoded when asked for.
type Lazy[T any] struct{ raw Raw }

// LazyOf returns a Lazy over raw, which it keeps: valid JSON, as RawObject and LazyObject leave it, that nobody changes.
func LazyOf[T any](raw Raw) Lazy[T] { return Lazy[T]{raw} }

// Raw returns the object's bytes, not to be changed.
func (l Lazy[T]) Raw() Raw { return l.raw }

// Decode decodes the object at each call and keeps nothing.
func (l Lazy[T]) Decode() (*T, error) { return JSON[T]().Decode(l.raw) }

// LazyObject returns the codec that validates an object and keeps a copy of its bytes for later decoding.
func LazyObject[T any]() Codec[Lazy[T]] { return lazyCodec[T]{} }

type lazyCodec[T any] struct{}

func (lazyCodec[T]) Decode(raw []byte) (Lazy[T], error) {
	object, err := rawCodec{}.Decode(raw)
	return Lazy[T]{object}, err
}
func (lazyCodec[T]) Accept() string { return "" }
