package watchdecoder

import (
	"math/rand/v2"
	"testing"
)

// Whatever classifies, the definition is this.
func classifyBytes(p *block) (quotes, escapes, brackets uint64) {
	for i, c := range p {
		switch {
		case c == '"':
			quotes |= 1 << i
		case c == '\\':
			escapes |= 1 << i
		case c|0x26 == 0x7f:
			brackets |= 1 << i
		}
	}
	return quotes, escapes, brackets
}

func TestClassify(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p block
	for n := range 20_000 {
		for i := range p {
			p[i] = "\"\\[]{}YyXx_\x7f\x5f\x21\x23 \x00\x80\xa2\xdc\xff"[r.IntN(21)]
			if n < 256 {
				p[i] = byte(n + i)
			}
		}
		wantQuotes, wantEscapes, wantBrackets := classifyBytes(&p)
		if quotes, escapes, brackets := classify(&p); quotes != wantQuotes || escapes != wantEscapes || brackets != wantBrackets {
			t.Fatalf("%q: got %x, %x, %x, want %x, %x, %x", p, quotes, escapes, brackets, wantQuotes, wantEscapes, wantBrackets)
		}
		if quotes, escapes, brackets := classifyWords(&p); quotes != wantQuotes || escapes != wantEscapes || brackets != wantBrackets {
			t.Fatalf("%q: in words: got %x, %x, %x, want %x, %x, %x", p, quotes, escapes, brackets, wantQuotes, wantEscapes, wantBrackets)
		}
	}
}

// Texts of every length, that differ at every place, at every distance from a border of 16 bytes.
func TestCommon(t *testing.T) {
	memory := make([]byte, 512)
	for i := range memory {
		memory[i] = byte(i * 7)
	}
	for shift := range 17 {
		for n := range 200 {
			a, b := memory[shift:][:n], append(make([]byte, shift, 600), memory[shift:][:n]...)[shift:]
			for differ := range n + 1 {
				if differ < n {
					b[differ] ^= 0x80
				}
				if got, words := common(a, b), commonWords(a, b); got != differ || words != differ {
					t.Fatalf("%d bytes that differ at %d: %d, in words %d", n, differ, got, words)
				}
				if longer := b[:n:n]; n > 0 && common(a[:n-1], longer) != min(differ, n-1) {
					t.Fatalf("%d bytes and one less, differing at %d: %d", n, differ, common(a[:n-1], longer))
				}
				if differ < n {
					b[differ] ^= 0x80
				}
			}
		}
	}
}

func BenchmarkClassify(b *testing.B) {
	var p block
	copy(p[:], `{"f:metadata":{"f:annotations":{".":{},"f:checksum/config":{}},"f:generateName"`)
	b.Run("words", func(b *testing.B) {
		for b.Loop() {
			classifyWords(&p)
		}
	})
	b.Run("used", func(b *testing.B) {
		for b.Loop() {
			classify(&p)
		}
	})
}
