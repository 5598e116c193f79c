package memnet

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// ending is how one side of a stream ended.
type ending uint8

const (
	open       ending = iota
	finished          // the writer said so: FIN
	closedHere        // Close: the side is gone
	reset             // the side is gone and told its peer so: RST
)

// stream is one direction of a connection. Its lock is held for copying only.
type stream struct {
	mu     sync.Mutex
	buf    []byte
	start  int // buf[start:] waits for the reader
	size   int // zero or less: no bound
	reader ending
	writer ending
	broken bool // the writer reset the connection

	writing         bool // a Write has begun and waits for room
	readBy, writeBy time.Time
	wake            chan struct{} // closed at every change; nil while nobody waits
}

func (s *stream) read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		s.mu.Lock()
		n, err := s.take(p)
		if n > 0 || err != nil {
			s.mu.Unlock()
			return n, err
		}
		wait, by := waiter(&s.wake), s.readBy
		s.mu.Unlock()
		await(wait, by)
	}
}

// take is one attempt to read; 0, nil is to wait. Called with the lock.
func (s *stream) take(p []byte) (int, error) {
	switch {
	case s.reader != open:
		return 0, net.ErrClosed
	case passed(s.readBy):
		return 0, os.ErrDeadlineExceeded
	case s.start < len(s.buf):
		n := copy(p, s.buf[s.start:])
		s.start += n
		if s.start == len(s.buf) {
			s.buf, s.start = s.buf[:0], 0
		}
		broadcast(&s.wake)
		return n, nil
	case s.broken:
		return 0, syscall.ECONNRESET
	case s.writer != open:
		return 0, io.EOF
	}
	return 0, nil
}

func (s *stream) write(p []byte) (int, error) {
	written, mine := 0, false
	for {
		s.mu.Lock()
		if err := s.refusal(); err != nil {
			s.release(mine)
			s.mu.Unlock()
			return written, err
		}
		if mine || !s.writing {
			mine, s.writing = true, true
			written += s.put(p[written:])
			if written == len(p) {
				s.release(mine)
				s.mu.Unlock()
				return written, nil
			}
		}
		wait, by := waiter(&s.wake), s.writeBy
		s.mu.Unlock()
		await(wait, by)
	}
}

// refusal is why nothing can be written. Called with the lock.
func (s *stream) refusal() error {
	switch {
	case s.writer == closedHere:
		return net.ErrClosed
	case s.reader == reset:
		return syscall.ECONNRESET
	case s.writer == finished, s.reader != open:
		return syscall.EPIPE
	case passed(s.writeBy):
		return os.ErrDeadlineExceeded
	}
	return nil
}

// put takes what there is room for. Called with the lock.
func (s *stream) put(p []byte) int {
	n := len(p)
	if s.size > 0 {
		n = min(n, max(0, s.size-(len(s.buf)-s.start)))
	}
	if n == 0 {
		return 0
	}
	if s.start > len(s.buf)/2 && len(s.buf)+n > cap(s.buf) { // at least half is free, so that each byte moves at most once on average
		s.buf, s.start = s.buf[:copy(s.buf, s.buf[s.start:])], 0
	}
	s.buf = append(s.buf, p[:n]...)
	broadcast(&s.wake)
	return n
}

// release lets the next Write begin. Called with the lock.
func (s *stream) release(mine bool) {
	if mine {
		s.writing = false
		broadcast(&s.wake)
	}
}

// endReading reports whether it ended the reader's side.
func (s *stream) endReading(how ending) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader != open {
		return false
	}
	s.reader = how
	s.buf, s.start = nil, 0
	broadcast(&s.wake)
	return true
}

// endWriting reports whether it changed the writer's side.
func (s *stream) endWriting(how ending, broken bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer >= how {
		return false
	}
	s.writer, s.broken = how, broken
	broadcast(&s.wake)
	return true
}

func (s *stream) setReadDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader != open {
		return net.ErrClosed
	}
	s.readBy = t
	broadcast(&s.wake)
	return nil
}

func (s *stream) setWriteDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer == closedHere {
		return net.ErrClosed
	}
	s.writeBy = t
	broadcast(&s.wake)
	return nil
}

func (s *stream) setSize(size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = size
	broadcast(&s.wake)
}

func (s *stream) buffered() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.buf) - s.start
}

func passed(deadline time.Time) bool { return !deadline.IsZero() && !time.Now().Before(deadline) }

// await returns when wake is closed or the deadline passes. No lock is held.
func await(wake <-chan struct{}, deadline time.Time) {
	if deadline.IsZero() {
		<-wake
		return
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case <-wake:
	case <-timer.C:
	}
}
