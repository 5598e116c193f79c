// Package wiretest cuts and splits wire inputs at every byte, for tests.
package wiretest

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"testing/iotest"
)

// EverySplit yields readers that all deliver the whole input and then io.EOF, each in reads of other sizes: whole, one byte at a time, io.EOF together
// with the last bytes, and with one read boundary at each position. The name says which, for t.Run or a failure's message.
func EverySplit(input []byte) iter.Seq2[string, io.Reader] {
	return func(yield func(string, io.Reader) bool) {
		whole := func() io.Reader { return Slices(input) }
		if !yield("whole", whole()) || !yield("byte by byte", iotest.OneByteReader(whole())) ||
			!yield("EOF with the last bytes", iotest.DataErrReader(whole())) ||
			!yield("byte by byte, EOF with the last", iotest.DataErrReader(iotest.OneByteReader(whole()))) {
			return
		}
		for at := 1; at < len(input); at++ {
			if !yield(fmt.Sprintf("split at %d", at), Slices(input[:at], input[at:])) {
				return
			}
		}
	}
}

// EveryCut yields, for each n smaller than the input, a reader that delivers n bytes and then io.EOF.
func EveryCut(input []byte) iter.Seq2[int, io.Reader] {
	return func(yield func(int, io.Reader) bool) {
		for n := range input {
			if !yield(n, Slices(input[:n])) {
				return
			}
		}
	}
}

// Slices returns a reader whose every Read delivers at most what is left of one part, and then io.EOF.
func Slices(parts ...[]byte) io.Reader {
	return &slicesReader{slices.DeleteFunc(slices.Clone(parts), func(p []byte) bool { return len(p) == 0 })}
}

type slicesReader struct{ parts [][]byte }

func (r *slicesReader) Read(p []byte) (int, error) {
	if len(r.parts) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.parts[0])
	if r.parts[0] = r.parts[0][n:]; len(r.parts[0]) == 0 {
		r.parts = r.parts[1:]
	}
	return n, nil
}
