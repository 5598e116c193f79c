package chunked

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http/httputil"
	"strings"
	"testing"
)

// Each benchmark decodes the same body: ours, ours with a tracer, net/http's for the ratio, and a plain copy for the cost of the bytes themselves.
func BenchmarkReader(b *testing.B) {
	for _, size := range []int{1, 64, 4500, 64 << 10} {
		chunk := fmt.Sprintf("%x\r\n%s\r\n", size, strings.Repeat("x", size))
		count := max(1, 1<<20/len(chunk))
		body := []byte(strings.Repeat(chunk, count) + end)
		run := func(name string, reader func(*bufio.Reader) io.Reader) {
			b.Run(fmt.Sprintf("%s/chunk=%d", name, size), func(b *testing.B) {
				src := bytes.NewReader(body)
				br := bufio.NewReaderSize(src, 32<<10)
				p := make([]byte, 32<<10)
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					src.Reset(body)
					br.Reset(src)
					r := reader(br)
					for {
						if _, err := r.Read(p); err != nil {
							break
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*count), "ns/chunk")
			})
		}
		var keep Reader // so that a body's only allocation, the Reader, is not counted for its reads
		run("rawwatch", func(br *bufio.Reader) io.Reader {
			keep = Reader{br: br, o: Options{}.resolved()}
			return &keep
		})
		var seen int64
		run("traced", func(br *bufio.Reader) io.Reader {
			return NewReader(br, Options{OnChunk: func(c Chunk) { seen += c.Size }})
		})
		run("net-http", func(br *bufio.Reader) io.Reader { return httputil.NewChunkedReader(br) })
		run("copy", func(br *bufio.Reader) io.Reader { return br })
	}
}
