package codec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// pods returns pods that differ where those of a deployment do. There are more of them than a codec remembers strings of.
func pods(tb testing.TB) [][]byte {
	tb.Helper()
	text, err := os.ReadFile("../compare/load/pod.json")
	if err != nil {
		tb.Fatal(err)
	}
	pod := new(corev1.Pod)
	if err := json.Unmarshal(text, pod); err != nil {
		tb.Fatal(err)
	}
	if text, err = json.Marshal(pod); err != nil {
		tb.Fatal(err)
	}
	var all [][]byte
	for i := range 4096 {
		o := bytes.ReplaceAll(text, []byte("x00001"), fmt.Appendf(nil, "x%05d", i))
		o = bytes.ReplaceAll(o, []byte("team-001"), fmt.Appendf(nil, "team-%03d", i%100))
		o = bytes.ReplaceAll(o, []byte("node-0042"), fmt.Appendf(nil, "node-%04d", i%3000))
		o = bytes.ReplaceAll(o, []byte("10.1.2.3"), fmt.Appendf(nil, "10.1.%d.%d", i/256, i%256))
		o = bytes.ReplaceAll(o, []byte("0b6cf1f8-6a1b"), fmt.Appendf(nil, "%08x-6a1b", i*7919))
		o = bytes.ReplaceAll(o, []byte(`"resourceVersion":"1"`), fmt.Appendf(nil, `"resourceVersion":"%d"`, 1000000+i))
		o = bytes.ReplaceAll(o, []byte("3b1c9a4b5d8e2f7c"), fmt.Appendf(nil, "%016x", uint64(i)*0x9e3779b97f4a7c15))
		o = bytes.ReplaceAll(o, []byte("T12:00:"), fmt.Appendf(nil, "T%02d:%02d:", i%24, i%60))
		all = append(all, o)
	}
	return all
}

func BenchmarkPod(b *testing.B) {
	objects, codec := pods(b), watchdecoder.JSON[corev1.Pod]()
	b.SetBytes(int64(len(objects[0])))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := codec.Decode(objects[i%len(objects)]); err != nil {
			b.Fatal(err)
		}
	}
}
