package fuzz

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubernetes "k8s.io/apimachinery/pkg/util/json" // sigs.k8s.io/json: exact keys, exact integers

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// thing declares a field of each sort that a custom resource has, and leaves "x" and "rest" undeclared.
type thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Replicas *int32            `json:"replicas"`
		Ratio    float64           `json:"ratio"`
		Paused   bool              `json:"paused"`
		Names    []string          `json:"names"`
		Labels   map[string]string `json:"labels"`
		Inner    []struct {
			Name string `json:"name"`
			Big  int64  `json:"big"`
		} `json:"inner"`
	} `json:"spec"`
	Any any             `json:"any"`
	Raw json.RawMessage `json:"raw"`
}

// codecs are the four ways to make a value of an object's bytes, each as a function that says whether it succeeded.
var codecs = []struct {
	name   string
	decode func([]byte) error
}{
	{"JSON of nothing", decodeWith(watchdecoder.JSON[struct{}]())},
	{"JSON of a type", decodeWith(watchdecoder.JSON[thing]())},
	{"JSON of any", decodeWith(watchdecoder.JSON[any]())},
	{"RawObject", decodeWith(watchdecoder.RawObject())},
	{"LazyObject", decodeWith(watchdecoder.LazyObject[thing]())},
	{"MetadataObject", decodeWith(watchdecoder.MetadataObject())},
}

func decodeWith[T any](c watchdecoder.Codec[T]) func([]byte) error {
	return func(raw []byte) error {
		_, err := c.Decode(raw)
		return err
	}
}

var (
	thingCodec = watchdecoder.JSON[thing]()
	anyCodec   = watchdecoder.JSON[any]()
)

// classes counts in which ways, all of them meant, our reading of a document differs from encoding/json's.
type classes struct {
	valid, invalid int
	invalidUTF8    int // accepted by both; the values carry U+FFFD
}

// judge holds everything that this module makes of a document to what encoding/json says about it.
func (c *classes) judge(t testing.TB, document []byte) {
	t.Helper()
	valid := json.Valid(document)
	if err := watchdecoder.Valid(document); (err == nil) != valid {
		t.Fatalf("%q: encoding/json says valid is %v, Valid says %v", document, valid, err)
	}
	for _, codec := range codecs {
		err := codec.decode(document)
		if _, syntax := errors.AsType[*watchdecoder.SyntaxError](err); syntax == valid {
			t.Fatalf("%q: encoding/json says valid is %v, %s says %v", document, valid, codec.name, err)
		}
	}
	sameValue(t, thingCodec, document)
	sameValue(t, anyCodec, document)
	c.judgeInside(t, document)
	if !valid {
		c.invalid++
		return
	}
	c.valid++
	if !utf8.Valid(document) {
		c.invalidUTF8++
	}
}

// sameValue holds a codec to Kubernetes' own decoder.
func sameValue[T any](t testing.TB, codec watchdecoder.Codec[*T], document []byte) {
	t.Helper()
	want := new(T)
	wantErr := kubernetes.Unmarshal(document, want)
	got, err := codec.Decode(document)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%q as a %T: sigs.k8s.io/json says %v, we say %v", document, want, wantErr, err)
	}
	if err == nil && !reflect.DeepEqual(want, got) {
		t.Fatalf("%q:\nwant %#v\ngot  %#v", document, want, got)
	}
}

// judgeInside puts the document where no field is declared, as a member of an object, of an event and of an item of a list: what is valid there must
// neither be refused nor cost the neighbour anything.
func (c *classes) judgeInside(t testing.TB, document []byte) {
	t.Helper()
	object := join(`{"kind":"Thing","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"1","x":`, string(document), `},"x":`, string(document), `}`)
	valid := json.Valid(object)
	for _, codec := range codecs {
		err := codec.decode(object)
		if _, syntax := errors.AsType[*watchdecoder.SyntaxError](err); syntax == valid {
			t.Fatalf("%q: encoding/json says valid is %v, %s says %v", object, valid, codec.name, err)
		}
	}
	if !valid {
		return
	}
	if !json.Valid(document) { // it ends a member and begins others, which may be any
		sameValue(t, thingCodec, object)
		return
	}
	good := `{"kind":"Thing","apiVersion":"v1","metadata":{"name":"b","resourceVersion":"2"}}`
	stream := join(`{"type":"ADDED","object":`, string(object), `}`, "\n", `{"type":"ADDED","object":`, good, `}`)
	page := join(`{"kind":"ThingList","apiVersion":"v1","x":`, string(document), `,"items":[`, string(object), `,`, good, `],"metadata":{"x":`, string(document), `,"resourceVersion":"7"}}`)
	if !json.Valid(page) {
		return // too deep there
	}
	deep := watchdecoder.Options{MaxDepth: -1}
	events, list := watchdecoder.NewDecoder(bytes.NewReader(stream), deep), watchdecoder.NewListDecoder(bytes.NewReader(page), deep)
	for i, want := range []string{string(object), good} {
		frame, err := events.Next()
		if err != nil || string(frame.Object) != want {
			t.Fatalf("%q in an event: frame %d is %v, %v", document, i, frame, err)
		}
		item, err := list.Next()
		if err != nil || string(item.Object) != want {
			t.Fatalf("%q in a list: item %d is %v, %v", document, i, item, err)
		}
		if _, err := thingCodec.Decode(item.Object); err != nil {
			t.Fatalf("%q poisons item %d: %v", document, i, err)
		}
	}
	if _, err := events.Next(); err != io.EOF {
		t.Fatalf("%q in an event: %v", document, err)
	}
	if _, err := list.Next(); err != io.EOF || list.Meta().ResourceVersion != "7" {
		t.Fatalf("%q in a list: %v", document, err)
	}
}

func join(parts ...string) []byte { return []byte(strings.Join(parts, "")) }

// FuzzJSONVerdicts: a document is accepted by Valid, by every codec, and by every codec where it stands in a field that nobody declares, exactly where
// encoding/json accepts it; its value is the one that Kubernetes' decoder finds.
func FuzzJSONVerdicts(f *testing.F) {
	for i, document := range documents(f) { // all of them are judged by a test; more seeds than that only delay
		if i%4 == 0 {
			f.Add(document)
		}
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		if len(document) > 64<<10 {
			return
		}
		new(classes).judge(t, document)
		cost(t, "Valid", len(document), limit{0, 64 << 10}, func() { _ = watchdecoder.Valid(document) })
		cost(t, "the codec of nothing", len(document), limit{2, 64 << 10}, func() { _ = codecs[0].decode(document) })
		cost(t, "the codec of a type", len(document), limit{160, 64 << 10}, func() { _ = codecs[1].decode(document) })
		cost(t, "the codec of any", len(document), limit{400, 64 << 10}, func() { _ = codecs[2].decode(document) })
		cost(t, "the codec of bytes", len(document), limit{2, 64 << 10}, func() { _ = codecs[3].decode(document) })
	})
}

// FuzzDecodeSequence: what a codec makes of a document does not depend on those before it, whatever it keeps between two calls.
func FuzzDecodeSequence(f *testing.F) {
	all := documents(f)
	for i := 0; i < len(all); i += 6 {
		f.Add(bytes.Join([][]byte{all[i], all[(i*7+3)%len(all)], all[(i*13+5)%len(all)], all[i]}, []byte{0x1e}))
	}
	f.Fuzz(func(t *testing.T, sequence []byte) {
		if len(sequence) > 64<<10 {
			return
		}
		codec := watchdecoder.JSON[thing]()
		metadata, raw := watchdecoder.MetadataObject(), watchdecoder.RawObject()
		for i, document := range bytes.SplitN(sequence, []byte{0x1e}, 16) { // RS: RFC 7464 separates JSON texts with it, no text holds one
			sameValue(t, codec, document)
			if object, err := raw.Decode(document); (err == nil) != json.Valid(document) || err == nil && !bytes.Equal(object, document) {
				t.Fatalf("document %d, %q: as bytes it is %q, %v", i, document, object, err)
			}
			first, firstErr := metadata.Decode(document)
			again, againErr := watchdecoder.MetadataObject().Decode(document)
			if !reflect.DeepEqual(first, again) || (firstErr == nil) != (againErr == nil) {
				t.Fatalf("document %d, %q: %+v, %v; alone it is %+v, %v", i, document, first, firstErr, again, againErr)
			}
		}
	})
}
