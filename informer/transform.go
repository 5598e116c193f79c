package informer

import (
	"fmt"
	"unsafe"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// Transform is codec with f behind it: what f returns goes into the store. f runs on a worker, once per object that
// changed, before anybody sees it; it owns its argument and may strip anything, for key, UID and resourceVersion travel
// beside the object. An error or a panic leaves the stored object as it was and is reported as a Problem.
func Transform[T any](codec watchdecoder.Codec[T], f func(T) (T, error)) watchdecoder.Codec[T] {
	return transformed[T]{Codec: codec, f: f}
}

type transformed[T any] struct {
	watchdecoder.Codec[T]
	f func(T) (T, error)
}

func (t transformed[T]) Decode(raw []byte) (T, error) {
	value, err := t.Codec.Decode(raw)
	if err != nil {
		return value, err
	}
	if value, err = t.f(value); err != nil {
		return *new(T), fmt.Errorf("transform: %w", err)
	}
	return value, nil
}

// chain names the function and what it is chained to, so that a factory can tell two transforms apart.
func (t transformed[T]) chain() string {
	// A function value is a pointer to its code and what it has captured. The same pointer is the same function; two
	// closures of one literal are two. reflect would tell their common code only.
	return fmt.Sprintf("%p/%s", *(*unsafe.Pointer)(unsafe.Pointer(&t.f)), transformOf(t.Codec))
}

// transformOf describes a codec and its transforms.
func transformOf[T any](codec watchdecoder.Codec[T]) string {
	if t, ok := codec.(interface{ chain() string }); ok {
		return t.chain()
	}
	return fmt.Sprintf("%T", codec)
}
