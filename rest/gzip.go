package rest

import (
	"bufio"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

const (
	gzipFreeOutput = 32 << 20 // yielded before the ratio counts: small answers of nothing but zeros are common
	gzipMaxHeader  = 4 << 10  // of one member; no API server sends names or comments
)

// gzipReader decodes a gzip body as it comes (RFC 1952). A body is any number of members, which an API server uses as flushes: one per event of
// a watch-list. So a member's data is returned as soon as it is decoded, and the next member is waited for only by the next Read.
// Members are iterated, never recursed into, and counted.
type gzipReader struct {
	content *wireReader
	br      *bufio.Reader
	inflate io.ReadCloser

	maxMembers int // negative: no limit
	maxRatio   int

	members int
	open    bool   // inside a member's data
	crc     uint32 // of the member so far
	size    uint32
	total   int64
}

func newGzipReader(content *wireReader, maxMembers, maxRatio int) *gzipReader {
	return &gzipReader{content: content, br: bufio.NewReaderSize(content, 4<<10), maxMembers: maxMembers, maxRatio: maxRatio}
}

func (z *gzipReader) Read(p []byte) (int, error) {
	for {
		if !z.open {
			if err := z.nextMember(); err != nil {
				return 0, err
			}
		}
		n, err := z.inflate.Read(p)
		z.crc = crc32.Update(z.crc, crc32.IEEETable, p[:n])
		z.size += uint32(n)
		z.total += int64(n)
		if z.maxRatio >= 0 && z.total > gzipFreeOutput && z.total/int64(z.maxRatio+1) > z.content.bytes.Load() {
			return 0, z.broken("", fmt.Sprintf("gzip content of more than %d times its size", z.maxRatio))
		}
		switch {
		case err == io.EOF && n > 0: // its checksum is looked at when somebody asks for more
			return n, nil
		case err == io.EOF:
			if err := z.endMember(); err != nil {
				return 0, err
			}
		case err != nil:
			return n, z.inMember(err)
		case n > 0:
			return n, nil
		}
	}
}

// nextMember reads a member's header (RFC 1952 2.3). io.EOF is the clean end of the body, possible only here and after at least one member.
func (z *gzipReader) nextMember() error {
	if _, err := z.br.Peek(1); err != nil {
		if err == io.EOF && z.members == 0 {
			return z.inMember(err)
		}
		return err
	}
	z.members++
	if z.maxMembers >= 0 && z.members > z.maxMembers {
		return z.broken("", fmt.Sprintf("more than %d gzip members", z.maxMembers))
	}
	h := gzipHeader{br: z.br}
	if err := h.read(); err != nil {
		if rule, ok := err.(gzipRule); ok {
			return z.broken("RFC 1952 2.3", string(rule))
		}
		return z.inMember(err)
	}
	if z.inflate == nil {
		z.inflate = flate.NewReader(z.br) // takes no byte past the member: bufio.Reader is an io.ByteReader
	} else if err := z.inflate.(flate.Resetter).Reset(z.br, nil); err != nil {
		return err
	}
	z.open, z.crc, z.size = true, 0, 0
	return nil
}

// endMember holds the member to its checksum and size.
func (z *gzipReader) endMember() error {
	var trailer [8]byte
	if _, err := io.ReadFull(z.br, trailer[:]); err != nil {
		return z.inMember(err)
	}
	z.open = false
	if binary.LittleEndian.Uint32(trailer[:4]) != z.crc {
		return z.broken("RFC 1952 2.3.1", "a gzip member with a wrong checksum")
	}
	if binary.LittleEndian.Uint32(trailer[4:]) != z.size {
		return z.broken("RFC 1952 2.3.1", "a gzip member of another length than it says")
	}
	return nil
}

// inMember is an error where more of a member had to come.
func (z *gzipReader) inMember(err error) error {
	if corrupt, ok := err.(flate.CorruptInputError); ok {
		return z.broken("RFC 1951 3.2", fmt.Sprintf("deflate data that cannot be, %d bytes into its member", int64(corrupt)))
	}
	if z.content.ended.Load() && (err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF)) {
		e := z.broken("RFC 1952 2.2", "a gzip body that ends inside a member")
		e.Err = io.ErrUnexpectedEOF
		return e
	}
	return err
}

//go:noinline // it is an error
func (z *gzipReader) broken(section, rule string) *Error {
	return &Error{Phase: PhaseBody, Rule: rule, Section: section, Offset: z.content.bytes.Load() - int64(z.br.Buffered()), protocol: true}
}
