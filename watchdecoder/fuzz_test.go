package watchdecoder_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// malformed are the rules that no body breaks which encoding/json accepts.
var malformed = []string{
	watchdecoder.RuleCut, watchdecoder.RuleSyntax, watchdecoder.RuleNUL, watchdecoder.RuleByteOrderMark,
	watchdecoder.RuleHTML, watchdecoder.RuleBadString, watchdecoder.RuleTrailing,
}

// FuzzSplit: whatever the bytes and the limits, results do not depend on how reads are sliced.
func FuzzSplit(f *testing.F) {
	for _, c := range watchCases {
		f.Add([]byte(c.body), uint16(3), uint16(c.options.MaxBytes), uint8(c.options.MaxDepth))
	}
	f.Add([]byte(podAdded), uint16(1), uint16(100), uint8(2))
	f.Fuzz(func(t *testing.T, body []byte, size, maxBytes uint16, maxDepth uint8) {
		options := watchdecoder.Options{MaxBytes: int(maxBytes), MaxDepth: int(maxDepth)}
		whole := watchOutcomes(bytes.NewReader(body), options)
		for _, size := range []int{1, 1 + int(size)} {
			if diff := cmp.Diff(whole, watchOutcomes(chunks(string(body), size), options)); diff != "" {
				t.Fatalf("the results differ (-whole +in reads of %d):\n%s", size, diff)
			}
		}
	})
}

// FuzzDecoder holds bounds, identity and verdict of frames to encoding/json, which reads the same stream, and to a judge
// that walks over its tokens.
func FuzzDecoder(f *testing.F) {
	for _, c := range watchCases {
		f.Add([]byte(c.body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		oracle := json.NewDecoder(bytes.NewReader(body))
		got := watchOutcomes(bytes.NewReader(body), watchdecoder.Options{})
		for _, o := range got {
			var want json.RawMessage
			err := oracle.Decode(&want)
			rule, _, _ := strings.Cut(o.Error, "|")
			switch {
			case err == io.EOF:
				if o.Error != "EOF" {
					t.Fatalf("encoding/json is at the end, we are at %+v", o)
				}
				return
			case err != nil: // the scanner is not a validator: it may pass what is not JSON, but never as valid
				if o.Error == "EOF" || o.Raw != "" && json.Valid([]byte(o.Raw)) {
					t.Fatalf("encoding/json: %v, we are at %+v", err, o)
				}
				return
			case want[0] != '{':
				if o.Error == "" || o.Recoverable || o.Cut {
					t.Fatalf("%q is no frame, we are at %+v", want, o)
				}
				return
			case o.Raw == "" && rule == watchdecoder.RuleTooDeep:
				continue
			case o.Raw == "" && o.Error != "":
				if slices.Contains(malformed, rule) || o.Recoverable {
					t.Fatalf("encoding/json accepts %q, we are at %+v", want, o)
				}
				return // a list, a Table or a Status
			}
			judge(t, o, want)
			if rule == watchdecoder.RuleTable {
				return
			}
		}
	})
}

// judge compares a frame with what the tokens of encoding/json say.
func judge(t *testing.T, o outcome, want []byte) {
	if o.Raw != string(want) {
		t.Fatalf("the frame is %q, want %q", o.Raw, want)
	}
	v := verdict{text: map[string]string{}}
	v.walk(json.NewDecoder(bytes.NewReader(want)), "", map[string]string{"": "type,object", "object": "apiVersion,kind,metadata", "object.metadata": "name,namespace,uid,resourceVersion,annotations"})
	typ := v.text["type"]
	at := "object.metadata."
	id := v.text["object.apiVersion"] + " " + v.text["object.kind"] + " " + v.text[at+"namespace"] + "/" + v.text[at+"name"] + " " + v.text[at+"uid"] + " @" + v.text[at+"resourceVersion"]
	known := slices.Contains([]string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"}, typ)
	good := !v.bad && known && v.object
	switch typ {
	case "BOOKMARK":
		good = good && v.text[at+"resourceVersion"] != "" && v.text["object.kind"] != "Table"
	case "ERROR":
	default:
		good = good && v.text[at+"name"] != "" && v.text[at+"resourceVersion"] != "" && v.text["object.kind"] != "Table"
	}
	if typ == "ERROR" && good {
		return // status.Parse has its own tests
	}
	if good != (o.Error == "") {
		t.Fatalf("%q: good is %v, but we say %q", want, good, o.Error)
	}
	if good && (o.Identity != id || o.Type.String() != typ) {
		t.Fatalf("%q: we say %s %s, want %s %s", want, o.Type, o.Identity, typ, id)
	}
}

// verdict is what a walk over tokens finds at the three levels.
type verdict struct {
	text   map[string]string // by path
	object bool
	bad    bool // a duplicate, or a member of another type than it has to be
}

func (v *verdict) walk(d *json.Decoder, path string, wanted map[string]string) {
	if token, _ := d.Token(); token != json.Delim('{') {
		return
	}
	seen := map[string]bool{}
	for d.More() {
		token, _ := d.Token()
		key := token.(string)
		full := strings.TrimPrefix(path+"."+key, ".")
		if !slices.Contains(strings.Split(wanted[path], ","), key) {
			skipValue(d)
			continue
		}
		v.bad = v.bad || seen[key]
		first := !seen[key]
		seen[key] = true
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return
		}
		var s string
		switch {
		case key == "annotations":
		case key == "object" || key == "metadata":
			switch {
			case raw[0] == '{' && first:
				v.object = v.object || key == "object"
				v.walk(json.NewDecoder(bytes.NewReader(raw)), full, wanted)
			case string(raw) != "null" || key == "object":
				v.bad = true
			}
		case json.Unmarshal(raw, &s) != nil:
			v.bad = true
		case first:
			v.text[full] = s
		}
	}
}

func skipValue(d *json.Decoder) {
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil && !errors.Is(err, io.EOF) {
		return
	}
}
