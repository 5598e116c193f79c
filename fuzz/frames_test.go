package fuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// frames are watch events, good ones and such as cost no more than themselves, and at the end some that end a stream.
var frames = []string{
	`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"1","resourceVersion":"11"}}}`,
	`{"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"1","resourceVersion":"12"},"spec":{"x":[1e309,-0,"\"}\\"]}}}`,
	`{"type":"DELETED","object":{"metadata":{"resourceVersion":"13","name":"a"},"kind":"Pod"}}`,
	`{"object":{"metadata":{"resource\u0056ersion":"14","name":"\ud83d\ude00"}},"type":"\u0041DDED"}`,
	`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"15","annotations":{"k8s.io/initial-events-end":"true"}}}}`,
	`{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"16","annotations":{}}}}`,
	`{ "type" : "ADDED" , "object" : { "metadata" : { "name" : "b" , "resourceVersion" : "17" , "annotations" : null } } , "more" : [ { } ] }`,
	`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}}`,
	`{"type":"ADDED","object":{"metadata":{"name":"deep","resourceVersion":"18"},"spec":[[[[[[[[[[[[{"a":[]}]]]]]]]]]]]]}}`,
	`{"type":"ADDED","object":{"metadata":{"name":"long","resourceVersion":"19"},"spec":"` + fmt.Sprintf("%0300d", 0) + `"}}`,
	`{"type":"ADDED","type":"DELETED","object":{"metadata":{"name":"c","resourceVersion":"20"}}}`,
	`{"type":"ADDED","object":{"metadata":{"name":"d"}}}`,
	`{"type":"ADDED","object":{"metadata":{"resourceVersion":"21"}}}`,
	`{"type":"ADDED","object":{"metadata":{"name":5,"resourceVersion":"22"}}}`,
	`{"type":"ADDED","object":{"metadata":{"name":"e","resourceVersion":"1","resourceVersion":"2"}}}`,
	`{"type":"PAUSED","object":{"metadata":{"name":"f","resourceVersion":"23"}}}`,
	`{"type":"ADDED","object":null}`, `{"type":"ADDED"}`, `{"object":{}}`, `{}`, `{"type":7,"object":{}}`, `{"type":"ADDED","object":[]}`,
	`{"type":"ADDED","object":{"metadata":[]}}`, `{"type":"BOOKMARK","object":{"metadata":{}}}`, `{"type":"ERROR","object":{}}`,
	`{"kind":"PodList","items":[]}`, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":500}`, `[]`, `1`, `"ADDED"`, `<html>`, "\x00", `{"type":`, `}`,
	`{"type":"ADDED","object":{"kind":"Table","metadata":{}}}`, `{"type":"ADDED" "object":{}}`, `{"type":"ADDED",}`, "{\"type\":\"AD\nDED\"}",
}

// seen is what a decoder made of a frame.
type seen struct {
	Type, Raw, Object, Identity, Error string
	Marker, Recoverable, Located       bool // Located: the offsets count
	Offset, ErrorOffset, ErrorStart    int64
}

// readFrames reads a stream to its end, or to the first frames.
func readFrames(r io.Reader, o watchdecoder.Options, most int) (all []seen) {
	d := watchdecoder.NewDecoder(r, o)
	for range most {
		frame, err := d.Next()
		var s seen
		if frame != nil {
			i := frame.Identity
			s = seen{
				Type: frame.Type.String(), Raw: string(frame.Raw), Object: string(frame.Object), Marker: frame.InitialEventsEnd, Offset: frame.Offset,
				Identity: fmt.Sprintf("%q", [][]byte{i.APIVersion, i.Kind, i.Namespace, i.Name, i.UID, i.ResourceVersion}),
			}
		}
		if err != nil {
			s.Error = err.Error()
			if e, ok := errors.AsType[*watchdecoder.FrameError](err); ok {
				s.Error, s.ErrorOffset, s.ErrorStart, s.Recoverable, s.Located = e.Rule+e.Detail+e.Key.String()+e.Type.String(), e.Offset, e.Start, e.Recoverable(), true
			} else if _, ok := errors.AsType[*status.Error](err); ok {
				s.Recoverable = frame != nil
			}
		}
		all = append(all, s)
		if err != nil && !s.Recoverable {
			return all
		}
	}
	return all
}

// sliced returns a reader of b whose reads are as long as the dice says.
type sliced struct {
	b     []byte
	dice  dice
	count *steps
	check func()
}

func (s *sliced) Read(p []byte) (int, error) {
	s.check()
	if len(s.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.b[:min(len(s.b), 1+s.dice.pick(64))])
	s.b = s.b[n:]
	return n, nil
}

func inSlices(t testing.TB, b []byte, by dice) io.Reader {
	s := &sliced{b: b, dice: by, count: new(steps)}
	s.check = func() { s.count.add(t, "reads", len(b), 1, 16) }
	return s
}

// FuzzFrameSequence: frames one after another, of the kinds above or of any bytes, in reads of any size, under limits of any size. A frame is seen in the
// stream as it is seen alone, whatever stood before it; what encoding/json's decoder takes off the stream is where ours says frames are; the limits hold.
func FuzzFrameSequence(f *testing.F) {
	for i := range frames {
		f.Add([]byte{byte(i), 0, 0, 1, byte(i), 0, byte(i)}, uint16(0), uint8(0), []byte{3, 1})
		f.Add([]byte{0, 2, byte(i), 4, 9, 0, 8, 0}, uint16(120), uint8(4), []byte{})
	}
	f.Add(append([]byte{255, 0, 20}, `{"type":"ADDED","object"`...), uint16(0), uint8(0), []byte{20, 0, 1, 5})
	f.Fuzz(func(t *testing.T, script []byte, maxBytes uint16, maxDepth uint8, slicing []byte) {
		if len(script) > 4<<10 {
			return
		}
		o := watchdecoder.Options{MaxBytes: int(maxBytes), MaxDepth: int(maxDepth)}
		var stream []byte
		var parts []string
		for d := (dice{script}); !d.empty(); {
			var part string
			if n := d.pick(256); n < 250 {
				part = frames[n%len(frames)]
			} else {
				part = string(d.take(d.pick(64)))
			}
			part += []string{"\n", "", " \t\r\n", "\n\n"}[d.pick(4)]
			stream = append(stream, part...)
			parts = append(parts, part)
		}
		var got []seen
		cost(t, "the decoder", len(stream), limit{24, 96 << 10}, func() { got = readFrames(inSlices(t, stream, dice{slicing}), o, len(stream)+2) })
		if diff := cmp.Diff(readFrames(bytes.NewReader(stream), o, len(stream)+2), got); diff != "" {
			t.Fatalf("%q: the results differ (-whole +sliced):\n%s", stream, diff)
		}
		asAlone(t, parts, got, o)
		asTaken(t, stream, got)
		for _, s := range got {
			if o.MaxBytes > 0 && len(s.Raw) > o.MaxBytes {
				t.Fatalf("a frame of %d bytes passed a limit of %d", len(s.Raw), o.MaxBytes)
			}
		}
	})
}

// asAlone compares what was seen of each part with what is seen of it when it comes alone, up to the first that ends a stream.
func asAlone(t *testing.T, parts []string, got []seen, o watchdecoder.Options) {
	at, next := 0, 0
	for _, part := range parts {
		alone := readFrames(bytes.NewReader([]byte(part)), o, len(part)+2)
		last := alone[len(alone)-1]
		if last.Error != "EOF" {
			return
		}
		for _, want := range alone[:len(alone)-1] {
			if want.Raw != "" {
				want.Offset += int64(at)
			}
			if want.Located {
				want.ErrorOffset += int64(at)
				want.ErrorStart += int64(at)
			}
			if next >= len(got) {
				t.Fatalf("%q: lost after %q", part, parts)
			}
			if diff := cmp.Diff(want, got[next]); diff != "" {
				t.Fatalf("%q in %q is not what it is alone (-alone +there):\n%s", part, parts, diff)
			}
			next++
		}
		at += len(part)
	}
	if next != len(got)-1 || got[next].Error != "EOF" {
		t.Fatalf("%q: %+v after the last frame", parts, got[next:])
	}
}

// asTaken compares bounds with those of encoding/json's decoder, up to the first value that is no object and the first byte that is no JSON.
func asTaken(t *testing.T, stream []byte, got []seen) {
	oracle := json.NewDecoder(bytes.NewReader(stream))
	for _, s := range got {
		var want json.RawMessage
		err := oracle.Decode(&want)
		switch {
		case err == io.EOF:
			if s.Error != "EOF" {
				t.Fatalf("%q: encoding/json is at the end, we are at %+v", stream, s)
			}
			return
		case err != nil:
			if s.Error == "EOF" {
				t.Fatalf("%q: we are at the end, encoding/json is at %v", stream, err)
			}
			return
		case s.Raw != "" && (s.Raw != string(want) || s.Offset != oracle.InputOffset()-int64(len(want))):
			t.Fatalf("%q: the frame %q at %d, encoding/json takes %q", stream, s.Raw, s.Offset, want)
		case s.Error != "" && !s.Recoverable:
			return
		}
	}
}
