package watchdecoder_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubernetes "k8s.io/apimachinery/pkg/util/json" // sigs.k8s.io/json with exact keys and exact integers

	"github.com/rawwatch/rawwatch/watchdecoder"
)

type (
	name    string
	count   int32
	ratio   float32
	strict  struct{ Inner string }
	embed   struct{ Shared, Deep string }
	Pointed struct {
		Pointed string `json:"pointed"`
		Shared  string `json:"Shared"`
	}
)

func (s *strict) UnmarshalJSON(raw []byte) error {
	if bytes.Contains(raw, []byte("no")) {
		return fmt.Errorf("secret %s", raw)
	}
	if bytes.Contains(raw, []byte("panic")) {
		panic(string(raw))
	}
	s.Inner = string(raw)
	return nil
}

// ordinary has a field of each sort that encoding/json knows and that is in use.
type ordinary struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	embed
	Text        string                     `json:"text"`
	Name        name                       `json:"name"`
	TextPtr     *string                    `json:"textPtr,omitempty"`
	PtrPtr      **int                      `json:"ptrPtr"`
	Flag        bool                       `json:"flag"`
	FlagPtr     *bool                      `json:"flagPtr"`
	Int         int                        `json:"int"`
	Int8        int8                       `json:"int8"`
	Int16       int16                      `json:"int16"`
	Int32       int32                      `json:"int32"`
	Count       count                      `json:"count"`
	Int64       int64                      `json:"int64"`
	Int64Ptr    *int64                     `json:"int64Ptr"`
	Uint        uint                       `json:"uint"`
	Uint8       uint8                      `json:"uint8"`
	Uint16      uint16                     `json:"uint16"`
	Uint32      uint32                     `json:"uint32"`
	Uint64      uint64                     `json:"uint64"`
	Float32     float32                    `json:"float32"`
	Float64     float64                    `json:"float64"`
	Ratio       ratio                      `json:"ratio"`
	FloatPtr    *float64                   `json:"floatPtr"`
	Bytes       []byte                     `json:"bytes"`
	Strings     []string                   `json:"strings"`
	Array       [2]int                     `json:"array"`
	Floats      []float64                  `json:"floats"`
	Bools       []bool                     `json:"bools"`
	Structs     []embed                    `json:"structs"`
	Pointers    []*embed                   `json:"pointers"`
	Labels      map[string]string          `json:"labels"`
	Named       map[name]count             `json:"named"`
	ByNumber    map[int8]string            `json:"byNumber"`
	ByAddr      map[netip.Addr]int         `json:"byAddr"`
	Nested      map[string][]embed         `json:"nested"`
	Resource    map[name]resource.Quantity `json:"resource"`
	Any         any                        `json:"any"`
	Anys        []any                      `json:"anys"`
	AnyMap      map[string]any             `json:"anyMap"`
	Raw         json.RawMessage            `json:"raw"`
	RawPtr      *json.RawMessage           `json:"rawPtr"`
	Number      json.Number                `json:"number"`
	Strict      strict                     `json:"strict"`
	Stricts     []strict                   `json:"stricts"`
	StrictPtr   *strict                    `json:"strictPtr"`
	Addr        netip.Addr                 `json:"addr"`
	AddrPtr     *netip.Addr                `json:"addrPtr"`
	Time        metav1.Time                `json:"time"`
	Micro       *metav1.MicroTime          `json:"micro"`
	Duration    metav1.Duration            `json:"duration"`
	IntOrString *intstr.IntOrString        `json:"intOrString"`
	Quantity    resource.Quantity          `json:"quantity"`
	Fields      *metav1.FieldsV1           `json:"fields"`
	Selector    *metav1.LabelSelector      `json:"selector"`
	Self        *ordinary                  `json:"self"`
	Selves      map[string]*ordinary       `json:"selves"`
	Func        func()                     `json:"func"`
	Iface       fmt.Stringer               `json:"iface"`
	NoTag       string
	Escaped     string `json:"a/b<c>"`
	Hidden      string `json:"-"`
	//lint:ignore U1000 it is there to be left alone
	hidden string
	Last   string `json:"last"`
}

// everything has the others, too.
type everything struct {
	ordinary
	*Pointed
	QuotedInt     int         `json:"quotedInt,string"`
	QuotedIntPtr  *int64      `json:"quotedIntPtr,string"`
	QuotedFloat   float64     `json:"quotedFloat,string"`
	QuotedBool    bool        `json:"quotedBool,string"`
	QuotedText    string      `json:"quotedText,string"`
	QuotedTextPtr *string     `json:"quotedTextPtr,string"`
	Whole         *everything `json:"whole"`
}

var nasty = []string{
	`null`, `true`, `false`, `""`, `"a"`, `"\ud83d\ude00 \ud800\ud800\udc00 \ud800x \\\" é€"`, `"true"`, `"12"`, `"-1"`, `" 12"`, `"12 "`, `"1.5"`, `"\"quoted\""`, `"\"q\\u0041\""`, `"null"`, `"{}"`, `"\u0031"`,
	`0`, `-0`, `1`, `-1`, `127`, `128`, `-128`, `-129`, `255`, `256`, `32767`, `32768`, `65535`, `65536`, `2147483647`, `2147483648`, `-2147483648`, `-2147483649`, `4294967295`, `4294967296`,
	`9007199254740993`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775808`, `-9223372036854775809`, `18446744073709551615`, `18446744073709551616`, `123456789012345678901234567890`,
	`0.1`, `1.0`, `1e2`, `1E400`, `-1e-400`, `0.5e39`, `1.7976931348623157e308`, `3.4028236e38`, `16777217`, `0.30000000000000004`, `123456789.123456789e-5`,
	`{}`, `[]`, `[null]`, `{"a":null}`, `[1,2,3]`, `["a","b"]`, `["a",null]`, `[{}]`, `[[]]`, `{"a":"b","c":"d"}`, `{"a":1,"b":2.5,"c":9007199254740993}`, `{"1":"a","-7":"b"}`, `{"10.0.0.1":1}`, `{"a":[{"Deep":"x"},{}]}`,
	`{"Deep":"x","deep":"y","DEEP":"z"}`, `[{"Deep":"x"},null,{"Shared":"y"}]`, `{"a":1,"a":2}`, `{"\u0061":"b"}`, `"AAEC"`, `"AAE"`, `"A\nA=="`, `[300]`, `[0,1,255]`, `[{"Deep":"x"},{"Deep":"y"},{"Deep":"z"}]`,
	`"10.0.0.1"`, `"2024-02-29T12:00:00Z"`, `"2024-02-30T12:00:00Z"`, `"5m"`, `"100Mi"`, `"1.5"`, `{"cpu":"100m","memory":1}`, `{"f:x":{}}`, `{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"k","operator":"In","values":["v"]}]}`,
	`{"text":"inner","int":3,"any":[1,{"x":2.5}],"self":{"text":"deepest"}}`, `"no"`, `{"unknown":[1,{"x":"]"}],"Deep":"x"}`, ` { "Deep" : "x" } `,
}

// agree decodes with both and compares value and verdict.
func agree[T any](t *testing.T, raw string) {
	t.Helper()
	agreeWith(t, watchdecoder.JSON[T](), raw)
}

func agreeWith[T any](t *testing.T, codec watchdecoder.Codec[*T], raw string) {
	t.Helper()
	want := new(T)
	wantErr := kubernetes.Unmarshal([]byte(raw), want)
	got, err := codec.Decode([]byte(raw))
	if (err == nil) != (wantErr == nil) {
		t.Errorf("%s: sigs.k8s.io/json says %v, we %v", raw, wantErr, err)
		return
	}
	if err == nil && !reflect.DeepEqual(want, got) {
		t.Errorf("%s:\nwant %#v\ngot  %#v", raw, want, got)
	}
}

// The codec decodes what Kubernetes' own decoder does, into the same values, and refuses what it refuses.
func TestJSONAgreesWithKubernetes(t *testing.T) {
	t.Run("ordinary", agreeOnMembers[ordinary])
	t.Run("everything", agreeOnMembers[everything])
}

func agreeOnMembers[T any](t *testing.T) {
	codec := watchdecoder.JSON[T]()
	keys := []string{"metadata", "kind", "Shared", "Deep", "shared", "pointed", "hidden", "Hidden", "-", "KIND", "unknown", "TypeMeta", "embed"}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "" {
			key = f.Name
		}
		keys = append(keys, key)
	}
	for _, key := range keys {
		for _, value := range nasty {
			agreeWith(t, codec, fmt.Sprintf(`{"%s":%s}`, key, value))
			agreeWith(t, codec, fmt.Sprintf(`{"text":"x", "%s":%s ,"last":"y"}`, key, value))
		}
	}
	for _, value := range nasty {
		for _, other := range []string{`null`, `{}`, `{"a":"z"}`, `[]`, `"z"`, `1`} {
			for _, key := range []string{"text", "labels", "any", "self", "int", "textPtr", "embed", "selector", "time", "structs", "nested", "named", "pointers", "selves", "anys", "raw"} {
				agreeWith(t, codec, fmt.Sprintf(`{"%s":%s,"%s":%s}`, key, other, key, value)) // the last one is in force
			}
		}
	}
}

func TestJSONAgreesWithKubernetesOnTheWholeValue(t *testing.T) {
	for _, value := range nasty {
		agree[any](t, value)
		agree[map[string]any](t, value)
		agree[[]any](t, value)
		agree[string](t, value)
		agree[int64](t, value)
		agree[float64](t, value)
		agree[*string](t, value)
		agree[strict](t, strings.ReplaceAll(value, "no", "yes"))
		agree[metav1.Time](t, value)
		agree[json.RawMessage](t, strings.TrimSpace(value))
		agree[struct{}](t, value)
		agree[struct{ Deep *string }](t, value)
	}
	for _, object := range []string{"pod.json", "plan.json"} {
		agree[any](t, string(template(t, object)))
		agree[metav1.PartialObjectMetadata](t, string(template(t, object)))
		agree[everything](t, string(template(t, object)))
		agree[ordinary](t, string(template(t, object)))
	}
}

// Of the same name at several depths the rules of encoding/json choose.
func TestJSONAgreesOnEmbeddedFields(t *testing.T) {
	type A struct{ X, Y, Z string }
	type B struct {
		X string
		Y string `json:"Y"`
	}
	type Inner struct {
		W string
		A
	}
	for _, value := range []string{`{"X":"1","Y":"2","Z":"3","W":"4","A":{"X":"5"},"B":{"X":"6"},"V":"7"}`} {
		agree[struct {
			A
			B
		}](t, value)
		agree[struct {
			A
			*B
			X string
		}](t, value)
		agree[struct {
			Inner
			Y int `json:"V,omitempty"`
		}](t, strings.Replace(value, `"7"`, `7`, 1))
		agree[struct {
			A `json:"B"`
			//lint:ignore SA5008 encoding/json takes such a tag for none
			W string `json:"bad\"name"`
		}](t, value)
		agree[struct{ *Inner }](t, value)
	}
}

// One declared field of a large object: what is not declared is not even looked at by json-iterator, so its hazards are
// not ours: numbers beyond its range, names that hash alike, control characters.
func TestJSONSkipsWhatIsNotDeclared(t *testing.T) {
	type small struct {
		Spec struct {
			NodeName string `json:"nodeName"`
		} `json:"spec"`
	}
	raw := `{"a":1e309,"b":[0.5e39,-0],"c":"\ud800","spec":{"x":{"nodeName":"not this"},"NodeName":"nor this","node\u004eame":"worker-1","z":1e999},"spe":{"nodeName":"x"},"Spec":{"nodeName":"y"}}`
	got, err := watchdecoder.JSON[small]().Decode([]byte(raw))
	if err != nil || got.Spec.NodeName != "worker-1" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Invalid UTF-8 becomes U+FFFD, as in encoding/json and client-go.
func TestJSONReplacesInvalidUTF8(t *testing.T) {
	for _, text := range []string{"\xff", "a\xed\xa0\x80b", "é\xc3", "\xc3\\n", "ok é"} {
		agree[everything](t, `{"text":"`+text+`","labels":{"`+text+`":"`+text+`"},"any":{"`+text+`":["`+text+`"]},"addr":"","name":"`+text+`"}`)
	}
}

// Several goroutines share a codec.
func TestJSONIsSafeForConcurrentUse(t *testing.T) {
	codec := watchdecoder.JSON[everything]()
	raw := template(t, "pod.json")
	want, err := codec.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				if got, err := codec.Decode(raw); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("got %v", err)
				}
			}
		})
	}
	all.Wait()
}

// What was decoded outlives the bytes it was decoded from.
func TestDecodedValuesShareNoMemory(t *testing.T) {
	raw := []byte(`{"metadata":{"name":"a","labels":{"k":"v"}},"text":"abc","raw":{"x":1},"any":{"k":["v"]},"strict":"s","labels":{"k":"v"},"number":12}`)
	full, err := watchdecoder.JSON[everything]().Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := watchdecoder.RawObject().Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	lazy, err := watchdecoder.LazyObject[everything]().Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	meta, err := watchdecoder.MetadataObject().Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	before := string(raw)
	for i := range raw {
		raw[i] = 'X'
	}
	again, err := lazy.Decode()
	if err != nil || !reflect.DeepEqual(full, again) || full.Text != "abc" || string(full.Raw) != `{"x":1}` || full.Strict.Inner != `"s"` {
		t.Errorf("got %+v, %v", full, err)
	}
	if string(bare) != before || string(lazy.Raw()) != before || meta.Labels["k"] != "v" {
		t.Error("something shares memory with its bytes")
	}
}

// A value of another type than declared is named by its path, and nothing of it is printed.
func TestDecodeErrorNamesPathAndOffset(t *testing.T) {
	for _, c := range []struct{ raw, path, rule string }{
		{`{"structs":[{"Deep":"x"},{"Deep":!7}]}`, ".structs[1].Deep", "a number where string is declared"},
		{`{"nested":{"secret":[{"Deep":!["hunter2"]}]}}`, ".nested[*][0].Deep", "an array where string is declared"},
		{`{"self":{"int8":!300}}`, ".self.int8", "a number that is no int8"},
		{`{"labels":{"hunter2":!true}}`, ".labels[*]", "a boolean where string is declared"},
		{`{"unknown":[1,2,{}], "strict" : !"no hunter2"}`, ".strict", "refused by its UnmarshalJSON"},
		{`{"stricts":["a", !"no hunter2"]}`, ".stricts[1]", "refused by its UnmarshalJSON"},
		{`{"time":!"hunter2"}`, ".time", "refused by its UnmarshalJSON"},
		{`{"any":![1e999]}`, ".any", "out of range"},
		{`{"float32":!1e39}`, ".float32", "out of range"},
		{`{"float64":!"hunter2"}`, ".float64", "a string where float64 is declared"},
		{`{"number":!"hunter2"}`, ".number", "a string that is no number"},
		{`{"addr":!{}}`, ".addr", "an object where netip.Addr is declared"},
		{`{"quotedInt":!"hunter2"}`, ".quotedInt", "a string that holds no int"},
		{`{"quotedInt":!12}`, ".quotedInt", "a number where int is declared"},
		{`{"quotedFloat":!"1e999"}`, ".quotedFloat", "out of range"},
		{`{"func":!1}`, ".func", "a number where func() is declared"},
		{`{"bytes":!"hunter2!"}`, "the object", "json-iterator"},
		{`!["hunter2"]`, "the object", "an array where watchdecoder_test.everything is declared"},
	} {
		offset := strings.Index(c.raw, "!")
		_, err := watchdecoder.JSON[everything]().Decode([]byte(strings.Replace(c.raw, "!", "", 1)))
		bad, ok := errors.AsType[*watchdecoder.DecodeError](err)
		if !ok || bad.Path != c.path || !strings.Contains(bad.Rule, c.rule) || c.path != "the object" && bad.Offset != int64(offset) {
			t.Errorf("%s: got %v", c.raw, err)
		}
		if strings.Contains(fmt.Sprint(err), "hunter2") {
			t.Errorf("%s: the error prints it: %v", c.raw, err)
		}
	}
	_, err := watchdecoder.JSON[everything]().Decode([]byte(`{"strict":"no"}`))
	if cause := errors.Unwrap(err); cause == nil || cause.Error() != `secret "no"` {
		t.Errorf("the cause is kept: %v", cause)
	}
}

func TestPanicsAreErrors(t *testing.T) {
	codec := watchdecoder.JSON[everything]()
	_, err := codec.Decode([]byte(`{"strict":"panic hunter2"}`))
	if _, ok := errors.AsType[*watchdecoder.DecodeError](err); !ok || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
	if _, err := codec.Decode([]byte(`{"strict":"calm"}`)); err != nil {
		t.Errorf("the next object: %v", err)
	}
}

func TestCodecsValidate(t *testing.T) {
	for _, raw := range []string{"", "{", `{} {}`, "{}\x00", `{"unknown":01}`, "{\"unknown\":\"\n\"}"} {
		_, err1 := watchdecoder.JSON[struct{}]().Decode([]byte(raw))
		_, err2 := watchdecoder.RawObject().Decode([]byte(raw))
		_, err3 := watchdecoder.LazyObject[struct{}]().Decode([]byte(raw))
		_, err4 := watchdecoder.MetadataObject().Decode([]byte(raw))
		for _, err := range []error{err1, err2, err3, err4} {
			if _, ok := errors.AsType[*watchdecoder.SyntaxError](err); !ok {
				t.Errorf("%q: got %v", raw, err)
			}
		}
	}
}

func TestLazyOfNothing(t *testing.T) {
	var none watchdecoder.Lazy[everything]
	if value, err := none.Decode(); value != nil || err != nil || none.Raw() != nil {
		t.Errorf("got %v, %v", value, err)
	}
}

func TestMetadataObject(t *testing.T) {
	got, err := watchdecoder.MetadataObject().Decode(template(t, "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	delete(got.Annotations, "kubectl.kubernetes.io/last-applied-configuration")
	want := &watchdecoder.Metadata{
		Name: "south-wing", Namespace: "growers", UID: types.UID("e1b7f0c9-6c4e-4b0f-9a57-0f41b52f7d11"), ResourceVersion: "48212044", Generation: 7,
		CreationTimestamp: time.Date(2026, 2, 11, 5, 0, 0, 0, time.UTC),
		Labels:            map[string]string{"site": "south", "tier": "gold"},
		Annotations:       map[string]string{},
		Finalizers:        []string{"greenhouse.example.org/drain"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got, err = watchdecoder.MetadataObject().Decode(template(t, "pod.json"))
	if err != nil || len(got.OwnerReferences) != 1 || !got.OwnerReferences[0].Controller || got.DeletionTimestamp != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAccept(t *testing.T) {
	for _, accept := range []string{watchdecoder.JSON[any]().Accept(), watchdecoder.RawObject().Accept(), watchdecoder.LazyObject[any]().Accept()} {
		if accept != "" || watchdecoder.ListAccept(accept) != "" {
			t.Errorf("got %q", accept)
		}
	}
	if got := watchdecoder.MetadataObject().Accept(); got != watchdecoder.AcceptMetadata {
		t.Errorf("got %q", got)
	}
	if got := watchdecoder.ListAccept(watchdecoder.AcceptMetadata); got != watchdecoder.AcceptMetadataList {
		t.Errorf("got %q", got)
	}
}

func FuzzJSONCodec(f *testing.F) {
	for _, value := range nasty {
		f.Add([]byte(value))
		f.Add([]byte(`{"any":` + value + `,"text":` + value + `,"int32":` + value + `,"structs":` + value + `,"metadata":{"labels":` + value + `}}`))
	}
	f.Add(template(f, "pod.json"))
	f.Add(template(f, "plan.json"))
	codec, rare, anyCodec := watchdecoder.JSON[ordinary](), watchdecoder.JSON[everything](), watchdecoder.JSON[any]()
	f.Fuzz(func(t *testing.T, raw []byte) {
		if bytes.Contains(raw, []byte("panic")) {
			return
		}
		agreeWith(t, codec, string(raw))
		agreeWith(t, rare, string(raw))
		agreeWith(t, anyCodec, string(raw))
	})
}
