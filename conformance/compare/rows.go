package main

// row is one way of following the pods.
type row struct {
	name    string
	program string // its folder here
	form    string // what the program calls it
	only    string // the short name that -only takes
	slow    bool   // not above 100,000 objects
	node    bool   // its reads can be measured
}

// rows in the order of the table. A new one is a line here and a case in its program.
var rows = []row{
	{name: "client-go typed protobuf", program: "clientgo", only: "typed-proto", node: true},
	{name: "client-go typed JSON", program: "clientgo", only: "typed-json"},
	{name: "client-go dynamic", program: "clientgo", only: "dynamic", slow: true},
	{name: "client-go metadata", program: "clientgo", only: "client-go-metadata"},
	{name: "raw", program: "ours", only: "raw"},
	{name: "compact raw", program: "ours", form: "compact", only: "compact"},
	{name: "lazy", program: "ours", only: "lazy"},
	{name: "five-field struct", program: "ours", form: "five", only: "five", node: true},
	{name: "full corev1.Pod", program: "full", form: "full", only: "corev1", node: true},
	{name: "metadata only", program: "ours", form: "metadata", only: "metadata"},
}

func (r row) kind() string {
	if r.form != "" {
		return r.form
	}
	return r.name
}

// bar is what a figure of ours is held to, against a row of client-go's.
type bar struct {
	ours, theirs, figure string
	least, most          float64 // of the ratio; one of them
}

const (
	typedProto  = "client-go typed protobuf"
	typedJSON   = "client-go typed JSON"
	theirMeta   = "client-go metadata"
	fullGC      = 1.0 / 15
	relistShare = 1.0 / 20
)

// bars holds what is promised. Times are theirs over ours, memory is ours over theirs.
var bars = []bar{
	{"raw", typedJSON, "sync_s", 25, 0}, {"raw", typedProto, "sync_s", 4, 0},
	{"raw", typedJSON, "events_per_s", 40, 0}, {"raw", typedProto, "events_per_s", 5, 0},
	{"raw", typedProto, "heap_mb", 0, 0.6}, {"raw", typedProto, "peak_rss_mb", 0, 0.5}, {"raw", typedProto, "gc_ms", 0, fullGC},

	{"compact raw", typedJSON, "sync_s", 12, 0}, {"compact raw", typedProto, "sync_s", 2, 0},
	{"compact raw", typedJSON, "events_per_s", 12, 0}, {"compact raw", typedProto, "events_per_s", 1.5, 0},
	{"compact raw", typedProto, "heap_mb", 0, 0.15}, {"compact raw", typedProto, "peak_rss_mb", 0, 0.25},

	{"five-field struct", typedJSON, "sync_s", 25, 0}, {"five-field struct", typedProto, "sync_s", 4, 0},
	{"five-field struct", typedJSON, "events_per_s", 30, 0}, {"five-field struct", typedProto, "events_per_s", 4, 0},
	{"five-field struct", typedProto, "heap_mb", 0, 0.1}, {"five-field struct", typedProto, "peak_rss_mb", 0, 0.15},

	{"full corev1.Pod", typedJSON, "sync_s", 7, 0}, {"full corev1.Pod", typedProto, "sync_s", 1, 0},
	{"full corev1.Pod", typedJSON, "events_per_s", 10, 0}, {"full corev1.Pod", typedProto, "events_per_s", 1.2, 0},
	{"full corev1.Pod", typedProto, "heap_mb", 0, 0.8}, {"full corev1.Pod", typedProto, "peak_rss_mb", 0, 0.8},

	{"metadata only", theirMeta, "sync_s", 3, 0}, {"metadata only", theirMeta, "events_per_s", 3, 0},
	{"metadata only", theirMeta, "heap_mb", 0, 0.5}, {"metadata only", theirMeta, "peak_rss_mb", 0, 0.5},

	{"raw", typedProto, "burst_rss_mb", 0, 1}, {"five-field struct", typedProto, "burst_rss_mb", 0, 1}, {"full corev1.Pod", typedProto, "burst_rss_mb", 0, 1},
	{"raw", typedProto, "relist_cpu_s", 0, relistShare}, {"five-field struct", typedProto, "relist_cpu_s", 0, relistShare},
	{"full corev1.Pod", typedProto, "relist_cpu_s", 0, relistShare},
	{"raw", typedProto, "latency_p99_ms", 0, 1}, {"five-field struct", typedProto, "latency_p99_ms", 0, 1}, {"full corev1.Pod", typedProto, "latency_p99_ms", 0, 1},
}
