package watchdecoder

import (
	"reflect"
	"sync"
	"unsafe"

	jsoniter "github.com/json-iterator/go"
)

// Codec turns the bytes of one object into a T. It is safe for concurrent use.
type Codec[T any] interface {
	// Decode validates raw and returns its value, which shares no memory with raw: raw is valid during the call only. The
	// error is a *[SyntaxError] or a *[DecodeError].
	Decode(raw []byte) (T, error)
	// Accept is the media type to ask the server for when watching or reading single objects, "" for application/json.
	// [ListAccept] of it is the one for lists.
	Accept() string
}

// JSON returns the codec that decodes an object into a *T as sigs.k8s.io/json does, which Kubernetes uses: keys compared byte
// by byte, members that T does not declare skipped (at the speed of a scan), of equal keys the last one in force, integers
// exact, in values of type any too (int64, or float64 where they do not fit). Invalid UTF-8 becomes U+FFFD, except in what
// unmarshals itself. A panic of such a type is an error.
//
// Objects share what is equal in them and cannot be changed, strings that is, and the bytes of a metav1.FieldsV1: replace those,
// do not write into them.
//
// It looks at T's fields once: make a codec once and keep it.
func JSON[T any]() Codec[*T] { return newJSONCodec[T]() }

type jsonCodec[T any] struct {
	plan      *plan
	api       jsoniter.API
	pruners   sync.Pool
	assigners sync.Pool
}

func newJSONCodec[T any]() *jsonCodec[T] {
	c := &jsonCodec[T]{
		plan: planner{}.of(reflect.TypeFor[T]()),
		api:  jsoniter.Config{CaseSensitive: true}.Froze(),
	}
	c.api.RegisterExtension(new(asides))
	c.pruners.New = func() any { return new(pruner) }
	c.assigners.New = func() any { return &assigner{api: c.api} }
	return c
}

func (*jsonCodec[T]) Accept() string { return "" }

func (c *jsonCodec[T]) Decode(raw []byte) (*T, error) {
	if value := c.assign(raw); value != nil {
		return value, nil
	}
	if err := validate(raw); err != nil {
		return nil, err
	}
	return c.decodeValid(raw)
}

// assign validates and decodes in one pass. It returns nil where that fails, whatever the reason: finding it takes another way.
func (c *jsonCodec[T]) assign(raw []byte) *T {
	a := c.assigners.Get().(*assigner)
	value := new(T)
	if !a.document(raw, c.plan, unsafe.Pointer(value)) {
		return nil
	}
	c.assigners.Put(a)
	return value
}

// keepPruned bounds the memory that a codec keeps from one object for the next.
const keepPruned = 64 << 10

func (c *jsonCodec[T]) decodeValid(raw []byte) (value *T, err error) {
	defer func() {
		if recover() != nil { // what it panicked with may quote the object
			value, err = nil, &DecodeError{Path: "the object", Rule: rulePanic}
		}
	}()
	p := c.pruners.Get().(*pruner)
	p.reset(raw)
	if !p.value(c.plan) {
		return nil, c.refuse(raw, p.in.i, p.rule, nil)
	}
	value = new(T)
	a, failure := p.iterate(c.api, value)
	switch {
	case a.rule != "":
		return nil, c.refuse(raw, a.at, a.rule, a.err)
	case failure != nil:
		return nil, &DecodeError{Path: "the object", Rule: "json-iterator refused it"}
	}
	if cap(p.out) <= keepPruned {
		clear(p.aside)
		c.pruners.Put(p)
	}
	return value, nil
}

// iterate has json-iterator decode what was copied into the value that to points at.
func (p *pruner) iterate(api jsoniter.API, to any) (aside, error) {
	a := aside{values: p.aside}
	p.out = append(p.out, ' ') // json-iterator takes a number at the very end for one that was cut
	iter := api.BorrowIterator(p.out)
	iter.Attachment = &a
	iter.ReadVal(to)
	failure := iter.Error
	api.ReturnIterator(iter)
	return a, failure
}

func (c *jsonCodec[T]) refuse(raw []byte, at int, rule string, err error) error {
	return &DecodeError{Offset: int64(at), Path: pathOf(raw, c.plan, at), Rule: rule, Err: err}
}
