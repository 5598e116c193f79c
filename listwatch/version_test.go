package listwatch

import (
	"math/big"
	"strings"
	"testing"
)

// FuzzVersion holds the order of versions to math/big: decimal digits without leading zeros are numbers of any length, everything else has no order (KEP-5504).
func FuzzVersion(f *testing.F) {
	for _, pair := range [][2]string{{"9", "10"}, {"10", "10"}, {"", "1"}, {"0", "1"}, {"01", "1"}, {"a", "1"}, {"18446744073709551616", "9223372036854775807"}, {"-1", "1"}, {"1 ", "1"}, {"１", "2"}, {strings.Repeat("9", 100), "1" + strings.Repeat("0", 100)}} {
		f.Add(pair[0], pair[1])
		f.Add(pair[1], pair[0])
	}
	number := func(s string) *big.Int {
		n, ok := new(big.Int).SetString(s, 10)
		if !ok || s == "" || strings.Trim(s, "0123456789") != "" || s[0] == '0' {
			return nil
		}
		return n
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 4<<10 {
			return
		}
		x, y := number(a), number(b)
		if decimal(a) != (x != nil) {
			t.Fatalf("%q is decimal: %v", a, decimal(a))
		}
		if want := x != nil && y != nil && x.Cmp(y) < 0; older(a, b) != want {
			t.Fatalf("%q is older than %q: %v", a, b, !want)
		}
		want := a == "" || (x != nil) == (y != nil) && (x == nil || x.Cmp(y) <= 0)
		if follows(a, b) != want {
			t.Fatalf("%q follows %q: %v, want %v", b, a, !want, want)
		}
		if follows(a, b) && follows(b, a) && x != nil && a != b {
			t.Fatalf("%q and %q follow each other", a, b)
		}
	})
}
