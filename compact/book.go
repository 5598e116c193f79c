package compact

import (
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/s2"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// book packs and unpacks objects with one dictionary.
type book[T any] struct {
	dictionary *s2.Dict // nil before the first one was learnt
	json       watchdecoder.Codec[*T]

	raw, packed atomic.Int64 // bytes of the objects of the present window
	objects     atomic.Int64
	best        atomic.Int64 // of the windows so far: packed bytes per 1,000 raw ones; 0 before the end of the first
	stale       atomic.Bool  // a window was much worse than the best one
}

// buffers holds what packing and unpacking write to first.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// keepBuffer bounds what one large object leaves behind.
const keepBuffer = 256 << 10

func keep(buffer *[]byte) {
	if cap(*buffer) <= keepBuffer {
		buffers.Put(buffer)
	}
}

func (b *book[T]) pack(raw []byte) []byte {
	buffer := buffers.Get().(*[]byte)
	defer keep(buffer)
	if most := s2.MaxEncodedLen(len(raw)); cap(*buffer) < most {
		*buffer = make([]byte, most)
	}
	space := (*buffer)[:cap(*buffer)]
	var packed []byte
	if b.dictionary != nil {
		packed = b.dictionary.Encode(space, raw)
	} else {
		packed = s2.Encode(space, raw)
	}
	return append(make([]byte, 0, len(packed)), packed...)
}

func (o Object[T]) unpack(dst []byte) ([]byte, error) {
	n, err := s2.DecodedLen(o.packed)
	if err != nil {
		return nil, errDamaged
	}
	if cap(dst) < n {
		dst = make([]byte, n)
	}
	if d := o.book.dictionary; d != nil {
		dst, err = d.Decode(dst[:n], o.packed)
	} else {
		dst, err = s2.Decode(dst[:n], o.packed)
	}
	if err != nil {
		return nil, errDamaged
	}
	return dst, nil
}

// window is over how many objects a dictionary is judged.
const window = 1024

// poor counts an object and reports whether a new dictionary should learn from it: always before the first one, and
// again once a window has come out a quarter larger than the best one did, because the collection has changed.
func (b *book[T]) poor(raw, packed int) bool {
	if b.dictionary == nil {
		return true
	}
	b.raw.Add(int64(raw))
	b.packed.Add(int64(packed))
	if b.objects.Add(1)%window == 0 {
		total := b.raw.Swap(0)
		ratio := max(1, b.packed.Swap(0)*1000/max(1, total))
		if best := b.best.Load(); best == 0 || ratio < best {
			b.best.Store(ratio)
		} else if ratio > best+best/4 {
			b.stale.Store(true)
		}
	}
	return b.stale.Load()
}
