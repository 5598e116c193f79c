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

type jsonCodec[T any] struct{ *objectDecoder }

func newJSONCodec[T any]() *jsonCodec[T] {
	return &jsonCodec[T]{newObjectDecoder(reflect.TypeFor[T]())}
}

func (*jsonCodec[T]) Accept() string { return "" }

func (c *jsonCodec[T]) Decode(raw []byte) (*T, error) {
	if value := new(T); c.assign(unsafe.Pointer(value), raw) {
		return value, nil
	}
	value := new(T)
	if err := c.decode(value, raw); err != nil {
		return nil, err
	}
	return value, nil
}

func (c *jsonCodec[T]) decodeValid(raw []byte) (*T, error) {
	value := new(T)
	if err := c.decodeTo(value, raw); err != nil {
		return nil, err
	}
	return value, nil
}

// objectDecoder is the part of a jsonCodec that is there once, for all types.
type objectDecoder struct {
	plan      *plan
	api       jsoniter.API
	pruners   sync.Pool
	assigners sync.Pool
}

func newObjectDecoder(t reflect.Type) *objectDecoder {
	d := &objectDecoder{plan: planner{}.of(t), api: jsoniter.Config{CaseSensitive: true}.Froze()}
	d.api.RegisterExtension(new(asides))
	return d
}

// assign validates and decodes in one pass. It returns false where that fails, whatever the reason: finding it takes another way.
func (d *objectDecoder) assign(to unsafe.Pointer, raw []byte) bool {
	a, ok := d.assigners.Get().(*assigner)
	if !ok {
		a = &assigner{api: d.api}
	}
	if !a.document(raw, d.plan, to) {
		return false
	}
	d.assigners.Put(a)
	return true
}

// keepPruned bounds the memory that a codec keeps from one object for the next.
const keepPruned = 64 << 10

// decode decodes raw into the value that to points at where assign failed, or says why.
func (d *objectDecoder) decode(to any, raw []byte) error {
	if err := validate(raw); err != nil {
		return err
	}
	return d.decodeTo(to, raw)
}

// decodeTo decodes raw, which is valid, into the value that to points at.
func (d *objectDecoder) decodeTo(to any, raw []byte) (err error) {
	defer func() {
		if recover() != nil { // what it panicked with may quote the object
			err = &DecodeError{Path: "the object", Rule: rulePanic}
		}
	}()
	p, ok := d.pruners.Get().(*pruner)
	if !ok {
		p = new(pruner)
	}
	p.reset(raw)
	if !p.value(d.plan) {
		return d.refuse(raw, p.in.i, p.rule, nil)
	}
	a, failure := p.iterate(d.api, to)
	switch {
	case a.rule != "":
		return d.refuse(raw, a.at, a.rule, a.err)
	case failure != nil:
		return &DecodeError{Path: "the object", Rule: "json-iterator refused it"}
	}
	if cap(p.out) <= keepPruned {
		clear(p.aside)
		d.pruners.Put(p)
	}
	return nil
}

//go:noinline // it is an error
func (d *objectDecoder) refuse(raw []byte, at int, rule string, err error) error {
	return &DecodeError{Offset: int64(at), Path: pathOf(raw, d.plan, at), Rule: rule, Err: err}
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
