package load

import (
	"encoding/binary"
	"strconv"
	"time"
)

// field is what differs between two pods. Each has the same width in every pod, so that all bodies of a kind are of
// one length and a pod is its template with some bytes replaced.
type field int

const (
	nameDigits field = iota
	teamDigits
	nodeDigits
	podIP
	uid
	version
	checksum
	container
	created // the times as text ...
	ready
	createdSeconds // ... and as protobuf's seconds
	readySeconds
	fields
)

// FirstVersion is below every resourceVersion: 100000 in the data set that this follows, with three digits more, so
// that no number of updates changes the width.
const FirstVersion = 100_000_000

const (
	teams = 100
	nodes = 3000
)

// epoch is when the first pod was created.
var epoch = time.Date(2026, time.October, 1, 12, 0, 0, 0, time.UTC)

// placeholders are what the template holds in place of each field.
var placeholders = [fields]string{
	nameDigits: "#name#",
	teamDigits: "#t#",
	nodeDigits: "#no#",
	podIP:      "#pod.address.#",
	uid:        "#uid-uid-uid-uid-uid-uid-uid-uid-ui#",
	version:    "#version#",
	checksum:   "#checksum-checksum-checksum-checksum-checksum-checksum-checksum-#",
	container:  "#container-container-container-container-container-container-co#",
	created:    "2031-01-02T03:04:05Z",
	ready:      "2031-01-02T03:04:15Z",
}

// secondsWidth is that of a time of these years as protobuf's varint.
const secondsWidth = 5

// places is where each field stands in a pod's values. The version, which changes, is not among them.
var places = func() (at [fields + 1]int) {
	for f := range fields {
		width := len(placeholders[f])
		switch f {
		case version:
			width = 0
		case createdSeconds, readySeconds:
			width = secondsWidth
		}
		at[f+1] = at[f] + width
	}
	return at
}()

// values holds the fields of one pod, one behind the other.
type values []byte

func (v values) of(f field) []byte { return v[places[f]:places[f+1]] }

// allValues is those of n pods.
func allValues(n int) []values {
	size := places[fields]
	memory := make([]byte, n*size)
	all := make([]values, n)
	for i := range all {
		all[i] = memory[i*size:][:size]
		all[i].set(i)
	}
	return all
}

// set makes v the fields of pod i.
func (v values) set(i int) {
	digits(v.of(nameDigits), uint64(i))
	digits(v.of(teamDigits), uint64(i%teams))
	digits(v.of(nodeDigits), uint64(i%nodes))
	copy(v.of(podIP), "10.")
	address(v.of(podIP)[3:], i)
	state := uint64(i) * 0x9e3779b97f4a7c15
	random(v.of(uid), &state)
	for _, dash := range []int{8, 13, 18, 23} {
		v.of(uid)[dash] = '-'
	}
	random(v.of(checksum), &state)
	random(v.of(container), &state)
	v.time(created, createdSeconds, epoch.Add(time.Duration(i%86400)*time.Second))
	v.time(ready, readySeconds, epoch.Add(time.Duration(i%86400+10)*time.Second))
}

func (v values) time(text, seconds field, t time.Time) {
	t.AppendFormat(v.of(text)[:0], time.RFC3339)
	binary.AppendUvarint(v.of(seconds)[:0], uint64(t.Unix()))
}

// digits writes n in decimal, with zeros in front, into all of dst.
func digits(dst []byte, n uint64) {
	for i := len(dst) - 1; i >= 0; i-- {
		dst[i] = byte('0' + n%10)
		n /= 10
	}
}

// address writes three octets of three digits each.
func address(dst []byte, i int) {
	for part, n := range [3]int{i / (150 * 150) % 150, i / 150 % 150, i % 150} {
		digits(dst[part*4:part*4+3], uint64(100+n))
		if part < 2 {
			dst[part*4+3] = '.'
		}
	}
}

// random fills dst with hexadecimal digits (the generator is SplitMix64, which every seed suits).
func random(dst []byte, state *uint64) {
	var word uint64
	for i := range dst {
		if i%16 == 0 {
			*state += 0x9e3779b97f4a7c15
			word = *state
			word = (word ^ word>>30) * 0xbf58476d1ce4e5b9
			word = (word ^ word>>27) * 0x94d049bb133111eb
			word ^= word >> 31
		}
		dst[i] = "0123456789abcdef"[word&15]
		word >>= 4
	}
}

// Namespace is the name of pod i's namespace.
func Namespace(i int) string { return "team-" + pad(i%teams, 3) }

// Node is the name of pod i's node.
func Node(i int) string { return "node-" + pad(i%nodes, 4) }

// Name is the name of pod i.
func Name(i int) string { return "web-7d4b9c5f6-x" + pad(i, 6) }

func pad(n, width int) string {
	s := strconv.Itoa(n)
	for len(s) < width {
		s = "0" + s
	}
	return s
}
