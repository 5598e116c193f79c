package informer

import (
	"fmt"
	"reflect"

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
	return fmt.Sprintf("%x/%s", reflect.ValueOf(t.f).Pointer(), transformOf(t.Codec))
}

// transformOf describes the transforms of a codec, "" where there are none.
func transformOf[T any](codec watchdecoder.Codec[T]) string {
	if t, ok := codec.(interface{ chain() string }); ok {
		return t.chain()
	}
	return ""
}
