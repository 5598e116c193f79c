package watchdecoder

import (
	"errors"
	"io"
)

const (
	// baseBuffer is what a decoder starts with, and goes back to when little comes: two TLS records.
	baseBuffer = 32 << 10
	// busyBuffer is what it takes when more comes than there is room for. What a read costs by itself is several microseconds.
	busyBuffer = 256 << 10
	// keepBuffer is the largest buffer that a decoder keeps for the next unit. What a larger one needed is given back once it
	// was consumed: a watch may be silent for hours after its one large object.
	keepBuffer = 256 << 10
	// leastRead is the room below which it is better to move what is left to the buffer's front.
	leastRead = 4 << 10
	// mostQuiet is how many reads in a row that would have fitted half a baseBuffer end the time when more came.
	mostQuiet = 16
	// mostEmptyReads without a byte or an error are a broken reader.
	mostEmptyReads = 100
)

// source is a reader with a buffer before it: what was read and not yet discarded is in one piece.
type source struct {
	r          io.Reader
	buf        []byte
	start, end int   // what is held: buf[start:end]
	offset     int64 // of buf[start], in the body
	err        error // of r, once it had one
	most       int   // what the buffer may have to hold at once
	full       bool  // the last read filled what room there was
	quiet      int   // reads in a row that were small
}

func (s *source) bytes() []byte { return s.buf[s.start:s.end] }

// discard forgets the first n bytes that are held.
func (s *source) discard(n int) {
	s.start += n
	s.offset += int64(n)
}

// fill reads at least one byte more. Its error is the reader's.
func (s *source) fill() error {
	if s.err != nil {
		return s.err
	}
	s.makeRoom()
	for range mostEmptyReads {
		n, err := s.r.Read(s.buf[s.end:])
		if n < 0 || n > len(s.buf)-s.end {
			n, err = 0, errors.New("watchdecoder: the reader returned an impossible count")
		}
		s.full = n == len(s.buf)-s.end
		if s.quiet++; n > baseBuffer/2 {
			s.quiet = 0
		}
		s.end += n
		s.err = err
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	s.err = io.ErrNoProgress
	return s.err
}

// makeRoom leaves room behind what is held, in a buffer of adequate size.
func (s *source) makeRoom() {
	held := s.end - s.start
	size := len(s.buf)
	switch {
	case size == 0:
		size = baseBuffer
	case size > keepBuffer && held <= baseBuffer/2, size > baseBuffer && s.quiet >= mostQuiet && held <= baseBuffer/2:
		size = baseBuffer
	case s.full && size < min(busyBuffer, s.most):
		size = 2 * size
	case size-held < leastRead && size < s.most:
		size = 2 * size
	}
	if size != len(s.buf) {
		buf := make([]byte, size)
		s.end = copy(buf, s.bytes())
		s.buf, s.start = buf, 0
	}
	if s.start > 0 && (held <= len(s.buf)/8 || len(s.buf)-s.end < leastRead) {
		s.end = copy(s.buf, s.bytes())
		s.start = 0
	}
}
