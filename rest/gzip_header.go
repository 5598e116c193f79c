package rest

import (
	"bufio"
	"hash/crc32"
)

// Flags of a gzip member (RFC 1952 2.3.1).
const (
	gzipHCRC     = 1 << 1
	gzipExtra    = 1 << 2
	gzipName     = 1 << 3
	gzipComment  = 1 << 4
	gzipReserved = 0xe0
)

// gzipRule is a rule of the header that was broken.
type gzipRule string

func (r gzipRule) Error() string { return string(r) }

// gzipHeader reads a member's header and forgets it.
type gzipHeader struct {
	br   *bufio.Reader
	crc  uint32
	size int
}

func (h *gzipHeader) next() (byte, error) {
	b, err := h.br.ReadByte()
	if err != nil {
		return 0, err
	}
	if h.size++; h.size > gzipMaxHeader {
		return 0, gzipRule("a gzip member header past the limit")
	}
	h.crc = crc32.Update(h.crc, crc32.IEEETable, []byte{b})
	return b, nil
}

func (h *gzipHeader) read() error {
	var fixed [10]byte
	for i := range fixed {
		b, err := h.next()
		if err != nil {
			return err
		}
		fixed[i] = b
		switch {
		case i == 0 && b != 0x1f, i == 1 && b != 0x8b:
			return gzipRule("bytes that begin no gzip member")
		case i == 2 && b != 8:
			return gzipRule("a gzip member that is not deflate")
		case i == 3 && b&gzipReserved != 0:
			return gzipRule("a gzip member with a reserved flag")
		}
	}
	flags := fixed[3]
	if flags&gzipExtra != 0 {
		if err := h.skipExtra(); err != nil {
			return err
		}
	}
	for _, flag := range [...]byte{gzipName, gzipComment} {
		if flags&flag != 0 {
			if err := h.skipString(); err != nil {
				return err
			}
		}
	}
	if flags&gzipHCRC != 0 {
		return h.checkCRC()
	}
	return nil
}

func (h *gzipHeader) skipExtra() error {
	lo, err := h.next()
	if err != nil {
		return err
	}
	hi, err := h.next()
	if err != nil {
		return err
	}
	for range int(lo) | int(hi)<<8 {
		if _, err := h.next(); err != nil {
			return err
		}
	}
	return nil
}

func (h *gzipHeader) skipString() error {
	for {
		if b, err := h.next(); err != nil || b == 0 {
			return err
		}
	}
}

func (h *gzipHeader) checkCRC() error {
	want := uint16(h.crc)
	lo, err := h.next()
	if err != nil {
		return err
	}
	hi, err := h.next()
	if err != nil {
		return err
	}
	if uint16(lo)|uint16(hi)<<8 != want {
		return gzipRule("a gzip member header with a wrong checksum")
	}
	return nil
}
