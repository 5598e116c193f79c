package chunked

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rawwatch/rawwatch/internal/wiretest"
)

// FuzzReader holds any body against net/http, and against itself: read in one piece, in two, byte by byte, in the smallest buffer, and with less room for the
// content. A body that is accepted is followed by bytes that stay, and is refused at any cut.
func FuzzReader(f *testing.F) {
	for _, v := range vectors {
		f.Add([]byte(v.followed()), uint16(len(v.wire)/2))
	}
	f.Fuzz(func(t *testing.T, wire []byte, at uint16) {
		agree(t, wire)
		cut := min(int(at), len(wire))
		want, err := decode(bytes.NewReader(wire), 4096, Options{})
		for _, size := range bufferSizes {
			for _, src := range []struct {
				name string
				got  outcome
			}{
				{"in two", first(decode(wiretest.Slices(wire[:cut], wire[cut:]), size, Options{}))},
				{"byte by byte", first(decode(iotest.OneByteReader(bytes.NewReader(wire)), size, Options{}))},
				{"with the error at the last byte", first(decode(iotest.DataErrReader(bytes.NewReader(wire)), size, Options{}))},
			} {
				if src.got != want {
					t.Fatalf("%q, %s, buffer of %d:\n got %+v\nwant %+v", wire, src.name, size, src.got, want)
				}
			}
		}
		if err != nil {
			return
		}
		body := wire[:len(wire)-len(want.Rest)]
		if cut < len(body) {
			got, err := decode(bytes.NewReader(body[:cut]), 16, Options{})
			if err == nil || !strings.HasPrefix(want.Content, got.Content) || !strings.Contains(err.Error(), "cut") {
				t.Fatalf("%q cut at %d: %+v, %v", body, cut, got, err)
			}
		}
	})
}

func first(o outcome, _ error) outcome { return o }
