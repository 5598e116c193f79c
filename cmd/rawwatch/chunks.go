package main

import (
	"slices"
	"strings"
	"sync"

	"github.com/rawwatch/rawwatch/rest"
)

// span is the chunks of a body that some of its bytes came in, numbered from 1. The zero value is none known.
type span struct{ first, last int }

// count is how many there are, 0 when they are not known.
func (s span) count() int {
	if s.first == 0 {
		return 0
	}
	return s.last - s.first + 1
}

// chunkMap remembers, for each connection, where the chunks of its current body lie, until they have been asked for. It is filled by the trace of the
// wire and asked when a frame is there; reads run ahead of frames, never behind. Safe for concurrent use.
type chunkMap struct {
	mu    sync.Mutex
	conns map[uint64]*chunkList
	gone  []uint64 // closed connections, in order; their last frames may not have been asked for yet
}

// chunkList is the tail of a body's chunks.
type chunkList struct {
	passed  int     // chunks that were dropped because nobody will ask for them any more
	offsets []int64 // where each of the others begins
	end     int64   // where the last one ends
	off     bool    // offsets of frames are not offsets of chunks
}

// maxChunks bounds what is kept for one body. A frame that spans more is reported with the chunks that are left.
const maxChunks = 1 << 16

// maxGone is how many closed connections are remembered: more than are ever behind at once.
const maxGone = 64

func newChunkMap() *chunkMap { return &chunkMap{conns: map[uint64]*chunkList{}} }

// trace is what must be called for m to know.
func (m *chunkMap) trace() *rest.Trace {
	return &rest.Trace{Head: m.head, Chunk: m.chunk, CloseConn: m.closed}
}

// head begins a new body on a connection.
func (m *chunkMap) head(h rest.HeadReceived) {
	m.mu.Lock()
	defer m.mu.Unlock()
	// Chunks are told before decompression, frames after it.
	m.conns[h.Conn] = &chunkList{off: h.Framing != rest.Chunked || hasContentCoding(h.Lines)}
}

func (m *chunkMap) closed(c rest.ConnClosed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gone = append(m.gone, c.Conn)
	if len(m.gone) > maxGone {
		delete(m.conns, m.gone[0])
		m.gone = m.gone[1:]
	}
}

func (m *chunkMap) chunk(c rest.ChunkReceived) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.conns[c.Conn]
	if l == nil || l.off || c.Size == 0 {
		return
	}
	if len(l.offsets) == maxChunks {
		l.drop(maxChunks / 2)
	}
	l.offsets = append(l.offsets, c.Offset)
	l.end = c.Offset + c.Size
}

// number is the ordinal of the newest chunk of a connection's body.
func (m *chunkMap) number(conn uint64) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.conns[conn]; l != nil {
		return l.passed + len(l.offsets)
	}
	return 0
}

// of returns the chunks that hold size bytes at offset, and forgets those before.
func (m *chunkMap) of(conn uint64, offset int64, size int) span {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.conns[conn]
	if l == nil || l.off || size == 0 || len(l.offsets) == 0 || offset < l.offsets[0] || offset+int64(size) > l.end {
		return span{}
	}
	first, last := l.at(offset), l.at(offset+int64(size)-1)
	s := span{l.passed + first + 1, l.passed + last + 1}
	l.drop(last) // the next frame may begin in the same chunk
	return s
}

// at is the index of the chunk that holds a byte.
func (l *chunkList) at(offset int64) int {
	i, found := slices.BinarySearch(l.offsets, offset)
	if !found {
		i--
	}
	return i
}

func (l *chunkList) drop(n int) {
	l.offsets = append(l.offsets[:0], l.offsets[n:]...)
	l.passed += n
}

// hasContentCoding looks for Content-Encoding in a head's lines.
func hasContentCoding(lines []string) bool {
	return hasField(lines, "Content-Encoding", "") && !hasField(lines, "Content-Encoding", "identity")
}

// hasField looks for a field whose value begins with some text, in any case of its letters.
func hasField(lines []string, name, value string) bool {
	for _, l := range lines {
		n, v, ok := strings.Cut(l, ":")
		if v = strings.TrimSpace(v); ok && strings.EqualFold(n, name) && len(v) >= len(value) && strings.EqualFold(v[:len(value)], value) {
			return true
		}
	}
	return false
}
