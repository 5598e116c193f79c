package watchdecoder_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// template reads an object of testdata as a server sends it: compact.
func template(tb testing.TB, name string) []byte {
	tb.Helper()
	indented, err := os.ReadFile("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, indented); err != nil {
		tb.Fatal(err)
	}
	return compact.Bytes()
}

// crowd returns objects after a template that differ in the length of their strings, so that a branch predictor cannot learn
// one of them by heart.
func crowd(tb testing.TB, name string) [][]byte {
	tb.Helper()
	object := template(tb, name)
	var all [][]byte
	for i := range 64 {
		o := bytes.ReplaceAll(object, []byte("2026-03-14T09:26:53.00"), []byte("2026-03-14T09:26:53.001122334"[:22+i%8]))
		o = bytes.ReplaceAll(o, []byte("example.org"), []byte("examples-of-names.org"[i%9:]))
		o = bytes.ReplaceAll(o, []byte("shop"), []byte("shopping-cart"[:4+i%10]))
		o = bytes.ReplaceAll(o, []byte(`"True"`), fmt.Appendf(nil, `"%0*d"`, 1+i%7, i))
		o = bytes.ReplaceAll(o, []byte("bed-"), []byte("garden-bed-"[i%8:]))
		all = append(all, o)
	}
	return all
}

// strangers returns pods no two of which have the same members: what is compared with what came before finds nothing.
func strangers(tb testing.TB) [][]byte {
	tb.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	var thin func(value any, top bool)
	thin = func(value any, top bool) {
		switch value := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				if thin(value[key], false); !top && key != "name" && key != "resourceVersion" && key != "labels" && r.IntN(12) == 0 {
					delete(value, key)
				}
			}
		case []any:
			for _, value := range value {
				thin(value, false)
			}
		}
	}
	var all [][]byte
	for range 64 {
		var pod map[string]any
		if err := json.Unmarshal(template(tb, "pod.json"), &pod); err != nil {
			tb.Fatal(err)
		}
		thin(pod, true)
		o, err := json.Marshal(pod)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}

// benchmarks runs f on the two kinds of objects there are: built-in ones, with their identity first, and custom resources,
// with sorted keys; and on objects that are not like each other.
func benchmarks(b *testing.B, f func(b *testing.B, objects [][]byte)) {
	b.Run("pod", func(b *testing.B) { f(b, crowd(b, "pod.json")) })
	b.Run("custom", func(b *testing.B) { f(b, crowd(b, "plan.json")) })
	b.Run("strangers", func(b *testing.B) { f(b, strangers(b)) })
}

func frames(objects [][]byte) [][]byte {
	var all [][]byte
	for _, o := range objects {
		all = append(all, fmt.Appendf(nil, "{\"type\":\"MODIFIED\",\"object\":%s}\n", o))
	}
	return all
}

func sizeOf(b *testing.B, inputs [][]byte) {
	b.ReportAllocs()
	b.SetBytes(int64(len(bytes.Join(inputs, nil)) / len(inputs)))
}

// endless reads the same bytes over and over.
type endless struct {
	b  []byte
	at int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.b[e.at:])
	e.at = (e.at + n) % len(e.b)
	return n, nil
}

// endOfValue is the plain loop that others are measured by: it finds the end of a value and nothing else.
func endOfValue(b []byte) int {
	depth, inString := 0, false
	for i := 0; i < len(b); i++ {
		c := b[i]
		if inString {
			switch c {
			case '"':
				inString = false
			case '\\':
				i++
			}
			continue
		}
		switch c {
		case '"':
			inString = true
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

func BenchmarkPlainLoop(b *testing.B) {
	benchmarks(b, func(b *testing.B, objects [][]byte) {
		all := frames(objects)
		sizeOf(b, all)
		for i := 0; b.Loop(); i++ {
			if endOfValue(all[i%len(all)]) < 0 {
				b.Fatal("no end")
			}
		}
	})
}

func BenchmarkEncodingJSONValid(b *testing.B) {
	benchmarks(b, func(b *testing.B, objects [][]byte) {
		all := frames(objects)
		sizeOf(b, all)
		for i := 0; b.Loop(); i++ {
			if !json.Valid(all[i%len(all)]) {
				b.Fatal("invalid")
			}
		}
	})
}

func BenchmarkDecoder(b *testing.B) {
	benchmarks(b, func(b *testing.B, objects [][]byte) {
		all := frames(objects)
		d := watchdecoder.NewDecoder(&endless{b: bytes.Join(all, nil)}, watchdecoder.Options{})
		sizeOf(b, all)
		for b.Loop() {
			if f, err := d.Next(); err != nil || len(f.Identity.Name) == 0 {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkListDecoder(b *testing.B) {
	benchmarks(b, func(b *testing.B, objects [][]byte) {
		list := fmt.Appendf(nil, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[%s]}`, bytes.Join(objects, []byte(",")))
		sizeOf(b, objects)
		r := bytes.NewReader(nil)
		d := watchdecoder.NewListDecoder(r, watchdecoder.Options{})
		for b.Loop() {
			_, err := d.Next()
			if err == nil {
				continue
			}
			if d.Meta().ResourceVersion != "9" && r.Size() > 0 {
				b.Fatal(err)
			}
			r = bytes.NewReader(list)
			d = watchdecoder.NewListDecoder(r, watchdecoder.Options{})
		}
	})
}

func BenchmarkValid(b *testing.B) {
	benchmarks(b, func(b *testing.B, objects [][]byte) {
		sizeOf(b, objects)
		for i := 0; b.Loop(); i++ {
			if err := watchdecoder.Valid(objects[i%len(objects)]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkLabels(b *testing.B) {
	benchmarks(b, func(b *testing.B, objects [][]byte) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			n := 0
			for range watchdecoder.Labels(objects[i%len(objects)]) {
				n++
			}
			if n == 0 {
				b.Fatal("no labels")
			}
		}
	})
}

// fiveFields is what a program declares that needs little of an object.
type fiveFields struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		NodeName string `json:"nodeName"`
		Timezone string `json:"timezone"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
		PodIP string `json:"podIP"`
	} `json:"status"`
}

func benchmarkCodec[T any](b *testing.B, codec watchdecoder.Codec[T]) {
	benchmarks(b, func(b *testing.B, objects [][]byte) { benchmarkDecode(b, codec, objects) })
}

func benchmarkDecode[T any](b *testing.B, codec watchdecoder.Codec[T], objects [][]byte) {
	sizeOf(b, objects)
	for i := 0; b.Loop(); i++ {
		if _, err := codec.Decode(objects[i%len(objects)]); err != nil {
			b.Fatal(err)
		}
	}
}

// metadataObjects returns many objects' metadata as a server sends it by itself: what controllers wrote is alike in all of them, names, versions
// and times are each one's own. There are more of them than a codec remembers strings of, as there are objects in a cluster.
func metadataObjects(tb testing.TB) [][]byte {
	tb.Helper()
	pod, err := os.ReadFile("../conformance/compare/load/pod.json")
	if err != nil {
		tb.Fatal(err)
	}
	var object struct {
		Kind       string          `json:"kind"`
		APIVersion string          `json:"apiVersion"`
		Metadata   json.RawMessage `json:"metadata"`
	}
	if err := json.Unmarshal(pod, &object); err != nil {
		tb.Fatal(err)
	}
	object.Kind, object.APIVersion = "PartialObjectMetadata", "meta.k8s.io/v1"
	text, err := json.Marshal(object)
	if err != nil {
		tb.Fatal(err)
	}
	var all [][]byte
	for i := range 4096 {
		o := bytes.ReplaceAll(text, []byte("x00001"), fmt.Appendf(nil, "x%05d", i))
		o = bytes.ReplaceAll(o, []byte("team-001"), fmt.Appendf(nil, "team-%03d", i%100))
		o = bytes.ReplaceAll(o, []byte("0b6cf1f8-6a1b"), fmt.Appendf(nil, "%08x-6a1b", i*7919))
		o = bytes.ReplaceAll(o, []byte(`"resourceVersion":"1"`), fmt.Appendf(nil, `"resourceVersion":"%d"`, 1000000+i))
		o = bytes.ReplaceAll(o, []byte("3b1c9a4b5d8e2f7c"), fmt.Appendf(nil, "%016x", uint64(i)*0x9e3779b97f4a7c15))
		o = bytes.ReplaceAll(o, []byte("T12:00:"), fmt.Appendf(nil, "T%02d:%02d:", i%24, i%60))
		all = append(all, o)
	}
	return all
}

func BenchmarkCodecPartialObjectMetadata(b *testing.B) {
	benchmarkDecode(b, watchdecoder.MetadataObject(), metadataObjects(b))
}

func BenchmarkCodecFiveFields(b *testing.B) { benchmarkCodec(b, watchdecoder.JSON[fiveFields]()) }
func BenchmarkCodecMetadata(b *testing.B)   { benchmarkCodec(b, watchdecoder.MetadataObject()) }
func BenchmarkCodecAny(b *testing.B)        { benchmarkCodec(b, watchdecoder.JSON[any]()) }
func BenchmarkCodecRaw(b *testing.B)        { benchmarkCodec(b, watchdecoder.RawObject()) }
