package faults

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/rawwatch/rawwatch/fakeapi"
)

var versionField = regexp.MustCompile(`"resourceVersion":"[^"]*",?`)

// withoutVersion takes an object's version away.
func withoutVersion(object string) string {
	return strings.Replace(versionField.ReplaceAllString(object, ""), ",}", "}", 1)
}

func withVersion(v string) func(string) string {
	return func(object string) string {
		return versionField.ReplaceAllStringFunc(object, func(old string) string {
			return `"resourceVersion":"` + v + `"` + strings.Repeat(",", strings.Count(old[len(old)-1:], ","))
		})
	}
}

// content changes the beginning of an object's spec or data: another value in
// front of it, under its name, or another beginning.
func content(object, instead, begin string) string {
	for _, name := range []string{`"spec":`, `"data":`} {
		if head, tail, found := strings.Cut(object, name+"{"); found {
			if instead != "" {
				return head + name + instead + `,"was":` + begin + tail
			}
			return head + name + begin + tail
		}
	}
	return object
}

// edited is the event with another object.
func edited(e fakeapi.Event, change func(object string) string) []fakeapi.Event {
	e.Object = []byte(change(string(e.Object)))
	return []fakeapi.Event{e}
}

// waitFor lets time pass in a watch, also of an event of which x has no fault.
func (x *exchange) waitFor(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.r.Context().Done():
	}
}

// event is a fault of one event's object or frame.
func event(name, says string, tries []Invariant, change func(e fakeapi.Event) []fakeapi.Event) *Fault {
	return &Fault{Name: name, Summary: says, Invariants: tries, On: Watches, event: func(_ *exchange, e fakeapi.Event) []fakeapi.Event { return change(e) }}
}

// object is a fault of one event's object.
func object(name, says string, tries []Invariant, change func(string) string) *Fault {
	return event(name, says, tries, func(e fakeapi.Event) []fakeapi.Event { return edited(e, change) })
}

// frame is a fault of one event as it is written.
func frame(name, says string, tries []Invariant, change func(typ, object string) string) *Fault {
	return event(name, says, tries, func(e fakeapi.Event) []fakeapi.Event {
		return []fakeapi.Event{{Raw: []byte(change(e.Type, string(e.Object)))}}
	})
}

// before puts something in front of an event.
func before(name, says string, tries []Invariant, raw string) *Fault {
	return event(name, says, tries, func(e fakeapi.Event) []fakeapi.Event { return []fakeapi.Event{{Raw: []byte(raw)}, e} })
}

func usual(typ, object string) string { return `{"type":"` + typ + `","object":` + object + "}\n" }

func events() []*Fault {
	identity, phantom, bomb := []Invariant{Identity, NoPhantom, FinalState}, []Invariant{NoPhantom, NoPanic, FinalState}, []Invariant{MemoryBound, NoPanic}
	expired, storm := []Invariant{ExpiredEnds, FinalState}, []Invariant{StormBound, FinalState}
	errorBefore := func(name, says string, tries []Invariant, e *fakeapi.StatusError) *Fault {
		body, _ := e.MarshalJSON()
		return frame(name, says, tries, func(string, string) string { return usual("ERROR", string(body)) })
	}
	return []*Fault{
		errorBefore("watch-error-410", "an ERROR event of code 410 in the place of an event", expired, gone),
		errorBefore("watch-error-500-later", "an ERROR event of code 500 in the place of an event", storm, status(500, "InternalError", "boom")),
		errorBefore("watch-error-no-code", "an ERROR event without code and reason in the place of an event", storm, status(0, "", "something")),
		frame("watch-error-null", "an ERROR event whose object is null in the place of an event", storm, func(string, string) string { return usual("ERROR", "null") }),
		frame("watch-error-pod", "an ERROR event whose object is no Status in the place of an event", storm, func(_, o string) string { return usual("ERROR", o) }),
		object("event-without-name", "an object has no name", identity, func(o string) string { return strings.Replace(o, `"name":`, `"nom":`, 1) }),
		object("event-without-version", "an object has no version", identity, withoutVersion),
		object("event-version-zero", "an object of version 0", identity, withVersion("0")),
		object("event-version-junk", "an object of version abc", identity, withVersion("abc")),
		object("event-version-back", "an object of version 1, older than all before", []Invariant{Monotone, FinalState}, withVersion("1")),
		object("event-of-another-kind", "an object is a Secret", identity, func(o string) string { return strings.Replace(o, `"kind":"`, `"kind":"Secret`, 1) }),
		object("event-null", "an object is null", identity, func(string) string { return "null" }),
		object("event-array", "an object is an array", identity, func(o string) string { return "[" + o + "]" }),
		object("event-table", "an object is a Table", identity, func(string) string {
			return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"5"},"rows":[]}`
		}),
		object("event-list", "an object is a list", identity, func(o string) string {
			return `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[` + o + `]}`
		}),
		object("event-metadata-twice", "an object has two fields metadata", phantom, func(o string) string { return strings.TrimSuffix(o, "}") + `,"metadata":{"name":"phantom"}}` }),
		object("event-undecodable", "a declared field of an object has another type", phantom, func(o string) string { return content(o, "7", "{") }),
		object("event-bad-utf-8", "a string holds bytes that are no UTF-8", phantom, func(o string) string {
			return content(o, "", "{\"odd\":\"\xff\xfe\",")
		}),
		object("event-control-in-string", "a string holds a bare NUL", phantom, func(o string) string { return content(o, "", "{\"odd\":\"\x00\",") }),
		object("event-too-deep", "an object is nested 100,000 deep", bomb, func(o string) string { return strings.TrimSuffix(o, "}") + `,"deep":` + nested(100_000) + `}` }),
		object("event-too-large", "an object of 17 MiB", bomb, func(o string) string {
			return strings.TrimSuffix(o, "}") + `,"pad":"` + strings.Repeat("a", 17<<20) + `"}`
		}),
		frame("event-type-unknown", "an event of type PATCHED", phantom, func(_, o string) string { return usual("PATCHED", o) }),
		frame("event-type-in-lower-case", "an event of type modified", phantom, func(t, o string) string { return usual(strings.ToLower(t), o) }),
		frame("event-type-missing", "an event without a type", phantom, func(_, o string) string { return `{"object":` + o + "}\n" }),
		frame("event-type-twice", "an event with two types", phantom, func(t, o string) string { return `{"type":"` + t + `","type":"DELETED","object":` + o + "}\n" }),
		frame("event-object-missing", "an event without an object", phantom, func(t, _ string) string { return `{"type":"` + t + `"}` + "\n" }),
		frame("event-object-twice", "an event with two objects", phantom, func(t, o string) string {
			return `{"type":"` + t + `","object":` + o + `,"object":` + o + "}\n"
		}),
		frame("event-cut-line", "half an event, then the next", phantom, func(t, o string) string { u := usual(t, o); return u[:len(u)/2] + "\n" + u }),
		before("event-after-junk", "junk between two events", phantom, "\x00\xff}{\n"),
		before("event-after-number", "a number between two events", phantom, "1234\n"),
		before("event-after-status", "a Status that is no event between two events", phantom, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":500}`+"\n"),
	}
}

// legalEvents are written as no server writes them, and right.
func legalEvents() []*Fault {
	exact := []Invariant{ResumeExact, FinalState, HandlerOrder}
	all := []*Fault{
		event("event-twice", "an event comes twice", []Invariant{ResumeExact, Subsequence}, func(e fakeapi.Event) []fakeapi.Event { return repeated(e, 2) }),
		frame("event-added-for-modified", "a change comes as ADDED", exact, func(t, o string) string {
			if t == "MODIFIED" {
				t = "ADDED"
			}
			return usual(t, o)
		}),
		frame("event-modified-for-added", "a creation comes as MODIFIED", exact, func(t, o string) string {
			if t == "ADDED" {
				t = "MODIFIED"
			}
			return usual(t, o)
		}),
		frame("event-object-first", "the object comes before the type", exact, func(t, o string) string { return `{"object":` + o + `,"type":"` + t + "\"}\n" }),
		frame("event-with-blanks", "blanks and line feeds between the tokens of an event", exact, func(t, o string) string {
			return "{ \n\t\"type\" : \"" + t + "\" ,\r\n \"object\" : " + strings.Replace(o, "{", "{\n ", 1) + " \n}\n\n"
		}),
		frame("event-without-line-feed", "no line feed after an event", exact, func(t, o string) string { return strings.TrimSuffix(usual(t, o), "\n") }),
		frame("event-crlf", "CRLF after an event", exact, func(t, o string) string { return strings.TrimSuffix(usual(t, o), "\n") + "\r\n" }),
		frame("event-escaped-keys", "the keys of an event are escaped", exact, func(t, o string) string {
			return `{"\u0074ype":"` + t + `","obj\u0065ct":` + strings.Replace(o, `"metadata"`, `"met\u0061data"`, 1) + "}\n"
		}),
		frame("event-unknown-fields", "an event with fields that nobody knows", exact, func(t, o string) string {
			return `{"kind":"WatchEvent","x":[{"type":"DELETED"}],"type":"` + t + `","object":` + o + "}\n"
		}),
		object("event-odd-numbers", "an undeclared field holds 1e999 and -0.5E+400", exact, func(o string) string { return strings.TrimSuffix(o, "}") + `,"odd":[1e999,-0.5E+400,-0]}` }),
		object("event-look-alike-fields", "fields that look like metadata in another case", []Invariant{NoPhantom, Identity}, func(o string) string {
			return strings.TrimSuffix(o, "}") + `,"Metadata":{"name":"phantom","resourceVersion":"1"},"METADATA":null,"Spec":{"nodeName":"phantom"},"Data":{"value":"phantom"}}`
		}),
		object("event-large", "an object of a mebibyte", exact, func(o string) string {
			return strings.TrimSuffix(o, "}") + `,"pad":"` + strings.Repeat("a", 1<<20) + `"}`
		}),
		frame("event-deleted-bare", "a DELETED event shows nothing but the metadata", exact, func(t, o string) string {
			if t == "DELETED" {
				o = bare(o)
			}
			return usual(t, o)
		}),
		{Name: "event-late", Summary: "an event comes twenty seconds late", Invariants: exact, On: Watches, event: func(x *exchange, e fakeapi.Event) []fakeapi.Event {
			x.waitFor(20 * time.Second)
			return []fakeapi.Event{e}
		}},
	}
	for _, f := range all {
		f.Legal = true
	}
	return all
}

// bare is an object's metadata and type.
func bare(object string) string {
	var o struct {
		Kind       string          `json:"kind"`
		APIVersion string          `json:"apiVersion"`
		Metadata   json.RawMessage `json:"metadata"`
	}
	_ = json.Unmarshal([]byte(object), &o) // it is the server's own
	b, _ := json.Marshal(o)
	return string(b)
}

// bookmarkFaults are about versions without an object.
func bookmarkFaults() []*Fault {
	tries := []Invariant{BookmarkOrder, Monotone, FinalState}
	mark := func(name, says string, legal bool, change func(e fakeapi.Event) []fakeapi.Event) *Fault {
		return &Fault{Name: name, Summary: says, Invariants: tries, On: Watches, about: bookmarks, Legal: legal,
			event: func(_ *exchange, e fakeapi.Event) []fakeapi.Event { return change(e) }}
	}
	change := func(f func(string) string) func(fakeapi.Event) []fakeapi.Event {
		return func(e fakeapi.Event) []fakeapi.Event { return edited(e, f) }
	}
	return []*Fault{
		mark("bookmark-dropped", "a bookmark does not come", true, func(fakeapi.Event) []fakeapi.Event { return nil }),
		mark("bookmark-twice", "a bookmark comes twice", true, func(e fakeapi.Event) []fakeapi.Event { return repeated(e, 2) }),
		mark("bookmark-storm", "a bookmark comes a thousand times", true, func(e fakeapi.Event) []fakeapi.Event { return repeated(e, 1000) }),
		mark("bookmark-without-version", "a bookmark has no version", false, change(withoutVersion)),
		mark("bookmark-version-zero", "a bookmark of version 0", false, change(withVersion("0"))),
		mark("bookmark-version-junk", "a bookmark of version abc", false, change(withVersion("abc"))),
		mark("bookmark-back", "a bookmark of version 1, older than all before", false, change(withVersion("1"))),
		mark("bookmark-null", "a bookmark whose object is null", false, change(func(string) string { return "null" })),
		mark("bookmark-of-another-kind", "a bookmark whose object is a Secret", false, change(func(o string) string { return strings.Replace(o, `"kind":"`, `"kind":"Secret`, 1) })),
		mark("bookmark-named", "a bookmark whose object has a name", true, change(func(o string) string { return strings.Replace(o, `"metadata":{`, `"metadata":{"name":"x",`, 1) })),
	}
}
