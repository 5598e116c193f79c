package watchdecoder

import "iter"

// Labels yields the keys and values of metadata.labels without decoding the object: views into raw, or copies where there are
// escapes. raw must be a valid object; the iteration ends early where it is not.
func Labels(raw []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {}
}
