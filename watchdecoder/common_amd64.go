package watchdecoder

// commonBytes is commonWords of n bytes, with instructions that every amd64 has.
//
//go:noescape
func commonBytes(a, b *byte, n int) int

// common returns how many bytes a and b begin with that are the same.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	if n == 0 {
		return 0
	}
	return commonBytes(&a[0], &b[0], n)
}
