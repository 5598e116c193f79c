package faults

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// answeredList is a list as JSON has it, for faults to change.
type answeredList struct {
	top   map[string]json.RawMessage
	Meta  map[string]any
	Items []json.RawMessage
}

func (l *answeredList) render() string {
	l.top["metadata"], _ = json.Marshal(l.Meta)
	l.top["items"], _ = json.Marshal(l.Items)
	b, _ := json.Marshal(l.top)
	return string(b)
}

// changeList is a fault that changes a list as the server answers it. What is
// returned unless empty is sent in its place.
func changeList(name, says string, tries []Invariant, change func(x *exchange, l *answeredList) string) *Fault {
	return &Fault{Name: name, Summary: says, Invariants: tries, On: Lists, alter: func(x *exchange, next http.Handler) {
		rec := x.genuine(next)
		l := &answeredList{top: map[string]json.RawMessage{}}
		if rec.code != 200 || json.Unmarshal(rec.body.Bytes(), &l.top) != nil ||
			json.Unmarshal(l.top["metadata"], &l.Meta) != nil || json.Unmarshal(l.top["items"], &l.Items) != nil {
			rec.replay(x.w)
			return
		}
		body := change(x, l)
		if body == "" {
			body = l.render()
		}
		x.json(200, body)
	}}
}

func version(v string) func(*exchange, *answeredList) string {
	return func(_ *exchange, l *answeredList) string { l.Meta["resourceVersion"] = v; return "" }
}

// lists are lists that are wrong as a whole, and pages that lead nowhere.
func lists() []*Fault {
	versions, pages, whole := []Invariant{Identity, Monotone}, []Invariant{PagesEnd, InitAtomic}, []Invariant{InitAtomic, NoPhantom}
	legal := func(f *Fault) *Fault { f.Legal = true; return f }
	return []*Fault{
		changeList("list-version-none", "a list without a version", versions, func(_ *exchange, l *answeredList) string { delete(l.Meta, "resourceVersion"); return "" }),
		changeList("list-version-empty", "a list of version \"\"", versions, version("")),
		changeList("list-version-zero", "a list of version 0", versions, version("0")),
		changeList("list-version-junk", "a list of version abc", versions, version("abc")),
		changeList("list-version-negative", "a list of version -1", versions, version("-1")),
		changeList("list-version-leading-zero", "a list of version 0007", versions, version("0007")),
		changeList("list-version-number", "a list whose version is a number", versions, func(_ *exchange, l *answeredList) string { l.Meta["resourceVersion"] = 7; return "" }),
		changeList("list-items-missing", "a list without items", whole, func(_ *exchange, l *answeredList) string {
			return `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"}}`
		}),
		changeList("list-table", "a Table though nobody asked", whole, func(_ *exchange, l *answeredList) string {
			return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"5"},"columnDefinitions":[],"rows":[]}`
		}),
		changeList("list-of-another-kind", "a list of Secrets", []Invariant{Identity, NoPhantom}, func(_ *exchange, l *answeredList) string {
			l.top["kind"] = json.RawMessage(`"SecretList"`)
			return ""
		}),
		changeList("list-cut-items", "a list that ends after an item, in a whole body", []Invariant{Incomplete, InitAtomic}, func(_ *exchange, l *answeredList) string {
			return strings.TrimSuffix(itemsLast(l), "]}")
		}),
		changeList("list-cut-brace", "a list without its last brace, in a whole body", []Invariant{Incomplete, InitAtomic}, func(_ *exchange, l *answeredList) string {
			return strings.TrimSuffix(itemsLast(l), "}")
		}),
		changeList("list-twice", "two lists, one after the other", whole, func(_ *exchange, l *answeredList) string { return l.render() + l.render() }),
		changeList("list-two-items", "a list with two fields items", whole, func(_ *exchange, l *answeredList) string {
			return strings.TrimSuffix(l.render(), "}") + `,"items":[]}`
		}),
		legal(changeList("list-items-first", "items come before metadata, as in custom resources", []Invariant{FinalState}, func(_ *exchange, l *answeredList) string {
			meta, _ := json.Marshal(l.Meta)
			delete(l.top, "metadata")
			items, _ := json.Marshal(l.Items)
			return `{"apiVersion":` + string(l.top["apiVersion"]) + `,"items":` + string(items) + `,"kind":` + string(l.top["kind"]) + `,"metadata":` + string(meta) + `}`
		})),
		legal(changeList("list-unknown-fields", "a list with fields that nobody knows", []Invariant{FinalState}, func(_ *exchange, l *answeredList) string {
			l.top["extra"], l.Meta["extra"] = json.RawMessage(`{"items":[1e999,{"metadata":{}}]}`), []any{nil}
			return ""
		})),
		legal(changeList("list-remaining-wrong", "remainingItemCount is wrong", []Invariant{FinalState}, func(_ *exchange, l *answeredList) string { l.Meta["remainingItemCount"] = 999999; return "" })),
		legal(&Fault{Name: "list-limit-ignored", Summary: "limit is ignored: all comes at once", Invariants: []Invariant{FinalState}, On: List, alter: func(x *exchange, next http.Handler) {
			r := x.r.Clone(x.r.Context())
			q := r.URL.Query()
			q.Del("limit")
			r.URL.RawQuery = q.Encode()
			next.ServeHTTP(x.w, r)
		}}),
		changeList("page-token-repeated", "every page has the same continue token", pages, func(_ *exchange, l *answeredList) string { l.Meta["continue"] = "the-same"; return "" }),
		changeList("page-token-endless", "empty pages, each with a new continue token", pages, func(x *exchange, l *answeredList) string {
			l.Meta["continue"], l.Items = "t"+strconv.Itoa(x.fault.Hits()), []json.RawMessage{}
			return ""
		}),
		{Name: "page-version-changes", Summary: "the pages of a list are of different versions", Invariants: []Invariant{InitAtomic, PagesEnd}, On: Page, alter: changeList("", "", nil, version("3")).alter},
		{Name: "page-version-none", Summary: "a further page has no version", Invariants: []Invariant{InitAtomic, PagesEnd}, On: Page, alter: changeList("", "", nil, version("")).alter},
		{Name: "page-token-refused", Summary: "a continue token is refused: 400", Invariants: pages, On: Page, answer: refuse(status(400, "BadRequest", "continue key is not valid"))},
		legal(&Fault{Name: "page-empty", Summary: "a page without items, and the token for the next", Invariants: pages, On: List, alter: emptyPage}),
	}
}

// items are lists in which one item is wrong.
func items() []*Fault {
	identity := []Invariant{Identity, NoPhantom}
	first := func(name, says string, change func(item string) string) *Fault {
		return changeList(name, says, identity, func(_ *exchange, l *answeredList) string {
			if len(l.Items) == 0 {
				return ""
			}
			var raw []string
			for _, i := range l.Items {
				raw = append(raw, string(i))
			}
			raw[0] = change(raw[0])
			meta, _ := json.Marshal(l.Meta)
			return `{"kind":` + string(l.top["kind"]) + `,"apiVersion":` + string(l.top["apiVersion"]) + `,"metadata":` + string(meta) + `,"items":[` + strings.Join(raw, ",") + `]}`
		})
	}
	return []*Fault{
		first("item-null", "an item is null", func(string) string { return "null" }),
		first("item-string", "an item is a string", func(string) string { return `"pod"` }),
		first("item-without-name", "an item has no name", func(i string) string { return strings.Replace(i, `"name":`, `"nom":`, 1) }),
		first("item-without-version", "an item has no version", withoutVersion),
		first("item-without-metadata", "an item has no metadata", func(i string) string { return strings.Replace(i, `"metadata":`, `"data":`, 1) }),
		first("item-of-another-kind", "an item is a Secret", func(i string) string { return `{"kind":"Secret","apiVersion":"v1",` + i[1:] }),
		first("item-twice", "an item comes twice", func(i string) string { return i + "," + i }),
		first("item-metadata-twice", "an item has two fields metadata", func(i string) string { return strings.TrimSuffix(i, "}") + `,"metadata":{"name":"phantom"}}` }),
		first("item-undecodable", "a declared field of an item has another type", func(i string) string { return content(i, "7", "{") }),
		first("item-too-deep", "an item is nested 100,000 deep", func(i string) string { return strings.TrimSuffix(i, "}") + `,"deep":` + nested(100_000) + `}` }),
	}
}

// emptyPage sends a first page without items, whose token begins the list that
// was asked for: that is what a selector may leave of a page.
func emptyPage(x *exchange, next http.Handler) {
	if x.r.URL.Query().Get("limit") == "" {
		next.ServeHTTP(x.w, x.r) // without a limit there are no pages
		return
	}
	changeList("", "", nil, func(_ *exchange, l *answeredList) string {
		v, _ := strconv.ParseInt(l.Meta["resourceVersion"].(string), 10, 64)
		token, _ := json.Marshal(map[string]any{"v": "meta.k8s.io/v1", "rv": v, "start": "\x00"})
		l.Meta["continue"], l.Items = base64.RawURLEncoding.EncodeToString(token), []json.RawMessage{}
		return ""
	}).alter(x, next)
}

func itemsLast(l *answeredList) string {
	meta, _ := json.Marshal(l.Meta)
	items, _ := json.Marshal(l.Items)
	return `{"kind":` + string(l.top["kind"]) + `,"apiVersion":` + string(l.top["apiVersion"]) + `,"metadata":` + string(meta) + `,"items":` + string(items) + `}`
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
