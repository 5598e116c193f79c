package watchdecoder

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// reference does what nesting does, byte by byte.
type reference struct {
	kinds             []byte
	inString, escaped bool
	max               int
}

func (r *reference) skip(b []byte, floor int) (int, skipResult) {
	for i, c := range b {
		switch {
		case r.escaped:
			r.escaped = false
		case c == '\\' && r.inString:
			r.escaped = true
		case c == '"':
			r.inString = !r.inString
		case r.inString:
		case c == '{' || c == '[':
			if len(r.kinds) >= r.max {
				return i, skipDeep
			}
			r.kinds = append(r.kinds, c)
		case c == '}' || c == ']':
			if r.kinds[len(r.kinds)-1] != c-2 {
				return i, skipMismatch
			}
			if r.kinds = r.kinds[:len(r.kinds)-1]; len(r.kinds) == floor {
				return i + 1, skipDone
			}
		case strings.IndexByte("\\Yy_\x7f", c) >= 0:
			return i, skipStray
		}
	}
	return len(b), skipMore
}

// Words of 64 bits and plain bytes see the same brackets, wherever blocks and reads begin and end.
func TestNestingIsTheByteLoop(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	alphabets := []string{`{}[]"\ax`, `{[`, `{}[]`, `"\`, `"\x{`, "{}[]\"\\\x00\x7f\x80\xff\xa2\xdc\xfbYy_Z~^`", `{}"a`}
	ended := map[skipResult]int{}
	for range 20_000 {
		alphabet := alphabets[random.IntN(len(alphabets))]
		input := []byte("{")
		for range random.IntN(300) {
			input = append(input, alphabet[random.IntN(len(alphabet))])
		}
		want := reference{max: 1 + random.IntN(200)}
		got := nesting{max: want.max}
		for rest := input; len(rest) > 0; {
			part := rest[:1+random.IntN(len(rest))]
			wantN, wantResult := want.skip(part, 0)
			gotN, gotResult := got.skip(part, 0)
			if gotN != wantN || gotResult != wantResult || got.depth != len(want.kinds) {
				t.Fatalf("%q, at %q: got %d %d, depth %d; want %d %d, depth %d", input, part, gotN, gotResult, got.depth, wantN, wantResult, len(want.kinds))
			}
			if rest = rest[wantN:]; wantResult != skipMore {
				ended[wantResult]++
				break
			}
		}
	}
	for result := skipDone; result <= skipDeep; result++ {
		if ended[result] < 100 {
			t.Errorf("result %d only %d times", result, ended[result])
		}
	}
}

// Kinds are remembered at any depth: beyond 64 they are in words of their own.
func TestKindsAreRememberedAtAnyDepth(t *testing.T) {
	for depth := 1; depth <= 300; depth++ {
		open, shut := "", ""
		for i := range depth {
			kind := i / 3 % 2
			open += "[{"[kind : kind+1]
			shut = "]}"[kind:kind+1] + shut
		}
		whole := nesting{max: depth}
		if n, result := whole.skip([]byte(open+shut), 0); result != skipDone || n != 2*depth {
			t.Fatalf("depth %d: %d at %d", depth, result, n)
		}
		parts := nesting{max: depth}
		parts.skip([]byte(open), 0)
		if n, result := parts.skip([]byte(shut), 0); result != skipDone || n != depth {
			t.Fatalf("depth %d in two parts: %d at %d", depth, result, n)
		}
	}
}

// A backslash that ends a block of 64 bytes, and what was read so far, stands for the next byte all the same.
func TestBackslashAtTheEndOfABlock(t *testing.T) {
	for blocks := 1; blocks <= 3; blocks++ {
		first := `["` + strings.Repeat("x", 64*blocks-3) + `\`
		n := nesting{max: 2}
		if passed, result := n.skip([]byte(first), 0); result != skipMore || passed != 64*blocks {
			t.Fatalf("%d blocks: %d at %d", blocks, result, passed)
		}
		if passed, result := n.skip([]byte(`"]"]`), 0); result != skipDone || passed != 4 {
			t.Fatalf("%d blocks: %d at %d behind the escaped quote", blocks, result, passed)
		}
	}
}

// Once too deep, brackets are counted to the end.
func TestNestingBlind(t *testing.T) {
	input := `[[["]\"]",{"a":[1,2]}]]]`
	for size := 1; size <= len(input); size++ {
		n := nesting{max: 2, blind: true}
		at := 0
		for at < len(input) {
			passed, result := n.skip([]byte(input[at:min(at+size, len(input))]), 0)
			if at += passed; (result == skipDone) != (at == len(input)) {
				t.Fatalf("in parts of %d: %d at %d", size, result, at)
			}
		}
	}
}

// Words and plain bytes agree on text.
func TestWordsAreTheByteLoops(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	alphabets := []string{"ab\"\\", "abcdefgh ~\x7f", "a\x1f\x20\x00", "a\x80\xff\"", "\x21\x22\x23\x5b\x5c\x5d"}
	for range 20_000 {
		alphabet := alphabets[random.IntN(len(alphabets))]
		text := make([]byte, random.IntN(40))
		for i := range text {
			text[i] = alphabet[random.IntN(len(alphabet))]
		}
		from := random.IntN(len(text) + 1)
		stop, clean := from, true
		for stop < len(text) && text[stop] != '"' && text[stop] != '\\' {
			stop++
		}
		for _, c := range text {
			clean = clean && c >= ' ' && c < 0x80 && c != '\\'
		}
		if got := textStop(text, from); got != stop {
			t.Fatalf("textStop(%q, %d) = %d, want %d", text, from, got, stop)
		}
		end, high := from, false
		for end < len(text) && text[end] != '"' && text[end] != '\\' && text[end] >= ' ' {
			high = high || text[end] >= 0x80
			end++
		}
		anyHigh := slices.ContainsFunc(text, func(c byte) bool { return c >= 0x80 })
		if got, gotHigh := textEnd(text, from); got != end || high && !gotHigh || gotHigh && !anyHigh {
			t.Fatalf("textEnd(%q, %d) = %d, %v, want %d, %v", text, from, got, gotHigh, end, high)
		}
		if got := plain(text); got != clean {
			t.Fatalf("plain(%q) = %v", text, got)
		}
	}
}
