package watchdecoder

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

func event(size int) string {
	return fmt.Sprintf(`{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"},"data":"%s"}}`, strings.Repeat("x", size))
}

// The buffer grows with a frame and is given back once the next one is awaited: a watch may be silent for hours.
func TestBufferGrowsAndShrinks(t *testing.T) {
	r, w := io.Pipe()
	go func() {
		for _, size := range []int{10, 1 << 20, 10, 10} {
			io.WriteString(w, event(size))
		}
		w.Close()
	}()
	d := NewDecoder(r, Options{})
	for i, most := range []int{baseBuffer, 4 << 20, baseBuffer, baseBuffer} {
		if _, err := d.Next(); err != nil {
			t.Fatal(err)
		}
		if got := len(d.unit.src.buf); got > most {
			t.Errorf("frame %d: a buffer of %d bytes, want at most %d", i, got, most)
		}
	}
}

// The buffer grows while each read fills it, up to a bound, and is given back when little comes.
func TestBufferOfABusyStreamGrowsAndShrinks(t *testing.T) {
	busy, quiet := strings.Repeat(event(3000)+"\n", 1000), make([]io.Reader, 0, 3*mostQuiet)
	for range cap(quiet) {
		quiet = append(quiet, strings.NewReader(event(3000)+"\n"))
	}
	d := NewDecoder(io.MultiReader(strings.NewReader(busy), io.MultiReader(quiet...)), Options{})
	most := 0
	for i := range 1000 + cap(quiet) {
		if _, err := d.Next(); err != nil {
			t.Fatal(err)
		}
		if most = max(most, len(d.unit.src.buf)); i == 1000-1 && most != busyBuffer {
			t.Errorf("a busy stream is read with a buffer of %d bytes", most)
		}
	}
	if got := len(d.unit.src.buf); got != baseBuffer || most != busyBuffer {
		t.Errorf("a buffer of %d bytes, it was %d at most", got, most)
	}
}

// A frame over the limit is not held: the buffer stays as small as the limit asks.
func TestLargeFramesAreNotHeld(t *testing.T) {
	part := strings.Repeat("x", 1<<20)
	readers := []io.Reader{strings.NewReader(`{"type":"ADDED","object":{"metadata":{"name":"a"},"data":"`)}
	for range 64 {
		readers = append(readers, strings.NewReader(part))
	}
	readers = append(readers, strings.NewReader(`"}}`), strings.NewReader(event(10)))
	d := NewDecoder(io.MultiReader(readers...), Options{MaxBytes: 100 << 10})
	if _, err := d.Next(); !IsRecoverable(err) {
		t.Fatal(err)
	}
	if got := len(d.unit.src.buf); got > 2*max(100<<10, 2*longestListText) {
		t.Errorf("a buffer of %d bytes", got)
	}
	if f, err := d.Next(); err != nil || f.Offset <= 64<<20 {
		t.Errorf("the next frame: %+v, %v", f, err)
	}
}

// Limits from both sides: a frame of exactly the limit passes, one byte more does not; the same with the depth.
func TestLimitsFromBothSides(t *testing.T) {
	frame := event(100)
	for _, c := range []struct {
		options Options
		passes  bool
	}{
		{Options{MaxBytes: len(frame)}, true},
		{Options{MaxBytes: len(frame) - 1}, false},
		{Options{MaxBytes: -1}, true},
		{Options{MaxDepth: 2}, true},
		{Options{MaxDepth: 1}, false},
		{Options{MaxDepth: -1}, true},
	} {
		if _, err := NewDecoder(strings.NewReader(frame), c.options).Next(); (err == nil) != c.passes {
			t.Errorf("%+v: %v", c.options, err)
		}
	}
	for depth, passes := range map[int]bool{HighestDepth: true, HighestDepth + 1: false} {
		nested := strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1)
		frame := `{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"},"a":` + nested + `}}`
		if _, err := NewDecoder(strings.NewReader(frame), Options{MaxDepth: -1}).Next(); (err == nil) != passes {
			t.Errorf("nested %d deep without a limit: %v", depth, err)
		}
	}
}

// Nothing is allocated for an event or item once the buffer is there.
func TestNothingIsAllocatedPerEvent(t *testing.T) {
	body := bytes.Repeat([]byte(event(3000)+"\n"+`{"object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"resourceVersion":"9"}},"type":"BOOKMARK"}`), 600)
	d := NewDecoder(bytes.NewReader(body), Options{APIVersion: "", Kind: ""})
	if n := testing.AllocsPerRun(500, func() {
		if _, err := d.Next(); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Next(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per two events", n)
	}
	list := `{"kind":"PodList","items":[` + strings.Repeat(`{"metadata":{"name":"a","resourceVersion":"1"}},`, 1000) + `null]}`
	l := NewListDecoder(strings.NewReader(list), Options{})
	if n := testing.AllocsPerRun(900, func() {
		if _, err := l.Next(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per item", n)
	}
}

// Reads of one byte up to the limit take linear time: what is held is not moved for each of them.
func TestMakeRoomMovesOnlyWhatHasToMove(t *testing.T) {
	s := source{r: strings.NewReader(strings.Repeat("x", baseBuffer)), most: baseBuffer}
	if err := s.fill(); err != nil {
		t.Fatal(err)
	}
	s.end = baseBuffer - 10
	if n := testing.AllocsPerRun(1, s.makeRoom); n != 0 || s.start != 0 || s.end != baseBuffer-10 {
		t.Errorf("%v allocations, holding %d to %d", n, s.start, s.end)
	}
	s.discard(100)
	s.makeRoom()
	if s.start != 0 || s.end != baseBuffer-110 {
		t.Errorf("holding %d to %d", s.start, s.end)
	}
}

// Whoever keeps a frame beyond the next call is told.
func TestAFrameIsSpoiledByTheNextCall(t *testing.T) {
	d := NewDecoder(strings.NewReader(event(1)+event(2)), Options{})
	f, err := d.Next()
	if err != nil {
		t.Fatal(err)
	}
	kept := f.Raw
	if _, err := d.Next(); err != nil || kept[0] == '{' {
		t.Errorf("the kept frame is %.20q, %v", kept, err)
	}
}
