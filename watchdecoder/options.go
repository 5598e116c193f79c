package watchdecoder

// Defaults and bounds of [Options].
const (
	// DefaultMaxBytes is client-go's limit for one watch event; etcd refuses objects of more than 1.5 MiB unless told otherwise.
	DefaultMaxBytes = 16 << 20
	// DefaultMaxDepth is several times what the deepest objects in use need (the schemas of CustomResourceDefinitions: about 50).
	DefaultMaxDepth = 256
	// HighestDepth is what [Valid] accepts at most, as encoding/json does, and what a negative MaxDepth stands for.
	HighestDepth = 10_000
)

// Options configures a [Decoder] or a [ListDecoder]. The zero value is usable.
type Options struct {
	// MaxBytes bounds one watch event or list item. A larger one is skipped to its end without being held and reported as a
	// recoverable [FrameError]. Zero is DefaultMaxBytes, negative is no limit.
	MaxBytes int
	// MaxDepth bounds the nesting of one object, whose own braces count as one. Zero is DefaultMaxDepth, negative is HighestDepth.
	MaxDepth int
	// APIVersion and Kind are what each object must be of, "" if anything will do. Objects that say neither are taken to be of them.
	APIVersion, Kind string
}
