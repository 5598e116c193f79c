package compact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

type pod struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
}

// sample is a pod as a cluster has many: two names of its own, the rest shared with the others of its deployment.
func sample(deployment string, n int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	var shared strings.Builder
	for i := range 40 {
		fmt.Fprintf(&shared, `,"%s-annotation-%d":"%s says %d"`, deployment, i, deployment, i*i)
	}
	return fmt.Appendf(nil, `{"metadata":{"name":"%s-%d","uid":"%x","annotations":{"checksum":"%x"%s}},"spec":{"nodeName":"node-%d"}}`,
		deployment, n, r.Uint64(), r.Uint64(), shared.String(), n%7)
}

func pack[T any](t testing.TB, c *Codec[T], raw []byte) Object[T] {
	t.Helper()
	o, err := c.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestObjectsComeOutAsTheyWentIn(t *testing.T) {
	c := JSON[pod]()
	var all []Object[pod]
	for n := range 3000 { // before, while and after it learns
		all = append(all, pack(t, c, sample("web", n)))
	}
	for n, o := range all {
		want := sample("web", n)
		if diff := cmp.Diff(string(want), string(o.Raw())); diff != "" {
			t.Fatalf("object %d (-want +got):\n%s", n, diff)
		}
		if got := string(o.AppendRaw([]byte("before "))); got != "before "+string(want) {
			t.Fatalf("AppendRaw of object %d = %s", n, got)
		}
		p, err := o.Decode()
		if err != nil || p.Metadata.Name != fmt.Sprintf("web-%d", n) || p.Spec.NodeName != fmt.Sprintf("node-%d", n%7) {
			t.Fatalf("Decode of object %d = %+v, %v", n, p, err)
		}
	}
}

func TestObjectsOfOneKindTakeAFraction(t *testing.T) {
	c := JSON[pod]()
	raw, packed := 0, 0
	for n := range 500 {
		text := sample("web", n)
		raw += len(text)
		packed += pack(t, c, text).Size()
	}
	if packed*8 > raw {
		t.Errorf("%d bytes became %d, want less than an eighth: the dictionary does not serve", raw, packed)
	}
}

func TestDictionaryFollowsWhatTheCollectionBecomes(t *testing.T) {
	c := JSON[pod]()
	sizes := func(deployment string, from int) int {
		total := 0
		for n := range 2 * window {
			total += pack(t, c, sample(deployment, from+n)).Size()
		}
		return total
	}
	sizes("web", 0)
	first := c.current.Load()
	sizes("a-database-of-another-vendor", 0)
	if c.current.Load() == first {
		t.Error("a quarter more than before did not lead to a new dictionary")
	}
	before, after := sizes("web", 9000), sizes("a-database-of-another-vendor", 9000)
	if c.current.Load() == first || after > 4*before {
		t.Errorf("the old kind takes %d bytes, the new one %d", before, after)
	}
}

func TestDictionariesComeToAnEnd(t *testing.T) {
	c := JSON[pod]()
	c.turns = maxTurns - 1
	for n := range lessonObjects {
		pack(t, c, sample("web", n))
	}
	if c.learning != nil {
		t.Error("it goes on to learn")
	}
	last := c.current.Load()
	last.stale.Store(true)
	for n := range 2 * lessonObjects {
		if o := pack(t, c, sample("other", n)); !bytes.Equal(o.Raw(), sample("other", n)) {
			t.Error("an object packed after the last turn does not come out")
		}
	}
	if c.current.Load() != last {
		t.Error("there is another one")
	}
}

func TestOneLargeObjectFillsTheDictionary(t *testing.T) {
	c := JSON[pod]()
	large := fmt.Appendf(nil, `{"metadata":{"name":"a"},"data":%q}`, strings.Repeat("0123456789abcdef", 80_000))
	o := pack(t, c, large)
	if c.current.Load().dictionary == nil {
		t.Error("64 KiB of text are enough to learn from")
	}
	if !bytes.Equal(o.Raw(), large) || !bytes.Equal(pack(t, c, large).Raw(), large) {
		t.Error("it does not come out")
	}
}

func TestInvalidObjectIsRefused(t *testing.T) {
	o, err := JSON[pod]().Decode([]byte(`{"metadata":`))
	if _, ok := errors.AsType[*watchdecoder.SyntaxError](err); !ok || o.Size() != 0 {
		t.Errorf("Decode = %v, %v", o.Size(), err)
	}
}

func TestZeroObjectHoldsNothing(t *testing.T) {
	var o Object[pod]
	p, err := o.Decode()
	if p != nil || err != nil || o.Raw() != nil || o.Size() != 0 || string(o.AppendRaw([]byte("a"))) != "a" {
		t.Errorf("Decode = %v, %v", p, err)
	}
}

func TestObjectThatDoesNotFitItsTypeSaysWhere(t *testing.T) {
	o := pack(t, JSON[pod](), []byte(`{"metadata":{"name":1}}`))
	_, err := o.Decode()
	if e, ok := errors.AsType[*watchdecoder.DecodeError](err); !ok || !strings.Contains(e.Path, "name") {
		t.Errorf("Decode = %v", err)
	}
}

func TestDamagedMemoryIsNoObject(t *testing.T) {
	o := pack(t, JSON[pod](), sample("web", 1))
	o.packed = o.packed[:len(o.packed)-1]
	if _, err := o.Decode(); !errors.Is(err, errDamaged) {
		t.Errorf("Decode = %v", err)
	}
	o.packed = nil
	if _, err := o.Decode(); !errors.Is(err, errDamaged) {
		t.Errorf("Decode of nothing = %v", err)
	}
	for _, look := range []func(){func() { o.Raw() }, func() { o.AppendRaw(nil) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("bytes came out")
				}
			}()
			look()
		}()
	}
}

func TestManyGoroutinesPackAndLook(t *testing.T) {
	c := JSON[pod]()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for n := range 2000 {
				want := sample(fmt.Sprint("kind-", n/700), g*10_000+n)
				if o := pack(t, c, want); !bytes.Equal(o.Raw(), want) {
					t.Errorf("object %d of %d does not come out", n, g)
				}
			}
		})
	}
	wg.Wait()
}

func TestAcceptIsJSON(t *testing.T) {
	if a := JSON[pod]().Accept(); a != "" {
		t.Errorf("Accept = %q", a)
	}
}

func FuzzObjects(f *testing.F) {
	f.Add([]byte(`{}`), []byte(`{"metadata":{"name":"a"}}`))
	f.Add(sample("web", 1), sample("web", 2))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		c := JSON[map[string]any]()
		for n := range lessonObjects + 3 {
			raw := first
			if n%2 == 1 {
				raw = second
			}
			o, err := c.Decode(raw)
			if (err == nil) != (watchdecoder.Valid(raw) == nil) {
				t.Fatalf("Decode = %v, Valid differs", err)
			}
			if err == nil && !bytes.Equal(o.Raw(), raw) {
				t.Fatalf("%q came out as %q", raw, o.Raw())
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	c := JSON[pod]()
	var text bytes.Buffer
	if err := json.Compact(&text, sample("web", 1)); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		pack(b, c, text.Bytes())
	}
}

func BenchmarkAppendRaw(b *testing.B) {
	c := JSON[pod]()
	for n := range 2 * lessonObjects {
		pack(b, c, sample("web", n))
	}
	o := pack(b, c, sample("web", 99))
	buffer := o.AppendRaw(nil)
	b.SetBytes(int64(len(buffer)))
	b.ReportAllocs()
	for b.Loop() {
		buffer = o.AppendRaw(buffer[:0])
	}
}
