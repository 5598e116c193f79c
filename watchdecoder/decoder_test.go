package watchdecoder_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/status"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// watchCase is a body of a watch and what has to come of it: an identity or a rule for each frame.
type watchCase struct {
	name    string
	body    string
	options watchdecoder.Options
	want    []string
}

const podAdded = `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"7"}}}`

var watchCases = []watchCase{
	{name: "frames need no newline between them", body: podAdded + podAdded + "\n" + podAdded + " \r\n\t " + podAdded + "\n",
		want: []string{"ADDED v1 Pod b/a u @7", "ADDED v1 Pod b/a u @7", "ADDED v1 Pod b/a u @7", "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "an empty body is a clean end", body: "", want: []string{"EOF"}},
	{name: "white space alone is a clean end", body: " \n\n", want: []string{"EOF"}},
	{name: "white space may stand between all tokens",
		body: " {\n\t\"type\" : \"DELETED\" ,\r\n \"object\" : { \"metadata\" : { \"name\" : \"x\" , \"resourceVersion\" : \"1\" } , \"spec\" : { } } } ",
		want: []string{"DELETED   /x  @1", "EOF"}},
	{name: "object before type, identity behind the rest of the metadata, as in custom resources",
		body: `{"object":{"apiVersion":"g/v2","kind":"Widget","metadata":{"annotations":{"name":"not this"},"labels":{"uid":"nor this"},"managedFields":[{"f:metadata":{"f:name":{}}},"]"],"name":"w","resourceVersion":"12","uid":"u-1"},"spec":{"metadata":{"name":"nor that"}}},"type":"MODIFIED"}`,
		want: []string{"MODIFIED g/v2 Widget /w u-1 @12", "EOF"}},
	{name: "keys and values are compared after unescaping",
		body: `{"\u0074ype":"ADD\u0045D","obj\u0065ct":{"metad\u0061ta":{"n\u0061me":"\u006eod\/e","\u0072esourceVersion":"\u0031","uid":"\ud83d\ude00\ud800"}}}`,
		want: []string{"ADDED   /nod/e \U0001f600\ufffd @1", "EOF"}},
	{name: "keys in another case are other keys",
		body: `{"type":"ADDED","Type":"DELETED","object":{"Metadata":{"name":"evil"},"metadata":{"name":"a","Name":"evil","resourceVersion":"1","ResourceVersion":"9"}}}`,
		want: []string{"ADDED   /a  @1", "EOF"}},
	{name: "brackets, quotes and backslashes inside strings are text",
		body: `{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"},"a":"}]\"\\","b":["{[","\\\\\"",{"}":"\\"}],"c":"\\\\"}}` + podAdded,
		want: []string{"ADDED   /a  @1", "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "raw newlines inside strings do not end a frame", // Valid refuses them; bounds do not depend on them
		body: "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"},\"a\":\"\n{\"}}",
		want: []string{"ADDED   /a  @1", "EOF"}},
	{name: "scalars of all kinds are passed over",
		body: `{"a":null,"b":true,"c":false,"d":-1.5e+10,"e":"x","type":"ADDED","object":{"z":0,"y":null,"metadata":{"generation":3,"x":true,"creationTimestamp":null,"name":"a","namespace":null,"resourceVersion":"1"},"w":[]}}`,
		want: []string{"ADDED   /a  @1", "EOF"}},
	{name: "a bookmark has a version and needs no more", body: `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"99"}}}`,
		want: []string{"BOOKMARK v1 Pod /  @99", "EOF"}},
	{name: "a bookmark that ends the initial events", body: `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"99","annotations":{"x":{},"k8s.io/initial-events-end":"true"}}}}`,
		want: []string{"BOOKMARK   /  @99 end", "EOF"}},
	{name: "its annotation is compared after unescaping", body: `{"object":{"metadata":{"annotations":{"k8s.io\/initial-events-\u0065nd":"tru\u0065"},"resourceVersion":"99"}},"type":"BOOKMARK"}`,
		want: []string{"BOOKMARK   /  @99 end", "EOF"}},
	{name: "its annotation is compared exactly", body: `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"True"}}}}` +
		`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"2","annotations":{"k8s.io/initial-events-end":true}}}}` +
		`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"3","annotations":{"K8s.io/initial-events-end":"true","k8s.io/initial-events-end ":"true"}}}}` +
		`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"4","annotations":null}}}` +
		`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5","annotations":"k8s.io/initial-events-end"}}}`,
		want: []string{"BOOKMARK   /  @1", "BOOKMARK   /  @2", "BOOKMARK   /  @3", "BOOKMARK   /  @4", "BOOKMARK   /  @5", "EOF"}},
	{name: "the annotation on anything but a bookmark means nothing",
		body: `{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}}}}`,
		want: []string{"ADDED   /a  @1", "EOF"}},
	{name: "an ERROR event is a Status", body: `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (5)","reason":"Expired","code":410}}` + podAdded,
		want: []string{"ERROR v1 Status /  @ status 410 Expired", "ADDED v1 Pod b/a u @7", "EOF"}},

	// This frame only.
	{name: "a bookmark without version", body: `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{}}}` + podAdded,
		want: []string{"bad " + watchdecoder.RuleNoVersion, "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "an ERROR event without Status", body: `{"type":"ERROR","object":{"kind":"Pod"}}` + podAdded,
		want: []string{"bad " + watchdecoder.RuleErrorStatus, "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "no type", body: `{"object":{}}{"x":1}{}` + podAdded,
		want: []string{"bad " + watchdecoder.RuleNoType, "bad " + watchdecoder.RuleNoType, "bad " + watchdecoder.RuleNoType, "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "a type that nobody knows", body: `{"type":"added","object":{}}{"type":"","object":{}}{"type":null,"object":{}}` + podAdded,
		want: []string{"bad " + watchdecoder.RuleUnknownType, "bad " + watchdecoder.RuleUnknownType, "bad " + watchdecoder.RuleUnknownType, "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "a type that is no string", body: `{"type":1,"object":{}}{"type":["ADDED"],"object":{}}{"type":true}{"type":{"a":1}}` + podAdded,
		want: []string{"bad " + watchdecoder.RuleNotString, "bad " + watchdecoder.RuleNotString, "bad " + watchdecoder.RuleNotString, "bad " + watchdecoder.RuleNotString, "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "no object", body: `{"type":"ADDED"}` + podAdded, want: []string{"bad " + watchdecoder.RuleNoObject, "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "an object that is none", body: `{"type":"ADDED","object":null}{"type":"ADDED","object":[{}]}{"type":"ADDED","object":"{}"}{"type":"ERROR","object":7}{"type":"ADDED","object":true}` + podAdded,
		want: []string{"bad " + watchdecoder.RuleNotObject, "bad " + watchdecoder.RuleNotObject, "bad " + watchdecoder.RuleNotObject, "bad " + watchdecoder.RuleNotObject, "bad " + watchdecoder.RuleNotObject, "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "no name", body: `{"type":"ADDED","object":{"metadata":{"resourceVersion":"1"}}}{"type":"ADDED","object":{"metadata":{"resourceVersion":"1","name":""}}}{"type":"ADDED","object":{}}{"type":"ADDED","object":{"metadata":null}}` + podAdded,
		want: []string{"bad " + watchdecoder.RuleNoName, "bad " + watchdecoder.RuleNoName, "bad " + watchdecoder.RuleNoName, "bad " + watchdecoder.RuleNoName, "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "no version", body: `{"type":"ADDED","object":{"metadata":{"name":"x","namespace":"y"}}}` + podAdded, want: []string{"bad " + watchdecoder.RuleNoVersion, "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "metadata that is no object", body: `{"type":"ADDED","object":{"metadata":[]}}{"type":"ADDED","object":{"metadata":1}}` + podAdded,
		want: []string{"bad " + watchdecoder.RuleNotObject, "bad " + watchdecoder.RuleNotObject, "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "a name that is no string", body: `{"type":"ADDED","object":{"metadata":{"name":{"a":1},"resourceVersion":"1"}}}{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":1}}}` + podAdded,
		want: []string{"bad " + watchdecoder.RuleNotString, "bad " + watchdecoder.RuleNotString, "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "a name that no JSON string has", body: `{"type":"ADDED","object":{"metadata":{"name":"\q","resourceVersion":"1"}}}` + "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\nb\",\"resourceVersion\":\"1\"}}}" +
		`{"type":"ADDED","object":{"metadata":{"name":"\u12g4","resourceVersion":"1"}}}` + podAdded,
		want: []string{"bad " + watchdecoder.RuleBadString, "bad " + watchdecoder.RuleBadString, "bad " + watchdecoder.RuleBadString, "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "another kind", options: watchdecoder.Options{APIVersion: "v1", Kind: "Pod"},
		body: podAdded + strings.Replace(podAdded, `"Pod"`, `"Node"`, 1) + strings.Replace(podAdded, `"v1"`, `"v2"`, 1) + strings.Replace(podAdded, `"kind":"Pod",`, ``, 1) +
			`{"type":"BOOKMARK","object":{"kind":"Node","metadata":{"resourceVersion":"1"}}}`,
		want: []string{"ADDED v1 Pod b/a u @7", "bad " + watchdecoder.RuleKind, "bad " + watchdecoder.RuleKind, "ADDED v1 Pod b/a u @7", "bad " + watchdecoder.RuleKind, "EOF"}},
	{name: "too large", options: watchdecoder.Options{MaxBytes: len(podAdded)},
		body: podAdded + strings.Replace(podAdded, `"a"`, `"ab"`, 1) + podAdded + strings.Replace(podAdded, `"a"`, `"`+strings.Repeat("a", 400)+`"`, 1) + podAdded,
		want: []string{"ADDED v1 Pod b/a u @7", "bad " + watchdecoder.RuleTooLarge, "ADDED v1 Pod b/a u @7", "bad " + watchdecoder.RuleTooLarge, "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "too deep", options: watchdecoder.Options{MaxDepth: 3},
		body: `{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"},"a":[[]]}}` +
			`{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"},"a":[[[{"\\\"]":1}]]]}}` +
			`{"type":"ADDED","object":{"a":{"b":{"c":{}}},"metadata":{"name":"a","resourceVersion":"1"}}}` + podAdded,
		want: []string{"ADDED   /a  @1", "bad " + watchdecoder.RuleTooDeep, "bad " + watchdecoder.RuleTooDeep, "ADDED v1 Pod b/a u @7", "EOF"}},
	{name: "too deep in its metadata", options: watchdecoder.Options{MaxDepth: 1}, body: `{"type":"ADDED","object":{"metadata":{"name":"a"}}} {"type":"ADDED","object":{}}`,
		want: []string{"bad " + watchdecoder.RuleTooDeep, "bad " + watchdecoder.RuleNoName, "EOF"}},

	// The end of the stream.
	{name: "HTML", body: "\n<!DOCTYPE html><html>", want: []string{"end " + watchdecoder.RuleHTML}},
	{name: "HTML behind a frame", body: podAdded + "<html>", want: []string{"ADDED v1 Pod b/a u @7", "end " + watchdecoder.RuleHTML}},
	{name: "a byte order mark", body: "\xef\xbb\xbf" + podAdded, want: []string{"end " + watchdecoder.RuleByteOrderMark}},
	{name: "UTF-16", body: "\xff\xfe{\x00", want: []string{"end " + watchdecoder.RuleByteOrderMark}},
	{name: "NUL between frames", body: podAdded + "\x00" + podAdded, want: []string{"ADDED v1 Pod b/a u @7", "end " + watchdecoder.RuleNUL}},
	{name: "NUL between tokens", body: "{\"type\":\x00}", want: []string{"end " + watchdecoder.RuleNUL}},
	{name: "plain text", body: "upstream connect error", want: []string{"end " + watchdecoder.RuleSyntax}},
	{name: "an array", body: "[" + podAdded + "]", want: []string{"end " + watchdecoder.RuleSyntax}},
	{name: "a comma between frames", body: podAdded + "," + podAdded, want: []string{"ADDED v1 Pod b/a u @7", "end " + watchdecoder.RuleSyntax}},
	{name: "brackets that close another kind", body: `{"type":"ADDED","object":{"a":[{]}}}`, want: []string{"end " + watchdecoder.RuleSyntax}},
	{name: "brackets that close another kind, more than 64 deep", body: `{"object":{"a":` + strings.Repeat("[", 70) + strings.Repeat("]", 66) + "}", want: []string{"end " + watchdecoder.RuleSyntax}},
	{name: "a backslash outside of strings", body: `{"object":{"a":[1,\"x"]}}`, want: []string{"end " + watchdecoder.RuleSyntax}},
	{name: "a backslash outside of strings, in what is skipped", options: watchdecoder.Options{MaxDepth: 2}, body: `{"object":{"a":[[1,\"x"]]}}`, want: []string{"end " + watchdecoder.RuleSyntax}},
	{name: "a bad key", body: `{type:1}`, want: []string{"end " + watchdecoder.RuleSyntax}},
	{name: "a missing comma", body: `{"a":1 "b":2}`, want: []string{"end " + watchdecoder.RuleSyntax}},
	{name: "a missing colon", body: `{"a" 1}`, want: []string{"end " + watchdecoder.RuleSyntax}},
	{name: "a trailing comma", body: `{"a":1,}`, want: []string{"end " + watchdecoder.RuleSyntax}},
	{name: "a missing value", body: `{"a":}`, want: []string{"end " + watchdecoder.RuleSyntax}},
	{name: "a literal that is none", body: `{"type":nul}`, want: []string{"end " + watchdecoder.RuleSyntax}},
	{name: "a number that goes on as something else", body: `{"a":1x}`, want: []string{"end " + watchdecoder.RuleSyntax}},
	{name: "a list: watch=1 was ignored", body: `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]}`, want: []string{"end " + watchdecoder.RuleListNotEvents}},
	{name: "a list with sorted keys", body: `{"apiVersion":"g/v1","items":[{"a":1}],"kind":"WidgetList"}`, want: []string{"end " + watchdecoder.RuleListNotEvents}},
	{name: "a Status where events were due", body: `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Forbidden","code":403}`, want: []string{"end status 403 Forbidden"}},
	{name: "a Table where events were due", body: `{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}`, want: []string{"end " + watchdecoder.RuleTable}},
	{name: "an object where events were due", body: `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}`, want: []string{"bad " + watchdecoder.RuleNoType, "EOF"}},
	{name: "events of a Table", body: `{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"1"}}}`, want: []string{"bad-end " + watchdecoder.RuleTable, "end " + watchdecoder.RuleTable}},
}

func init() {
	// Each field in its place, twice: this frame only, whichever values they have.
	good := `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"7","annotations":{}}}}`
	for _, member := range []string{`"type":"ADDED"`, `"kind":"Pod"`, `"apiVersion":"v1"`, `"name":"a"`, `"namespace":"b"`, `"uid":"u"`, `"resourceVersion":"7"`, `"annotations":{}`} {
		watchCases = append(watchCases, watchCase{name: "twice " + member,
			body: strings.Replace(good, member, member+","+member, 1) + strings.Replace(good, member, strings.Replace(member, "e", `\u0065`, 1)+","+member, 1) + podAdded,
			want: []string{"bad " + watchdecoder.RuleDuplicateKey, "bad " + watchdecoder.RuleDuplicateKey, "ADDED v1 Pod b/a u @7", "EOF"}})
	}
	watchCases = append(watchCases,
		watchCase{name: "twice object", body: `{"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"}},"object":{"metadata":{"name":"b","resourceVersion":"1"}}}` + podAdded,
			want: []string{"bad " + watchdecoder.RuleDuplicateKey, "ADDED v1 Pod b/a u @7", "EOF"}},
		watchCase{name: "twice metadata", body: `{"type":"ADDED","object":{"metadata":null,"metadata":{"name":"b","resourceVersion":"1"}}}` + podAdded,
			want: []string{"bad " + watchdecoder.RuleDuplicateKey, "ADDED v1 Pod b/a u @7", "EOF"}},
		watchCase{name: "the same keys elsewhere", body: `{"type":"ADDED","object":{"name":"x","name":"y","type":1,"metadata":{"type":1,"kind":2,"name":"b","resourceVersion":"1","metadata":{},"metadata":{}}}}`,
			want: []string{"ADDED   /b  @1", "EOF"}})
}

// summary says what a case has to say.
func summary(o outcome) string {
	rule, _, _ := strings.Cut(o.Error, "|")
	switch {
	case o.Error == "EOF":
		return "EOF"
	case o.Status != "" && o.Raw == "":
		return "end status " + o.Status
	case o.Error != "" && o.Recoverable:
		return "bad " + rule
	case o.Error != "" && o.Status == "" && o.Raw != "":
		return "bad-end " + rule
	case o.Error != "" && o.Status == "":
		return "end " + rule
	}
	line := o.Type.String() + " " + o.Identity
	if o.Status != "" {
		line += " status " + o.Status
	}
	if o.InitialEventsEnd {
		line += " end"
	}
	return line
}

func summaries(all []outcome) []string {
	var lines []string
	for _, o := range all {
		lines = append(lines, summary(o))
	}
	return lines
}

func TestDecoder(t *testing.T) {
	for _, c := range watchCases {
		t.Run(c.name, func(t *testing.T) {
			got := watchOutcomes(strings.NewReader(c.body), c.options)
			if diff := cmp.Diff(c.want, summaries(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, o := range got {
				if o.Raw != "" && o.Raw != c.body[o.Offset:][:len(o.Raw)] {
					t.Errorf("Raw is not what stands at Offset %d", o.Offset)
				}
			}
		})
	}
}

// Results depend neither on how reads are sliced nor on whether anything follows; a cut is never a clean end.
func TestDecoderSplitAndCutEverywhere(t *testing.T) {
	for _, c := range watchCases {
		t.Run(c.name, func(t *testing.T) {
			read := func(r io.Reader) []outcome { return watchOutcomes(r, c.options) }
			splitAndCut(t, c.body, read, func(cut int) bool { return betweenFrames(c.body[:cut]) })
		})
	}
}

// betweenFrames says that a body ends between two frames: it is white space but for frames that end.
func betweenFrames(body string) bool {
	for {
		if body = strings.TrimLeft(body, " \t\r\n"); body == "" {
			return true
		}
		n := endOfValue([]byte(body))
		if n < 0 {
			return false
		}
		body = body[n:]
	}
}

// A watch is latency: the frame is there as soon as its brace is, and nothing more is read for it.
func TestDecoderReturnsAFrameAtItsClosingBrace(t *testing.T) {
	var sent int
	r := readerFunc(func(p []byte) (int, error) {
		if sent == len(podAdded) {
			t.Fatal("the decoder reads on behind the closing brace")
		}
		p[0] = podAdded[sent]
		sent++
		return 1, nil
	})
	f, err := watchdecoder.NewDecoder(r, watchdecoder.Options{}).Next()
	if err != nil || string(f.Raw) != podAdded {
		t.Fatalf("got %v, %v", f, err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestDecoderExpectsWhatAListTaught(t *testing.T) {
	d := watchdecoder.NewDecoder(strings.NewReader(podAdded+podAdded+podAdded), watchdecoder.Options{})
	if _, err := d.Next(); err != nil {
		t.Fatal(err)
	}
	d.Expect("v1", "Node")
	if _, err := d.Next(); !watchdecoder.IsRecoverable(err) {
		t.Errorf("a Pod where Nodes are expected: %v", err)
	}
	d.Expect("", "")
	if _, err := d.Next(); err != nil {
		t.Errorf("nothing is expected any more: %v", err)
	}
}

// A bad frame is named by its key, so that it can be read again.
func TestFrameErrorSaysWhereAndWhose(t *testing.T) {
	body := "\n" + `{"type":"MODIFIED","object":{"kind":"Pod","metadata":{"name":"web","namespace":"shop","resourceVersion":7}}}`
	f, err := watchdecoder.NewDecoder(strings.NewReader(body), watchdecoder.Options{}).Next()
	bad, ok := errors.AsType[*watchdecoder.FrameError](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	if f == nil || string(f.Raw) != body[1:] {
		t.Error("the frame was read whole, so it is returned beside the error")
	}
	at := int64(strings.Index(body, "7}"))
	want := watchdecoder.FrameError{Offset: at, Start: 1, Rule: watchdecoder.RuleNotString, Detail: "resourceVersion", Key: f.Identity.Key(), Type: watchdecoder.Modified}
	if bad.Offset != want.Offset || bad.Start != want.Start || bad.Rule != want.Rule || bad.Detail != want.Detail || bad.Key != want.Key || bad.Type != want.Type {
		t.Errorf("got %+v, want %+v", bad, want)
	}
	text := fmt.Sprintf("watchdecoder: not a string: resourceVersion, at offset %d, in an event of type MODIFIED, object %q", at, "shop/web")
	if bad.Error() != text {
		t.Errorf("got  %s\nwant %s", bad, text)
	}
}

// What was known of a frame before it was given up is said, too.
func TestFrameErrorOfALargeFrameKnowsItsKey(t *testing.T) {
	body := `{"type":"ADDED","object":{"metadata":{"name":"big","namespace":"n"},"data":"` + strings.Repeat("x", 1<<20) + `"}}` + podAdded
	d := watchdecoder.NewDecoder(strings.NewReader(body), watchdecoder.Options{MaxBytes: 1000})
	f, err := d.Next()
	bad, ok := errors.AsType[*watchdecoder.FrameError](err)
	if !ok || f != nil {
		t.Fatalf("got %v, %v", f, err)
	}
	if bad.Key.String() != "n/big" || bad.Type != watchdecoder.Added || !bad.Recoverable() {
		t.Errorf("got %+v", bad)
	}
	if f, err = d.Next(); err != nil || f.Offset != int64(len(body)-len(podAdded)) {
		t.Errorf("the next frame: %v, %v", f, err)
	}
}

func TestErrorsPrintNothingLong(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	body := `{"type":"` + long + `","object":{"metadata":{"name":"` + long + `","resourceVersion":"1"}}}`
	_, err := watchdecoder.NewDecoder(strings.NewReader(body), watchdecoder.Options{}).Next()
	if err == nil || len(err.Error()) > 400 {
		t.Errorf("%d bytes: %.500s", len(err.Error()), err)
	}
}

// The reader's errors are its own, after all frames that came before them.
func TestDecoderReturnsTheReadersError(t *testing.T) {
	broken := errors.New("connection reset")
	for _, tail := range []string{"", `{"type":`} {
		d := watchdecoder.NewDecoder(io.MultiReader(strings.NewReader(podAdded+tail), readerFunc(func([]byte) (int, error) { return 0, broken })), watchdecoder.Options{})
		if _, err := d.Next(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := d.Next(); err != broken {
				t.Errorf("behind %q: got %v", tail, err)
			}
		}
	}
}

func TestDecoderSurvivesBadReaders(t *testing.T) {
	idle := readerFunc(func([]byte) (int, error) { return 0, nil })
	if _, err := watchdecoder.NewDecoder(idle, watchdecoder.Options{}).Next(); err != io.ErrNoProgress {
		t.Errorf("a reader that returns nothing: %v", err)
	}
	for _, n := range []int{-1, 1 << 30} {
		impossible := readerFunc(func([]byte) (int, error) { return n, nil })
		if _, err := watchdecoder.NewDecoder(impossible, watchdecoder.Options{}).Next(); err == nil {
			t.Errorf("a reader that returns %d bytes", n)
		}
	}
}

// An error that ended the stream stays.
func TestDecoderStaysBroken(t *testing.T) {
	d := watchdecoder.NewDecoder(strings.NewReader("<html>"+podAdded), watchdecoder.Options{})
	_, first := d.Next()
	_, second := d.Next()
	if first == nil || first != second {
		t.Errorf("got %v, then %v", first, second)
	}
	d = watchdecoder.NewDecoder(strings.NewReader(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":500}`+podAdded), watchdecoder.Options{})
	_, first = d.Next()
	_, second = d.Next()
	if _, ok := errors.AsType[*status.Error](second); !ok || first != second {
		t.Errorf("got %v, then %v", first, second)
	}
}

// Identities are views; clones are not.
func TestIdentityClone(t *testing.T) {
	d := watchdecoder.NewDecoder(strings.NewReader(podAdded+strings.ReplaceAll(podAdded, `"a"`, `"z"`)), watchdecoder.Options{})
	f, err := d.Next()
	if err != nil {
		t.Fatal(err)
	}
	clone, key := f.Identity.Clone(), f.Identity.Key()
	clear(f.Raw)
	if describe(clone) != "v1 Pod b/a u @7" || key.String() != "b/a" {
		t.Errorf("got %s, %s", describe(clone), key)
	}
}

func TestEventTypeStrings(t *testing.T) {
	for typ, want := range []string{"UNKNOWN", "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"} {
		if got := watchdecoder.EventType(typ).String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
