package compact

import (
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/s2"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// Codec turns objects into compressed ones. It is a [watchdecoder.Codec], safe for concurrent use; one per collection
// serves best, because what it learns is what that collection's objects have in common.
type Codec[T any] struct {
	current atomic.Pointer[book[T]]

	mu       sync.Mutex // guards learning
	learning *lesson
	turns    int
}

// JSON returns a codec whose objects decode as those of [watchdecoder.JSON] do.
func JSON[T any]() *Codec[T] {
	c := &Codec[T]{learning: new(lesson)}
	c.current.Store(&book[T]{json: watchdecoder.JSON[T]()})
	return c
}

// Accept implements [watchdecoder.Codec].
func (*Codec[T]) Accept() string { return "" }

// Decode implements [watchdecoder.Codec]: it validates raw and compresses it. The error is a *[watchdecoder.SyntaxError].
func (c *Codec[T]) Decode(raw []byte) (Object[T], error) {
	if err := watchdecoder.Valid(raw); err != nil {
		return Object[T]{}, err
	}
	b := c.current.Load()
	packed := b.pack(raw)
	if b.poor(len(raw), len(packed)) {
		c.learn(b, raw)
	}
	return Object[T]{packed, b}, nil
}

// How much a dictionary learns, and how often there is a new one. S2 looks back 64 KiB at most; more examples of the same
// thing were measured to gain nothing, examples of other things do.
const (
	lessonBytes   = 60 << 10
	lessonObjects = 8
	maxTurns      = 64
)

// lesson is what the next dictionary is made of.
type lesson struct {
	text    []byte
	objects int
}

// learn takes an object into the next dictionary, and turns to that when it has seen enough. Objects that are there keep
// the dictionary that they were packed with; it lives as long as one of them.
func (c *Codec[T]) learn(of *book[T], raw []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.learning == nil || c.current.Load() != of {
		return // the last turn is over, or somebody was faster
	}
	l := c.learning
	room := lessonBytes - len(l.text)
	l.text = append(l.text, raw[:min(len(raw), room)]...)
	if l.objects++; l.objects < lessonObjects && len(l.text) < lessonBytes {
		return
	}
	c.learning = new(lesson)
	if c.turns++; c.turns == maxTurns {
		c.learning = nil // this is no collection of similar objects
	}
	if d := s2.MakeDict(l.text, nil); d != nil {
		c.current.Store(&book[T]{dictionary: d, json: of.json})
	}
}
