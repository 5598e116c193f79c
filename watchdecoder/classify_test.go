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
