package watchdecoder_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/watchdecoder"
)

// author writes random JSON, made of what matters to the scanner.
type author struct{ *rand.Rand }

func (a author) oneOf(choices ...string) string { return choices[a.IntN(len(choices))] }

func (a author) space() string { return a.oneOf("", "", "", "", "", "", " ", "\n", "\t \r\n") }

func (a author) text() string {
	switch a.IntN(12) {
	case 0:
		return strings.Repeat(a.oneOf("x", `\\`, `\"`, "{", "é", `\ud83d\ude00`), a.IntN(70))
	case 1:
		return a.oneOf(`\"`, `\\`, `\\\"`, `\u0041`, `\ud800`, `\ud800\ud800\udc00`, `\/`, `\t`, `]}`, `{\"`, "Y_y\x7f", "\u00e9\u20ac", "\xff", "\xed\xa0\x80")
	default:
		return a.oneOf("a", "web-0", "default", "v1", "Pod", "12", "ADDED", "true", "")
	}
}

func (a author) scalar() string {
	return a.oneOf("null", "true", "false", "0", "-1", "12.5e-3", "1e309", "9007199254740993", `"`+a.text()+`"`, `"`+a.text()+`"`)
}

func (a author) value(depth int) string {
	if depth <= 0 {
		return a.scalar()
	}
	switch a.IntN(4) {
	case 0:
		return a.object(depth, a.IntN(5), nil)
	case 1:
		var items []string
		for range a.IntN(5) {
			items = append(items, a.space()+a.value(depth-1)+a.space())
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	return a.scalar()
}

// object writes n members of any name, and those given, in any order.
func (a author) object(depth, n int, members []string) string {
	for range n {
		key := a.oneOf("a", "spec", "labels", "type", "kind", "items", "name", "metadata", "object", "annotations", "resourceVersion", a.text())
		members = append(members, a.member(key, a.value(depth-1)))
	}
	a.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + a.space() + strings.Join(members, ",") + "}"
}

func (a author) member(key, value string) string {
	if len(key) > 0 && key[0] >= 'a' && a.IntN(20) == 0 {
		key = fmt.Sprintf(`\u%04x`, key[0]) + key[1:]
	}
	return a.space() + `"` + key + `"` + a.space() + ":" + a.space() + value + a.space()
}

func (a author) some(key string, value func() string) []string {
	switch n := a.IntN(40); {
	case n == 0:
		return nil
	case n == 1:
		return []string{a.member(key, value()), a.member(key, value())}
	case n == 2:
		return []string{a.member(key, a.value(1))}
	}
	return []string{a.member(key, value())}
}

func (a author) string() string { return `"` + a.text() + `"` }

func (a author) described() string {
	var metadata []string
	for _, key := range []string{"name", "namespace", "uid", "resourceVersion"} {
		metadata = append(metadata, a.some(key, a.string)...)
	}
	metadata = append(metadata, a.some("managedFields", func() string { return a.value(4) })...)
	var members []string
	members = append(members, a.some("metadata", func() string { return a.object(3, a.IntN(3), metadata) })...)
	members = append(members, a.some("kind", a.string)...)
	members = append(members, a.some("apiVersion", a.string)...)
	members = append(members, a.some("spec", func() string { return a.value(6) })...)
	return a.object(4, a.IntN(2)*a.IntN(3), members)
}

func (a author) event() string {
	var members []string
	members = append(members, a.some("type", func() string { return a.oneOf(`"ADDED"`, `"MODIFIED"`, `"DELETED"`, `"BOOKMARK"`) })...)
	members = append(members, a.some("object", a.described)...)
	return a.object(3, a.IntN(2)*a.IntN(3), members)
}

// Frames of random shape: bounds, identity and verdict are those that encoding/json's tokens give, in reads of any size.
func TestDecoderOnRandomEvents(t *testing.T) {
	a := author{rand.New(rand.NewPCG(1, 2))}
	good, bad := 0, 0
	for range 5_000 {
		event := a.event()
		if !json.Valid([]byte(event)) {
			t.Fatalf("the author erred: %s", event)
		}
		got := watchOutcomes(chunks(a.space()+event+a.space(), 1+a.IntN(200)), watchdecoder.Options{})
		if o := got[0]; o.Raw == "" { // a list, a Table or a Status
			continue
		} else if judge(t, o, []byte(event)); o.Error == "" {
			good++
		} else {
			bad++
		}
	}
	if good < 500 || bad < 500 {
		t.Errorf("%d good events and %d bad ones: too few to mean anything", good, bad)
	}
}

// Lists of random shape: every object is found, and equal in reads of any size.
func TestListDecoderOnRandomLists(t *testing.T) {
	a := author{rand.New(rand.NewPCG(3, 4))}
	complete := 0
	for range 2_000 {
		var items []string
		for range a.IntN(6) {
			item := a.described()
			if a.IntN(10) == 0 {
				item = a.value(3)
			}
			items = append(items, a.space()+item+a.space())
		}
		members := a.some("items", func() string { return "[" + strings.Join(items, ",") + "]" })
		members = append(members, a.some("metadata", func() string { return `{"resourceVersion":"5"}` })...)
		members = append(members, a.some("kind", func() string { return `"PodList"` })...)
		body := a.object(3, 0, members)
		whole, meta := listOutcomes(strings.NewReader(body), watchdecoder.Options{})
		split, splitMeta := listOutcomes(chunks(body, 1+a.IntN(100)), watchdecoder.Options{})
		if diff := cmp.Diff(whole, split); diff != "" || meta != splitMeta {
			t.Fatalf("%s: the results differ:\n%s", body, diff)
		}
		if whole[len(whole)-1].Error != "EOF" {
			continue
		}
		complete++
		want, _ := membersOf([]byte(body))
		var raws []json.RawMessage
		if err := json.Unmarshal(want["items"], &raws); err != nil || len(raws) != len(whole)-1 {
			t.Fatalf("%s: %d items, want %d", body, len(whole)-1, len(raws))
		}
		for i, raw := range raws {
			if bytes.HasPrefix(raw, []byte("{")) && whole[i].Raw != string(raw) {
				t.Fatalf("%s: item %d is %q", body, i, whole[i].Raw)
			}
		}
	}
	if complete < 400 {
		t.Errorf("%d complete lists: too few to mean anything", complete)
	}
}
