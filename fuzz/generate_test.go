package fuzz

import (
	"fmt"
	"io"
	"strings"
)

// repeat returns a reader of n bytes that repeats a text and holds no more than a few KiB of it.
func repeat(text string, n int64) io.Reader {
	block := strings.Repeat(text, 1+4096/len(text))
	return &repeater{block: block, text: len(text), left: n}
}

// times returns a reader of n copies of a text.
func times(text string, n int64) io.Reader { return repeat(text, n*int64(len(text))) }

type repeater struct {
	block string
	text  int
	at    int // in the text
	left  int64
}

func (r *repeater) Read(p []byte) (n int, err error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	for n < len(p) && r.left > 0 {
		k := copy(p[n:min(int64(len(p)), int64(n)+r.left)], r.block[r.at:])
		n += k
		r.left -= int64(k)
		r.at = (r.at + k) % r.text
	}
	return n, nil
}

// numbered returns a reader of n texts, each of which has its number in it.
func numbered(format string, n int) io.Reader {
	i := 0
	var rest []byte
	return readerFunc(func(p []byte) (int, error) {
		for len(rest) < min(len(p), 4096) && i < n {
			rest = fmt.Appendf(rest, format, i)
			i++
		}
		if len(rest) == 0 {
			return 0, io.EOF
		}
		k := copy(p, rest)
		rest = append(rest[:0], rest[k:]...)
		return k, nil
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// texts joins strings and readers.
func texts(parts ...any) io.Reader {
	var all []io.Reader
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			all = append(all, strings.NewReader(part))
		case io.Reader:
			all = append(all, part)
		}
	}
	return io.MultiReader(all...)
}

// inChunks returns a reader of the chunked coding of what r reads, in chunks of up to size bytes.
func inChunks(r io.Reader, size int) io.Reader {
	buffer := make([]byte, size)
	var rest []byte
	over := false
	return readerFunc(func(p []byte) (int, error) {
		for len(rest) == 0 && !over {
			n, err := r.Read(buffer)
			if n > 0 {
				rest = fmt.Appendf(rest[:0], "%x\r\n%s\r\n", n, buffer[:n])
			}
			if err != nil {
				rest, over = append(rest, "0\r\n\r\n"...), true
			}
		}
		if len(rest) == 0 {
			return 0, io.EOF
		}
		k := copy(p, rest)
		rest = append(rest[:0], rest[k:]...)
		return k, nil
	})
}
