package watchdecoder_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

type listCase struct {
	name    string
	body    string
	options watchdecoder.Options
	want    []string // identity or rule of each item, then how it ended
	meta    watchdecoder.ListMeta
}

func meta(apiVersion, kind, version string) watchdecoder.ListMeta {
	return watchdecoder.ListMeta{APIVersion: apiVersion, Kind: kind, ResourceVersion: version, RemainingItemCount: -1}
}

const podHead = `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":`

var listCases = []listCase{
	{name: "a built-in list: items take kind and apiVersion from it",
		body: `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"abc","remainingItemCount":12},"items":[{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"1"},"spec":{"x":["]"]}},{"metadata":{"name":"b","resourceVersion":"2"}}]}` + "\n",
		want: []string{"v1 Pod n/a u @1", "v1 Pod /b  @2", "EOF"},
		meta: watchdecoder.ListMeta{APIVersion: "v1", Kind: "PodList", ResourceVersion: "5", Continue: "abc", RemainingItemCount: 12}},
	{name: "a list of custom resources: metadata behind the items, keys sorted",
		body: `{"apiVersion":"g/v1","items":[{"apiVersion":"g/v1","kind":"Widget","metadata":{"managedFields":[{}],"name":"w","resourceVersion":"3"}}],"kind":"WidgetList","metadata":{"continue":"","resourceVersion":"9"}}`,
		want: []string{"g/v1 Widget /w  @3", "EOF"}, meta: meta("g/v1", "WidgetList", "9")},
	{name: "kind behind items without one: what is expected",
		options: watchdecoder.Options{APIVersion: "g/v1", Kind: "Widget"},
		body:    `{"items":[{"metadata":{"name":"w","resourceVersion":"3"}}],"kind":"WidgetList","apiVersion":"g/v1"}`,
		want:    []string{"g/v1 Widget /w  @3", "EOF"}, meta: meta("g/v1", "WidgetList", "")},
	{name: "a List of several kinds", body: `{"kind":"List","apiVersion":"v1","metadata":{},"items":[{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"1"}},{"kind":"Node","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"1"}}]}`,
		want: []string{"v1 Pod /a  @1", "v1 Node /a  @1", "EOF"}, meta: meta("v1", "List", "")},
	{name: "a kind of list without the usual ending", body: `{"kind":"Herd","items":[{"kind":"Cow","metadata":{"name":"a","resourceVersion":"1"}}]}`,
		want: []string{" Cow /a  @1", "EOF"}, meta: meta("", "Herd", "")},
	{name: "no items", body: podHead + `[]}`, want: []string{"EOF"}, meta: meta("v1", "PodList", "5")},
	{name: "items null is an empty list", body: podHead + ` null , "x":1}`, want: []string{"EOF"}, meta: meta("v1", "PodList", "5")},
	{name: "white space and unknown members everywhere", body: " { \"a\" : [ { } ] , \"metadata\" : { \"x\" : [1,\"]\"] , \"resourceVersion\" : \"\\u0035\" } , \"b\":-1.5e3, \"c\":\"\\\"}\", \"items\" : [ \n { \"metadata\" : { \"name\" : \"a\" , \"resourceVersion\" : \"1\" } } \t , { \"metadata\":{\"name\":\"b\",\"resourceVersion\":\"1\"} } ] , \"d\" : true , \"e\" : null }\r\n\r\n",
		want: []string{"  /a  @1", "  /b  @1", "EOF"}, meta: meta("", "", "5")},
	{name: "null in the metadata is as good as absent", body: `{"kind":null,"metadata":{"resourceVersion":null,"continue":null,"remainingItemCount":null},"items":[]}`, want: []string{"EOF"}, meta: meta("", "", "")},

	// This item only.
	{name: "items that are no objects", body: podHead + `[null,7,"x",[{}],true,{"metadata":{"name":"b","resourceVersion":"2"}}]}`,
		want: []string{"bad " + watchdecoder.RuleNotObject, "bad " + watchdecoder.RuleNotObject, "bad " + watchdecoder.RuleNotObject, "bad " + watchdecoder.RuleNotObject, "bad " + watchdecoder.RuleNotObject, "v1 Pod /b  @2", "EOF"},
		meta: meta("v1", "PodList", "5")},
	{name: "items that are no objects, larger than the limit", options: watchdecoder.Options{MaxBytes: 50}, body: podHead + `["` + strings.Repeat("]", 99) + `",` + strings.Repeat("1", 99) + `,[[` + strings.Repeat("1,", 99) + `1]],{"metadata":{"name":"b","resourceVersion":"2"}}]}`,
		want: []string{"bad " + watchdecoder.RuleNotObject, "bad " + watchdecoder.RuleNotObject, "bad " + watchdecoder.RuleNotObject, "v1 Pod /b  @2", "EOF"}, meta: meta("v1", "PodList", "5")},
	{name: "items without name or version", body: podHead + `[{},{"metadata":{"name":"b"}},{"metadata":{"name":"b","resourceVersion":"2"}}]}`,
		want: []string{"bad " + watchdecoder.RuleNoName, "bad " + watchdecoder.RuleNoVersion, "v1 Pod /b  @2", "EOF"}, meta: meta("v1", "PodList", "5")},
	{name: "an item of another kind", options: watchdecoder.Options{Kind: "Pod", APIVersion: "v1"}, body: podHead + `[{"kind":"Node","metadata":{"name":"a","resourceVersion":"1"}},{"metadata":{"name":"b","resourceVersion":"2"}}]}`,
		want: []string{"bad " + watchdecoder.RuleKind, "v1 Pod /b  @2", "EOF"}, meta: meta("v1", "PodList", "5")},
	{name: "a list of another kind", options: watchdecoder.Options{Kind: "Node"}, body: podHead + `[{"metadata":{"name":"a","resourceVersion":"1"}}]}`,
		want: []string{"bad " + watchdecoder.RuleKind, "EOF"}, meta: meta("v1", "PodList", "5")},
	{name: "duplicate keys in an item", body: podHead + `[{"metadata":{"name":"a","name":"b","resourceVersion":"1"}},{"metadata":{"name":"b","resourceVersion":"2"}}]}`,
		want: []string{"bad " + watchdecoder.RuleDuplicateKey, "v1 Pod /b  @2", "EOF"}, meta: meta("v1", "PodList", "5")},
	{name: "too large an item", options: watchdecoder.Options{MaxBytes: 46}, body: podHead + `[{"metadata":{"name":"a","resourceVersion":"1"},"x":"}` + strings.Repeat("y", 99) + `"},{"metadata":{"name":"b","resourceVersion":""}},{"metadata":{"name":"b","resourceVersion":"2"}}]}`,
		want: []string{"bad " + watchdecoder.RuleTooLarge, "bad " + watchdecoder.RuleNoVersion, "bad " + watchdecoder.RuleTooLarge, "EOF"}, meta: meta("v1", "PodList", "5")},
	{name: "too deep an item", options: watchdecoder.Options{MaxDepth: 2}, body: podHead + `[{"metadata":{"a":[],"name":"a","resourceVersion":"1"}},{"metadata":{"name":"b","resourceVersion":"2"}}]}`,
		want: []string{"bad " + watchdecoder.RuleTooDeep, "v1 Pod /b  @2", "EOF"}, meta: meta("v1", "PodList", "5")},

	// The end of the list.
	{name: "nothing", body: "", want: []string{"end " + watchdecoder.RuleCut}, meta: meta("", "", "")},
	{name: "HTML", body: " <html>", want: []string{"end " + watchdecoder.RuleHTML}, meta: meta("", "", "")},
	{name: "a byte order mark", body: "\xef\xbb\xbf{}", want: []string{"end " + watchdecoder.RuleByteOrderMark}, meta: meta("", "", "")},
	{name: "NUL", body: "\x00{}", want: []string{"end " + watchdecoder.RuleNUL}, meta: meta("", "", "")},
	{name: "null", body: "null", want: []string{"end " + watchdecoder.RuleSyntax}, meta: meta("", "", "")},
	{name: "a Status", body: `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Expired","code":410}`, want: []string{"end status 410 Expired"}, meta: meta("v1", "Status", "")},
	{name: "a Status with sorted keys", body: ` {"apiVersion":"v1","code":404,"kind":"Status","metadata":{},"reason":"NotFound","status":"Failure"}`, want: []string{"end status 404 NotFound"}, meta: meta("v1", "Status", "")},
	{name: "a Status of a success", body: `{"kind":"Status","apiVersion":"v1","status":"Success"}`, want: []string{"end " + watchdecoder.RuleNotList}, meta: meta("v1", "Status", "")},
	{name: "a Status too large to be one", body: `{"kind":"Status","apiVersion":"v1","code":410,"message":"` + strings.Repeat("x", 70<<10) + `"}`, want: []string{"end " + watchdecoder.RuleNotList}, meta: meta("v1", "Status", "")},
	{name: "a Table", body: `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":[],"rows":[]}`, want: []string{"end " + watchdecoder.RuleTable}, meta: meta("", "Table", "")},
	{name: "Table items", body: podHead + `[{"kind":"Table","metadata":{"name":"a","resourceVersion":"1"}}]}`, want: []string{"bad-end " + watchdecoder.RuleTable, "end " + watchdecoder.RuleTable}, meta: meta("v1", "PodList", "5")},
	{name: "an object", body: `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"4"}}`, want: []string{"end " + watchdecoder.RuleNotList}, meta: meta("v1", "Pod", "4")},
	{name: "items that are no array", body: podHead + `{}}`, want: []string{"end " + watchdecoder.RuleNotArray}, meta: meta("v1", "PodList", "5")},
	{name: "metadata that is no object", body: `{"metadata":[]}`, want: []string{"end " + watchdecoder.RuleNotObject}, meta: meta("", "", "")},
	{name: "a version that is no string", body: `{"metadata":{"resourceVersion":5}}`, want: []string{"end " + watchdecoder.RuleNotString}, meta: meta("", "", "")},
	{name: "a count that is no integer", body: `{"metadata":{"remainingItemCount":1.5}}`, want: []string{"end " + watchdecoder.RuleNotNumber}, meta: meta("", "", "")},
	{name: "a count that is no number", body: `{"metadata":{"remainingItemCount":"1"}}`, want: []string{"end " + watchdecoder.RuleNotNumber}, meta: meta("", "", "")},
	{name: "a token that no JSON string has", body: `{"metadata":{"continue":"\x"}}`, want: []string{"end " + watchdecoder.RuleBadString}, meta: meta("", "", "")},
	{name: "twice items", body: `{"items":[{"metadata":{"name":"a","resourceVersion":"1"}}],"items":[]}`, want: []string{"  /a  @1", "end " + watchdecoder.RuleDuplicateKey}, meta: meta("", "", "")},
	{name: "twice metadata", body: `{"metadata":{},"metadata":{}}`, want: []string{"end " + watchdecoder.RuleDuplicateKey}, meta: meta("", "", "")},
	{name: "twice a version", body: `{"metadata":{"resourceVersion":"1","resourceVersi\u006fn":"2"}}`, want: []string{"end " + watchdecoder.RuleDuplicateKey}, meta: meta("", "", "1")},
	{name: "a trailing comma", body: podHead + `[{"metadata":{"name":"a","resourceVersion":"1"}},]}`, want: []string{"v1 Pod /a  @1", "end " + watchdecoder.RuleSyntax}, meta: meta("v1", "PodList", "5")},
	{name: "a comma alone", body: podHead + `[,]}`, want: []string{"end " + watchdecoder.RuleSyntax}, meta: meta("v1", "PodList", "5")},
	{name: "no comma", body: podHead + `[{"metadata":{"name":"a","resourceVersion":"1"}}{}]}`, want: []string{"v1 Pod /a  @1", "end " + watchdecoder.RuleSyntax}, meta: meta("v1", "PodList", "5")},
	{name: "a brace where the bracket was due", body: podHead + `[}`, want: []string{"end " + watchdecoder.RuleSyntax}, meta: meta("v1", "PodList", "5")},
	{name: "more behind the list", body: podHead + `[]} {}`, want: []string{"end " + watchdecoder.RuleTrailing}, meta: meta("v1", "PodList", "5")},
	{name: "NUL behind the list", body: podHead + "[]}\x00", want: []string{"end " + watchdecoder.RuleTrailing}, meta: meta("v1", "PodList", "5")},
	{name: "too deep beside the items", options: watchdecoder.Options{MaxDepth: 2}, body: `{"a":[[[]]]}`, want: []string{"end " + watchdecoder.RuleTooDeep}, meta: meta("", "", "")},
}

func summarizeList(all []outcome) []string {
	lines := summaries(all)
	for i, o := range all {
		if o.Error == "" {
			lines[i] = o.Identity
		}
	}
	return lines
}

func TestListDecoder(t *testing.T) {
	for _, c := range listCases {
		t.Run(c.name, func(t *testing.T) {
			got, meta := listOutcomes(strings.NewReader(c.body), c.options)
			if diff := cmp.Diff(c.want, summarizeList(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.meta, meta); diff != "" {
				t.Errorf("metadata (-want +got):\n%s", diff)
			}
			for i, o := range got {
				if o.Raw != "" && (o.Raw != c.body[o.Offset:][:len(o.Raw)] || o.Index != i) {
					t.Errorf("item %d: Object is not what stands at Offset %d, or Index is %d", i, o.Offset, o.Index)
				}
			}
		})
	}
}

func TestListDecoderSplitAndCutEverywhere(t *testing.T) {
	for _, c := range listCases {
		if len(c.body) > 10_000 {
			continue // quadratic; its own test reads it byte by byte
		}
		t.Run(c.name, func(t *testing.T) {
			whole, meta := listOutcomes(strings.NewReader(c.body), c.options)
			complete := whole[len(whole)-1].Error == "EOF"
			read := func(r io.Reader) []outcome {
				got, m := listOutcomes(r, c.options)
				if got[len(got)-1].Error == "EOF" && m != meta {
					t.Fatalf("metadata %+v, of the whole body %+v", m, meta)
				}
				return got
			}
			end := len(strings.TrimRight(c.body, " \r\n"))
			if !complete {
				end = strings.LastIndexByte(c.body, '}') + 1 // of those with bytes behind the list
				if c.want[len(c.want)-1] == "end "+watchdecoder.RuleTrailing {
					end = strings.Index(c.body, "[]}") + 3
				}
			}
			splitAndCut(t, c.body, read, func(cut int) bool { return cut >= end })
		})
	}
}

// What surrounds the items is not held; its strings are bounded.
func TestListDecoderBoundsWhatSurroundsTheItems(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for body, want := range map[string][]string{
		`{"a":"` + long + `","items":[],"b":"` + long + `"}`:                                                                               {"EOF"},
		`{"metadata":{"continue":"` + long + `"},"items":[]}`:                                                                              {"end " + watchdecoder.RuleListText},
		`{"items":[],"metadata":{"continue":"` + long + `"}}`:                                                                              {"end " + watchdecoder.RuleListText},
		`{"items":[],"` + long + `":1}`:                                                                                                    {"end " + watchdecoder.RuleListText},
		`{"items":[],"metadata":{"remainingItemCount":1` + strings.Repeat("0", 70<<10) + `}}`:                                              {"end " + watchdecoder.RuleListText},
		`{"a":[` + strings.Repeat(`{"x":[1]},`, 20<<10) + `1],"kind":"PodList","items":[{"metadata":{"name":"a","resourceVersion":"1"}}]}`: {" Pod /a  @1", "EOF"},
	} {
		for _, r := range []io.Reader{strings.NewReader(body), chunks(body, 1), chunks(body, 1000)} {
			got, _ := listOutcomes(r, watchdecoder.Options{})
			if diff := cmp.Diff(want, summarizeList(got)); diff != "" {
				t.Errorf("%.40s: (-want +got):\n%s", body, diff)
			}
		}
	}
}

// chunks reads n bytes at a time.
func chunks(body string, n int) io.Reader {
	r := strings.NewReader(body)
	return readerFunc(func(p []byte) (int, error) { return r.Read(p[:min(n, len(p))]) })
}

func TestListMetaGrows(t *testing.T) {
	body := `{"apiVersion":"v1","items":[{"metadata":{"name":"a","resourceVersion":"1"}}],"kind":"PodList","metadata":{"resourceVersion":"5"}}`
	d := watchdecoder.NewListDecoder(strings.NewReader(body), watchdecoder.Options{})
	if got := d.Meta(); got != meta("", "", "") {
		t.Errorf("before the first byte: %+v", got)
	}
	if _, err := d.Next(); err != nil {
		t.Fatal(err)
	}
	if got := d.Meta(); got != meta("v1", "", "") {
		t.Errorf("at the first item: %+v", got)
	}
	for range 2 {
		if _, err := d.Next(); err != io.EOF {
			t.Fatal(err)
		}
	}
	if got := d.Meta(); got != meta("v1", "PodList", "5") {
		t.Errorf("at the end: %+v", got)
	}
}

func TestListDecoderReturnsTheReadersError(t *testing.T) {
	broken := errors.New("connection reset")
	for _, body := range []string{"", `{"kind":"`, podHead + "[", podHead + `[{"metadata":`, podHead + "[]", podHead + "[]}"} {
		r := io.MultiReader(strings.NewReader(body), readerFunc(func([]byte) (int, error) { return 0, broken }))
		if _, err := watchdecoder.NewListDecoder(r, watchdecoder.Options{}).Next(); err != broken {
			t.Errorf("behind %q: got %v", body, err)
		}
	}
}

func TestStatusInPlaceOfAListIsAStatusError(t *testing.T) {
	body := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","message":"the continue token is too old","code":410}`
	_, err := watchdecoder.NewListDecoder(strings.NewReader(body), watchdecoder.Options{}).Next()
	if failure, ok := err.(*status.Error); !ok || !status.IsGone(err) || failure.Message != "the continue token is too old" {
		t.Errorf("got %v", err)
	}
}

// FuzzListDecoder holds the list decoder to encoding/json on lists that encoding/json accepts, and to itself on all others.
func FuzzListDecoder(f *testing.F) {
	for _, c := range listCases {
		if len(c.body) < 2000 {
			f.Add([]byte(c.body), uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, size uint8) {
		whole, meta := listOutcomes(bytes.NewReader(body), watchdecoder.Options{})
		split, splitMeta := listOutcomes(chunks(string(body), 1+int(size)), watchdecoder.Options{})
		if diff := cmp.Diff(whole, split); diff != "" || meta != splitMeta {
			t.Fatalf("the results differ (-whole +split):\n%s\n%+v\n%+v", diff, meta, splitMeta)
		}
		last := whole[len(whole)-1]
		items, ok := membersOf(body)
		if !ok { // not valid JSON: what surrounds the items is scanned, not validated, and so may pass
			return
		}
		if last.Recoverable {
			t.Fatal("a recoverable error ended it")
		}
		if last.Error != "EOF" {
			rule, _, _ := strings.Cut(last.Error, "|")
			if slices.Contains(malformed, rule) {
				t.Fatalf("encoding/json accepts it: %s", last.Error)
			}
			return
		}
		var want []json.RawMessage
		if err := json.Unmarshal(items["items"], &want); err != nil || len(want) != len(whole)-1 {
			t.Fatalf("%d items, encoding/json finds %d: %v", len(whole)-1, len(want), err)
		}
		for i, o := range whole[:len(want)] {
			if o.Raw != "" && !bytes.Equal([]byte(o.Raw), want[i]) {
				t.Fatalf("item %d is %q, want %q", i, o.Raw, want[i])
			}
			if o.Raw == "" && len(want[i]) > 0 && want[i][0] == '{' && o.Error == "" {
				t.Fatalf("item %d is lost", i)
			}
		}
		if got, want := meta.Kind, textOf(items["kind"]); got != want {
			t.Fatalf("kind %q, want %q", got, want)
		}
		inner, _ := membersOf(items["metadata"])
		if got, want := meta.ResourceVersion, textOf(inner["resourceVersion"]); got != want {
			t.Fatalf("resourceVersion %q, want %q", got, want)
		}
		if got, want := meta.Continue, textOf(inner["continue"]); got != want {
			t.Fatalf("continue %q, want %q", got, want)
		}
	})
}

// membersOf decodes an object's members with encoding/json; false if it is none.
func membersOf(object []byte) (members map[string]json.RawMessage, ok bool) {
	err := json.Unmarshal(object, &members)
	return members, err == nil && members != nil
}

func textOf(raw json.RawMessage) string {
	var s string
	if raw != nil && json.Unmarshal(raw, &s) != nil {
		return fmt.Sprintf("not a string: %s", raw)
	}
	return s
}
