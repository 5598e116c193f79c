package watchdecoder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

const seenEvent = `{"type":"ADDED","object":{"kind":"Thing","apiVersion":"v1","metadata":{"name":"a\u0062","namespace":"","uid":"u-1","resourceVersion":"12",` +
	`"annotations":{"k8s.io/initial-events-end":"true","x":""},"labels":{"name":"uid"},"managedFields":[{"f":{"k:{\"a\":\"b\"}":{}}}]},"spec":{"n":[1,true,null,-1.5e3],"object":"\\"}}}`

// told is what a decoder says of a frame, with positions counted from a place in the stream.
func told(f *Frame, err error, from int64) string {
	var b strings.Builder
	if f != nil {
		fmt.Fprintf(&b, "%s at %d end %v: %q %q, %q; ", f.Type, f.Offset-from, f.InitialEventsEnd, f.Raw, f.Object, f.Identity)
	}
	if bad, ok := errors.AsType[*FrameError](err); ok {
		fmt.Fprintf(&b, "%s %q at %d from %d, %s %v, ends %v", bad.Rule, bad.Detail, bad.Offset-from, bad.Start-from, bad.Type, bad.Key, bad.lost)
	} else if err != nil {
		b.WriteString(err.Error())
	}
	return b.String()
}

// tell decodes what stands behind the first frames of a stream, and says whether they were found good, and found again.
func tell(r io.Reader, o Options, frames int, from int64) (all []string, good bool) {
	d := NewDecoder(r, o)
	for range frames {
		if _, err := d.Next(); err != nil {
			return nil, false
		}
	}
	if frames > 1 && (d.unit.known.misses != 1) {
		return nil, false
	}
	for {
		f, err := d.Next()
		all = append(all, told(f, err, from))
		if d.err != nil {
			return all, true
		}
	}
}

func differences(event string, try func(other string)) {
	for at := range event {
		for _, put := range []string{"", `"`, `\`, `\"`, `\u12`, "long and longer", "1", "{", "}", "[", "]", ",", ":", " ", "\x00", "\x1f", "\xff", "name", "uid"} {
			for _, cut := range []int{0, 1, 4} {
				if at+cut <= len(event) {
					try(event[:at] + put + event[at+cut:])
				}
			}
		}
	}
}

// What was seen before changes nothing of what is said about an event: neither its fields nor its faults, nor where these are, nor what comes behind.
func TestEventsAreReadAsIfAlone(t *testing.T) {
	before := strings.Repeat(seenEvent+"\n", 3)
	readers := []func(io.Reader) io.Reader{
		func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader,
	}
	n := 0
	differences(seenEvent, func(other string) {
		behind := other + "\n" + seenEvent + other
		for _, o := range []Options{{}, {MaxBytes: len(seenEvent) + 3}, {MaxDepth: 7}} {
			n++
			reader := readers[n%len(readers)]
			want, _ := tell(strings.NewReader(behind), o, 0, 0)
			got, good := tell(reader(strings.NewReader(before+behind)), o, 3, int64(len(before)))
			if diff := cmp.Diff(want, got); !good || diff != "" {
				t.Fatalf("%s: %s", other, diff)
			}
		}
	})
}

func TestItemsAreReadAsIfAlone(t *testing.T) {
	item := seenEvent[len(`{"type":"ADDED","object":`) : len(seenEvent)-1]
	say := func(list string, skip int) (all []string) {
		d := NewListDecoder(strings.NewReader(list), Options{})
		for d.err == nil {
			i, err := d.Next()
			if skip--; skip >= 0 {
				continue
			}
			var f *Frame
			if i != nil {
				f = &Frame{Object: i.Object, Identity: i.Identity, Offset: i.Offset}
			}
			// Positions count from the "#" in an item that is there for that; where the list begins, which errors say too, depends on what is before.
			said, _, _ := strings.Cut(told(f, err, int64(strings.LastIndex(list, "#"))), " from ")
			all = append(all, said)
		}
		return all
	}
	head, mark := `{"kind":"ThingList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[`, `{"metadata":{"name":"m","resourceVersion":"1"},"#":1},`
	differences(item, func(other string) {
		behind := mark + other + "," + item + "]}"
		want, got := say(head+behind, 1), say(head+strings.Repeat(item+",", 3)+behind, 4)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: %s", other, diff)
		}
	})
}

// FuzzEventsAsIfAlone: what a decoder says of a stream does not depend on the events before it.
func FuzzEventsAsIfAlone(f *testing.F) {
	f.Add([]byte(seenEvent), []byte(seenEvent))
	f.Add([]byte(seenEvent), []byte(strings.Replace(seenEvent, `"u-1"`, `"another\u0031"`, 1)))
	f.Add([]byte(`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}}`), []byte(`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"123"}}}{"type":"ERROR"}`))
	f.Fuzz(func(t *testing.T, before, behind []byte) {
		if len(before)+len(behind) > 16<<10 {
			return
		}
		d := NewDecoder(bytes.NewReader(before), Options{})
		first, err := d.Next()
		if err != nil || len(first.Raw) != len(before) {
			return
		}
		want, _ := tell(bytes.NewReader(behind), Options{}, 0, 0)
		got, _ := tell(bytes.NewReader(append(before[:len(before):len(before)], behind...)), Options{}, 1, int64(len(before)))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
