package fuzz

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// peakAllowed is how much memory, above what there was, a bomb may take at any moment.
const peakAllowed = 64 << 20

// A bomb is an answer that costs its sender little. size is its length in whatever it is made of: the same bomb is thrown at a hundredth of it in go test,
// and whole by .ci/bombs.
type bomb struct {
	name string
	size int64
	// answer is what the server sends; of size.
	answer func(size int64) io.Reader
	// use is what the client does with it.
	use func(t *testing.T, c *rest.Client) error
	// want is in the error, or nothing if there is to be none.
	want string
	// reads is how many bytes may have been taken off the connection when it is over; 0 is all of it.
	reads int64
}

const (
	ok      = "HTTP/1.1 200 OK\r\n"
	chunkTE = "Transfer-Encoding: chunked\r\n"
	toEnd   = ok + "Content-Type: application/json\r\n\r\n"
	listTop = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[`
	pod     = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n","resourceVersion":"7"}`
)

// discard reads a body to its end and counts.
func discard(_ *testing.T, c *rest.Client) error {
	r, err := c.Do(context.Background(), rest.Request{Path: "/"})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return err
}

func discardGzip(_ *testing.T, c *rest.Client) error {
	r, err := c.Do(context.Background(), rest.Request{Path: "/", Gzip: true})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return err
}

// frames reads a watch with a counting sink; what costs one frame is counted too. The last such error is returned if the stream ended whole.
func countFrames(_ *testing.T, c *rest.Client) error {
	r, err := c.Do(context.Background(), rest.Request{Path: "/"})
	if err != nil {
		return err
	}
	defer r.Body.Close()
	d := watchdecoder.NewDecoder(r.Body, watchdecoder.Options{})
	var last error
	for {
		_, err := d.Next()
		switch {
		case err == io.EOF:
			return last
		case err != nil && watchdecoder.IsRecoverable(err):
			last = err
		case err != nil:
			return err
		}
	}
}

// countItems is the same for a list, each of whose objects is validated and copied.
func countItems(t *testing.T, c *rest.Client) error { return items(t, c, rest.Request{Path: "/"}) }

func countGzipItems(t *testing.T, c *rest.Client) error {
	return items(t, c, rest.Request{Path: "/", Gzip: true})
}

func items(_ *testing.T, c *rest.Client, request rest.Request) error {
	r, err := c.Do(context.Background(), request)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	d := watchdecoder.NewListDecoder(r.Body, watchdecoder.Options{})
	codec := watchdecoder.RawObject() // a decoded value may take many times its text: docs/reliability.md, "limits"
	var last error
	for {
		item, err := d.Next()
		switch {
		case err == io.EOF:
			return last
		case err != nil && watchdecoder.IsRecoverable(err):
			last = err
		case err != nil:
			return err
		default:
			if _, err := codec.Decode(item.Object); err != nil {
				last = err
			}
		}
	}
}

// listPages lists at most so many pages, the default number where it is 0.
func listPages(c *rest.Client, most int) error {
	for _, err := range listwatch.List(context.Background(), c, listwatch.Options{Path: "/pods", PageSize: -1, MaxPages: most}) {
		if err != nil {
			return err
		}
	}
	return nil
}

func discover(_ *testing.T, c *rest.Client) error {
	_, err := rest.Discover(context.Background(), c)
	return err
}

// zipped returns a reader of the gzip members of what r reads: one for each flush bytes, or one in all.
func zipped(r io.Reader, flush int64) io.Reader {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	buffer := make([]byte, 64<<10)
	over, inMember := false, int64(0)
	return readerFunc(func(p []byte) (int, error) {
		for out.Len() < len(p) && !over {
			n, err := r.Read(buffer)
			w.Write(buffer[:n])
			if inMember += int64(n); err != nil || flush > 0 && inMember >= flush {
				w.Close()
				w.Reset(&out)
				inMember = 0
			}
			over = err != nil
		}
		return out.Read(p)
	})
}

const (
	gib = 1 << 30
	mib = 1 << 20
)

var bombs = []bomb{
	{"a status line without an end", 10 * gib, func(n int64) io.Reader { return texts("HTTP/1.1 200 ", repeat("a", n)) }, discard, "longer than 65536", 128 << 10},
	{"a field without an end", 10 * gib, func(n int64) io.Reader { return texts(ok+"A: ", repeat("b", n)) }, discard, "longer than 65536", 128 << 10},
	{"fields without an end", 10 * gib, func(n int64) io.Reader { return texts(ok, repeat("A: b\r\n", n)) }, discard, "more than 256", 128 << 10},
	{"folds without an end", 10 * gib, func(n int64) io.Reader { return texts(ok+"A: b\r\n", repeat(" c\r\n", n)) }, discard, "more than 256", 128 << 10},
	{"informational responses without an end", 10 * gib, func(n int64) io.Reader { return repeat("HTTP/1.1 103 E\r\nA: b\r\n\r\n", n) }, discard, "more than 8", 128 << 10},
	{"a chunk size of zeros without an end", 10 * gib, func(n int64) io.Reader { return texts(ok+chunkTE+"\r\n", repeat("0", n)) }, discard, "16 digits", 128 << 10},
	{"a chunk extension without an end", 10 * gib, func(n int64) io.Reader { return texts(ok+chunkTE+"\r\n5;", repeat("a", n)) }, discard, "longer than the limit", 128 << 10},
	{"an extension on each chunk of a byte", 10 * gib, func(n int64) io.Reader {
		return texts(ok+chunkTE+"\r\n", repeat("1;abcdefghijklmnopqrstuvwxyz\r\nx\r\n", n))
	}, discard, "limit", mib},
	{"chunks of a byte with padded sizes", 256 * mib, func(n int64) io.Reader {
		return texts(ok+chunkTE+"\r\n", times("00000001\r\nx\r\n", n/13), "0\r\n\r\n")
	}, discard, "", 0},
	{"trailers without an end", 10 * gib, func(n int64) io.Reader { return texts(ok+chunkTE+"\r\n0\r\n", repeat("A: b\r\n", n)) }, discard, "more trailer fields", 128 << 10},
	{"a trailer without an end", 10 * gib, func(n int64) io.Reader { return texts(ok+chunkTE+"\r\n0\r\nA: ", repeat("b", n)) }, discard, "trailer section longer", 128 << 10},
	{"the body of an error without an end", 10 * gib, func(n int64) io.Reader { return texts("HTTP/1.1 500 X\r\n\r\n", repeat("sorry ", n)) }, discard, "500", 256 << 10},
	{"the body of a redirect without an end", 10 * gib, func(n int64) io.Reader {
		return texts("HTTP/1.1 302 X\r\nLocation: /\r\n\r\n", repeat("there ", n))
	}, discard, "302", 256 << 10},
	{"zeros in gzip", 10 * gib, func(n int64) io.Reader {
		return texts(ok+"Content-Encoding: gzip\r\n\r\n", zipped(repeat("\x00", n), 0))
	}, discardGzip, "times its size", mib},
	{"gzip members without content", gib, func(n int64) io.Reader {
		return texts(ok+"Content-Encoding: gzip\r\n\r\n", times("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00", n/20))
	}, discardGzip, "gzip members", 0},
	{"the name in a gzip header without an end", 10 * gib, func(n int64) io.Reader {
		return texts(ok+"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xff", repeat("n", n))
	}, discardGzip, "header past the limit", 128 << 10},
	{"a list in gzip that is all one string", 10 * gib, func(n int64) io.Reader {
		return texts(ok+"Content-Encoding: gzip\r\n\r\n", zipped(texts(listTop+pod+`,"a":"`, repeat("a", n), `"}]}`), 0))
	}, countGzipItems, "times its size", mib},
	{"an error in gzip", 10 * gib, func(n int64) io.Reader {
		return texts("HTTP/1.1 500 X\r\nContent-Encoding: gzip\r\n\r\n", zipped(repeat("a", n), 0))
	}, discardGzip, "500", mib},
	{"a watch that is one line", 10 * gib, func(n int64) io.Reader { return texts(toEnd+`{"type":"ADDED","object":{"a":"`, repeat("a", n), `"}}`) }, countFrames, watchdecoder.RuleTooLarge, 0},
	{"a watch that is one string in chunks", 4 * gib, func(n int64) io.Reader {
		return texts(ok+chunkTE+"\r\n", inChunks(texts(`{"type":"ADDED","object":{"a":"`, repeat("a", n), `"}}`), 32<<10))
	}, countFrames, watchdecoder.RuleTooLarge, 0},
	{"a string of escapes", 2 * gib, func(n int64) io.Reader {
		return texts(toEnd+`{"type":"ADDED","object":{"a":"`, times(`\"\\`, n/4), `"}}`)
	}, countFrames, watchdecoder.RuleTooLarge, 0},
	{"white space between frames", 4 * gib, func(n int64) io.Reader { return texts(toEnd, repeat(" \n", n)) }, countFrames, "", 0},
	{"a watch 20 million brackets deep", 20e6, func(n int64) io.Reader {
		return texts(toEnd+`{"type":"ADDED","object":{"a":`, repeat("[", n), repeat("]", n), "}}")
	}, countFrames, watchdecoder.RuleTooDeep, 0},
	{"a watch 20 million braces deep", 20e6, func(n int64) io.Reader {
		return texts(toEnd+`{"type":"ADDED","object":`, times(`{"a":`, n), "1", repeat("}", n), "}")
	}, countFrames, watchdecoder.RuleTooDeep, 0},
	{"a list 20 million brackets deep", 20e6, func(n int64) io.Reader {
		return texts(toEnd+`{"kind":"PodList","a":`, repeat("[", n), repeat("]", n), `,"items":[]}`)
	}, countItems, watchdecoder.RuleTooDeep, 0},
	{"an item 20 million brackets deep", 20e6, func(n int64) io.Reader {
		return texts(toEnd+listTop+pod+`,"a":`, repeat("[", n), repeat("]", n), `}]}`)
	}, countItems, watchdecoder.RuleTooDeep, 0},
	{"a string of 1 GB in an item", gib, func(n int64) io.Reader { return texts(toEnd+listTop+pod+`,"a":"`, repeat("a", n), `"}]}`) }, countItems, watchdecoder.RuleTooLarge, 0},
	{"a string of 1 GB in a list's metadata", gib, func(n int64) io.Reader {
		return texts(toEnd+`{"kind":"PodList","metadata":{"continue":"`, repeat("a", n), `"},"items":[]}`)
	}, countItems, watchdecoder.RuleListText, mib},
	{"a key of 1 GB beside a list's items", gib, func(n int64) io.Reader { return texts(toEnd+`{"`, repeat("a", n), `":1,"items":[]}`) }, countItems, watchdecoder.RuleListText, mib},
	{"an undeclared member of 1 GB beside a list's items", gib, func(n int64) io.Reader { return texts(toEnd+`{"a":"`, repeat("a", n), `","items":[]}`) }, countItems, "", 0},
	{"a key of 1 GB in an item", gib, func(n int64) io.Reader { return texts(toEnd+listTop+`{"`, repeat("a", n), `":1}]}`) }, countItems, watchdecoder.RuleTooLarge, 0},
	{"a number of 1 GB", gib, func(n int64) io.Reader { return texts(toEnd+`{"type":"ADDED","object":{"a":`, repeat("1", n), `}}`) }, countFrames, watchdecoder.RuleTooLarge, 0},
	{"4 million items of nothing", 4e6, func(n int64) io.Reader { return texts(toEnd+listTop, times("{},", n-1), "{}]}") }, countItems, watchdecoder.RuleNoName, 0},
	{"4 million tiny items", 4e6, func(n int64) io.Reader {
		return texts(toEnd+listTop, numbered(`{"metadata":{"name":"%x","resourceVersion":"1"}},`, int(n)), `{"metadata":{"name":"z","resourceVersion":"1"}}]}`)
	}, countItems, "", 0},
	{"4 million numbers for items", 4e6, func(n int64) io.Reader { return texts(toEnd+listTop, times("1,", n), "1]}") }, countItems, watchdecoder.RuleNotObject, 0},
	{"4 million tiny events", 4e6, func(n int64) io.Reader {
		return texts(toEnd, numbered(`{"type":"ADDED","object":{"metadata":{"name":"%x","resourceVersion":"1"}}}`+"\n", int(n)))
	}, countFrames, "", 0},
	{"4 million events of nothing", 4e6, func(n int64) io.Reader { return texts(toEnd, times("{}", n)) }, countFrames, watchdecoder.RuleNoType, 0},
	{"an object of 15 MB of tiny members", 15 * mib, func(n int64) io.Reader {
		return texts(toEnd+listTop+pod+`,"a":{`, times(`"":0,`, n/5), `"":0}}]}`)
	}, countItems, "", 0},
	{"an object of 15 MB of labels", 15 * mib, func(n int64) io.Reader {
		return texts(toEnd+listTop+`{"metadata":{"name":"a","resourceVersion":"1","labels":{`, numbered(`"%x":"",`, int(n/11)), `"":""}}}]}`)
	}, countItems, "", 0},
	{"a Status of 1 GB", gib, func(n int64) io.Reader {
		return texts(toEnd+`{"kind":"Status","apiVersion":"v1","message":"`, repeat("a", n), `"}`)
	}, countItems, watchdecoder.RuleNotList, 0},
	{"an ERROR event of 15 MB", 15 * mib, func(n int64) io.Reader {
		return texts(toEnd+`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","message":"`, repeat("a", n), `"}}`)
	}, countFrames, watchdecoder.RuleErrorStatus, 0},
	{"an ERROR event of 5 million causes", 15 * mib, func(n int64) io.Reader {
		return texts(toEnd+`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","details":{"causes":[`, times("{},", n/3), `{}]}}}`)
	}, countFrames, watchdecoder.RuleErrorStatus, 0},
	{"an ERROR event of 1 million members", 15 * mib, func(n int64) io.Reader {
		return texts(toEnd+`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure"`, numbered(`,"%x":0`, int(n/10)), `}}`)
	}, countFrames, watchdecoder.RuleErrorStatus, 0},
	{"an error of 5 million causes", 15 * mib, func(n int64) io.Reader {
		return texts("HTTP/1.1 500 X\r\nContent-Type: application/json\r\n\r\n"+`{"kind":"Status","apiVersion":"v1","status":"Failure","details":{"causes":[`, times("{},", n/3), `{}]}}`)
	}, countFrames, "500", mib},
	{"a discovery document without an end", 10 * gib, discovery("", `{},`, ""), discover, "larger than", 17 * mib},
	{"a discovery document of empty groups", 7 * mib, discovery("", `{},`, "{}"), discover, "than any server has", 0},
	{"a discovery document of empty versions", 7 * mib, discovery(`{"versions":[`, `{},`, "{}]}"), discover, "than any server has", 0},
	{"a discovery document of empty resources", 7 * mib, discovery(`{"versions":[{"resources":[`, `{},`, "{}]}]}"), discover, "than any server has", 0},
	{"a discovery document of empty verbs", 7 * mib, discovery(`{"versions":[{"resources":[{"verbs":[`, `"",`, `""]}]}]}`), discover, "than any server has", 0},
}

func discovery(before, text, after string) func(int64) io.Reader {
	return func(n int64) io.Reader {
		return texts(ok+"Content-Type: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList\r\n\r\n"+`{"kind":"APIGroupDiscoveryList","items":[`+before, times(text, n/int64(len(text))), after, "]}")
	}
}

// Each bomb ends in the error that it is to end in, having taken no more memory than 64 MiB at any moment.
func TestBombs(t *testing.T) {
	part := int64(100)
	if os.Getenv("RAWWATCH_BOMBS") == "whole" {
		part = 1
	}
	for _, b := range bombs {
		t.Run(b.name, func(t *testing.T) { b.explode(t, b.size/part) })
	}
}

func (b *bomb) explode(t *testing.T, size int64) {
	var read int64
	s := &server{after: io.EOF, answer: func(*http.Request) io.Reader { read = 0; return b.answer(size) }}
	s.read = func(n int) { read += int64(n) }
	c := s.client(t, rest.Config{MaxIdleConns: -1})
	var err error
	peak := peakOf(func() { err = b.use(t, c) })
	switch {
	case b.want == "" && err != nil:
		t.Errorf("%.300v", err)
	case b.want != "" && (err == nil || !strings.Contains(err.Error(), b.want)):
		if rule, ok := errors.AsType[*watchdecoder.FrameError](err); size == b.size || !ok || rule.Rule != b.want {
			if b.needsAll() && size < b.size { // a hundredth of it is no bomb
				t.Skipf("not refused at this size: %.100v", err)
			}
			t.Errorf("want %q, got: %.300v", b.want, err)
		}
	}
	if b.reads > 0 && read > b.reads {
		t.Errorf("%d bytes were read, %d would do", read, b.reads)
	}
	t.Logf("%d MB read, %.1f MB above the baseline", read>>20, float64(peak)/mib)
	if peak > peakAllowed {
		t.Errorf("%d MB above the baseline", peak>>20)
	}
}

// Work is linear: a byte of a whole bomb takes no more processor time than one of an eighth of it, but for what a machine with other work to do may add.
func TestBombsTakeLinearWork(t *testing.T) {
	if os.Getenv("RAWWATCH_BOMBS") != "whole" || processorTime() == 0 {
		t.Skip("RAWWATCH_BOMBS=whole go test -run BombsTake ./fuzz")
	}
	for _, b := range bombs {
		if b.reads > 0 {
			continue // bounded by what is read
		}
		size := min(b.size, 512*mib)
		t.Run(b.name, func(t *testing.T) {
			spend := func(size int64) time.Duration {
				s := &server{after: io.EOF, answer: func(*http.Request) io.Reader { return b.answer(size) }}
				c := s.client(t, rest.Config{MaxIdleConns: -1})
				before := processorTime()
				b.use(t, c)
				return processorTime() - before
			}
			var eighth, whole time.Duration
			for range 4 {
				eighth, whole = spend(size/8), spend(size)
				if whole < 20*eighth+40*time.Millisecond {
					t.Logf("%v, of an eighth %v", whole, eighth)
					return
				}
			}
			t.Errorf("%v, of an eighth %v", whole, eighth)
		})
	}
}

// needsAll says that the limit is one that a hundredth of the bomb does not reach.
func (b *bomb) needsAll() bool { return b.reads == 0 || b.size < gib }

// peakOf is the least of up to three measurements: where the machine is busy the collector comes late, and garbage is memory too.
func peakOf(f func()) int64 {
	least := measure(f)
	for range 2 {
		if least > peakAllowed {
			least = min(least, measure(f))
		}
	}
	return least
}

// measure runs f and returns how much memory it takes at most: what the heap holds, garbage that was not collected yet included, and stacks.
// How much garbage may pile up depends on what the process holds already, which is the other tests' and no fault of f's: a quarter of that, not all of it.
func measure(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(25))
	runtime.GC()
	debug.FreeOSMemory()
	base := memory()
	var peak atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(500 * time.Microsecond)
		defer tick.Stop()
		for {
			peak.Store(max(peak.Load(), memory()))
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	}()
	f()
	close(stop)
	<-stopped
	return max(peak.Load(), memory()) - base
}

func memory() (total int64) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	for _, s := range samples {
		total += int64(s.Value.Uint64())
	}
	return total
}

// Pages without an end: the list ends at Options.MaxPages, and what it keeps does not grow with the pages.
func TestPagesWithoutAnEnd(t *testing.T) {
	most := 2_000
	if os.Getenv("RAWWATCH_BOMBS") == "whole" {
		most = 100_000 // the default
	}
	for _, c := range []struct {
		name, token, want string
		items             string
	}{
		{"with another token each", "%d", "100000", pod + "}"},
		{"with the same token", "t", "token", pod + "}"},
		{"without an item", "%d", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := 0
			s := &server{answer: func(*http.Request) io.Reader {
				page++
				token := c.token
				if token == "%d" {
					token = fmt.Sprint(page)
				}
				body := fmt.Sprintf(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":%q},"items":[%s]}`, token, c.items)
				return strings.NewReader(fmt.Sprintf("%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", ok, len(body), body))
			}}
			client := s.client(t, rest.Config{})
			var err error
			peak := peakOf(func() { page = 0; err = listPages(client, most) })
			if _, is := errors.AsType[*listwatch.PageError](err); !is || page > most+1 {
				t.Errorf("after %d pages: %v", page, err)
			}
			if peak > peakAllowed {
				t.Errorf("%d MB above the baseline", peak>>20)
			}
			t.Logf("%d pages, %d connections, %.1f MB, %v", page, s.conns, float64(peak)/mib, err)
		})
	}
}
