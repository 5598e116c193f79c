package wiretest

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestEverySplitDeliversTheWholeInput(t *testing.T) {
	const input = "hello"
	var names []string
	for name, r := range EverySplit([]byte(input)) {
		names = append(names, name)
		if got, err := io.ReadAll(r); string(got) != input || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	want := []string{
		"whole", "byte by byte", "EOF with the last bytes", "byte by byte, EOF with the last",
		"split at 1", "split at 2", "split at 3", "split at 4",
	}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

func TestEverySplitHasOneBoundaryAtEachPosition(t *testing.T) {
	sizes := map[string][]int{}
	for name, r := range EverySplit([]byte("abc")) {
		p := make([]byte, 10)
		for {
			n, err := r.Read(p)
			if n > 0 {
				sizes[name] = append(sizes[name], n)
			}
			if err != nil {
				break
			}
		}
	}
	for name, want := range map[string][]int{"whole": {3}, "byte by byte": {1, 1, 1}, "split at 1": {1, 2}, "split at 2": {2, 1}} {
		if !slices.Equal(sizes[name], want) {
			t.Errorf("%s: reads of %v", name, sizes[name])
		}
	}
}

func TestEofComesWithTheLastBytes(t *testing.T) {
	for name, r := range EverySplit([]byte("abc")) {
		if !strings.Contains(name, "EOF") {
			continue
		}
		got := ""
		for p := make([]byte, 10); ; {
			n, err := r.Read(p)
			got += string(p[:n])
			if n == 0 || err != nil && got != "abc" {
				t.Errorf("%s: %d bytes, %v after %q", name, n, err, got)
			}
			if err != nil {
				break
			}
		}
	}
}

func TestEveryCutIsShorter(t *testing.T) {
	var got []string
	for n, r := range EveryCut([]byte("abc")) {
		text, err := io.ReadAll(r)
		if len(text) != n || err != nil {
			t.Errorf("cut at %d: %q, %v", n, text, err)
		}
		got = append(got, string(text))
	}
	if !slices.Equal(got, []string{"", "a", "ab"}) {
		t.Errorf("%q", got)
	}
}

func TestIterationsCanBeLeft(t *testing.T) {
	for range EverySplit([]byte("abc")) {
		break
	}
	for name := range EverySplit([]byte("abc")) {
		if name == "split at 1" {
			break
		}
	}
	for range EveryCut([]byte("abc")) {
		break
	}
}

func TestSlicesIsAReader(t *testing.T) {
	if err := iotest.TestReader(Slices([]byte("ab"), nil, []byte("cde")), []byte("abcde")); err != nil {
		t.Error(err)
	}
}
