package main

// rule is how a bar is held to.
type rule int

const (
	shown   rule = iota // not at all: the ratio is there to be seen
	atLeast             // so many times better than theirs: their time over ours, or our rate over theirs
	atMost              // ours over theirs
	limit               // ours, with nothing beside it
)

// bar is what a figure of ours is held to.
type bar struct {
	section string // where it is measured: rows, memory, reads, fifty or curve
	ours    string
	figure  string
	theirs  string // the row beside it: client-go's, or the same for what may not grow. None for a limit
	against string // the figure beside it
	rule    rule
	bound   float64
}

// What the bars are for.
const promisedN, promisedM = 100_000, 200_000

const (
	typedProto = "client-go typed protobuf"
	typedJSON  = "client-go typed JSON"
	theirMeta  = "client-go metadata"
)

// promise is what a form of ours is held to when it follows pods.
type promise struct {
	ours                    string
	syncJSON, syncProto     float64 // times as fast
	eventsJSON, eventsProto float64 // times as many
	heapProto, peakRSSProto float64 // shares
}

var promises = []promise{
	{ours: "raw", syncJSON: 25, syncProto: 4, eventsJSON: 40, eventsProto: 5, heapProto: 0.6, peakRSSProto: 0.5},
	{ours: "compact raw", syncJSON: 12, syncProto: 2, eventsJSON: 12, eventsProto: 1.5, heapProto: 0.15, peakRSSProto: 0.25},
	{ours: "five-field struct", syncJSON: 25, syncProto: 4, eventsJSON: 30, eventsProto: 4, heapProto: 0.1, peakRSSProto: 0.15},
	{ours: "full corev1.Pod", syncJSON: 7, syncProto: 1, eventsJSON: 10, eventsProto: 1.2, heapProto: 0.8, peakRSSProto: 0.8},
}

// bars holds what is promised.
var bars = allBars()

func allBars() []bar {
	var all []bar
	for _, p := range promises {
		all = append(all,
			bar{"rows", p.ours, "sync_s", typedJSON, "sync_s", atLeast, p.syncJSON},
			bar{"rows", p.ours, "sync_s", typedProto, "sync_s", atLeast, p.syncProto},
			bar{"rows", p.ours, "events_per_s", typedJSON, "events_per_s", atLeast, p.eventsJSON},
			bar{"rows", p.ours, "events_per_s", typedProto, "events_per_s", atLeast, p.eventsProto},
			bar{"rows", p.ours, "again_events_per_s", typedJSON, "again_events_per_s", shown, 0},
			bar{"rows", p.ours, "again_events_per_s", typedProto, "again_events_per_s", shown, 0},
			bar{"rows", p.ours, "heap_mb", typedProto, "heap_mb", atMost, p.heapProto},
			bar{"rows", p.ours, "peak_rss_mb", typedProto, "peak_rss_mb", atMost, p.peakRSSProto})
	}
	all = append(all,
		bar{"rows", "metadata only", "sync_s", theirMeta, "sync_s", atLeast, 3},
		bar{"rows", "metadata only", "events_per_s", theirMeta, "events_per_s", atLeast, 3},
		bar{"rows", "metadata only", "again_events_per_s", theirMeta, "again_events_per_s", shown, 0},
		bar{"rows", "metadata only", "heap_mb", theirMeta, "heap_mb", atMost, 0.5},
		bar{"rows", "metadata only", "peak_rss_mb", theirMeta, "peak_rss_mb", atMost, 0.5},
		bar{"rows", "raw", "gc_ms", typedProto, "gc_ms", atMost, 1.0 / 15})
	for _, r := range rows {
		if r.program != "clientgo" {
			all = append(all, lastingBars(r.name)...)
		}
	}
	for _, theirs := range []string{typedProto, theirMeta} {
		all = append(all,
			bar{"memory", theirs, "given_back_after_mb", theirs, "given_back_mb", shown, 0},
			bar{"memory", theirs, "idle_after_mb", theirs, "idle_mb", shown, 0})
	}
	for _, r := range rows {
		if r.program != "clientgo" && r.node {
			all = append(all, readBars(r.name)...)
		}
	}
	return append(all, append(fiftyBars(), curveBars()...)...)
}

// lastingBars are those of every form, once it has the pods: the burst, what is left of it, latency, a relist.
func lastingBars(ours string) []bar {
	theirs, theirJSON := typedProto, typedJSON
	if ours == "metadata only" {
		theirs, theirJSON = theirMeta, "" // it is protobuf, and there is no other
	}
	all := []bar{
		{"rows", ours, "burst_rss_mb", theirs, "burst_rss_mb", atMost, 1},
		{"rows", ours, "heap_after_mb", ours, "heap_mb", atMost, 1.2},
		{"memory", ours, "given_back_after_mb", ours, "given_back_mb", atMost, 1.2},
		{"memory", ours, "idle_after_mb", ours, "idle_mb", shown, 0},
		{"rows", ours, "latency_p99_ms", theirs, "latency_p99_ms", atMost, 1},
		{"rows", ours, "relist_calls", "", "", limit, 0},
		{"rows", ours, "relist_cpu_s", theirs, "relist_cpu_s", shown, 0},
	}
	if theirJSON != "" {
		all = append(all, bar{"rows", ours, "relist_cpu_s", theirJSON, "relist_cpu_s", atLeast, 20})
	}
	return all
}

func readBars(ours string) []bar {
	return []bar{
		{"reads", ours, "get_ns", typedProto, "lister_get_ns", atMost, 1.2},
		{"reads", ours, "lister_get_ns", typedProto, "lister_get_ns", atMost, 1.2},
		{"reads", ours, "paced_get_ns", typedProto, "paced_lister_get_ns", atLeast, 1},
		{"reads", ours, "paced_lister_get_ns", typedProto, "paced_lister_get_ns", atLeast, 1},
		{"reads", ours, "busy_get_ns", typedProto, "busy_lister_get_ns", shown, 0},
		{"reads", ours, "by_index_ns", typedProto, "by_index_ns", atLeast, 2},
		{"reads", ours, "by_index_allocs", "", "", limit, fewAllocations},
		{"reads", ours, "namespace_ns", typedProto, "namespace_ns", atLeast, 2},
		{"reads", ours, "namespace_allocs", "", "", limit, fewAllocations},
		{"reads", ours, "snapshot_ns", "", "", limit, 10_000},
	}
}

// fewAllocations of a read are none: what else the process does allocates, too.
const fewAllocations = 0.05

// fiftyBars: many informers cost no more than theirs in anything. Over TLS connections are a bar that is not met: client-go has HTTP/2 there.
func fiftyBars() []bar {
	var all []bar
	for _, ours := range []string{"raw", "five-field struct"} {
		for _, figure := range []string{"connections", "goroutines", "heap_mb", "peak_rss_mb"} {
			all = append(all, bar{"fifty", ours, figure, typedProto, figure, atMost, 1})
		}
	}
	return all
}

// curveBars: an event costs about the same however many objects there are.
func curveBars() []bar {
	var all []bar
	for _, r := range rows {
		if r.slow {
			continue
		}
		b := bar{"curve", r.name, "event_cost_300k", r.name, "event_cost_1k", atMost, 1.5}
		if r.program == "clientgo" {
			b.rule, b.bound = shown, 0
		}
		all = append(all, b, bar{"curve", r.name, "again_cost_300k", r.name, "again_cost_1k", shown, 0})
	}
	return all
}
