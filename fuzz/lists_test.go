package fuzz

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
)

// attempt is one list from its first page on, as the server has answered it.
type attempt struct {
	versions []string
	names    []string // of the good items
	last     bool     // its last page had no token
	whole    bool     // every page came whole, with 200
}

// pager answers list requests as a dice says.
type pager struct {
	t        *testing.T
	d        dice
	attempts []*attempt
	requests int
	item     int
}

func (p *pager) answer(r *http.Request) io.Reader {
	p.requests++
	token := r.URL.Query().Get("continue")
	if token == "" {
		p.attempts = append(p.attempts, &attempt{whole: true})
	}
	if len(p.attempts) == 0 {
		p.t.Fatal("a page was asked for before the first")
	}
	a := p.attempts[len(p.attempts)-1]
	switch p.d.pick(16) {
	case 0:
		a.whole = false
		expired := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`
		return strings.NewReader(fmt.Sprintf("HTTP/1.1 410 Gone\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(expired), expired))
	case 1:
		a.whole = false
		return strings.NewReader("HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n")
	}
	var items []string
	for range p.d.pick(5) {
		p.item++
		switch name := fmt.Sprint("o", p.item); p.d.pick(12) {
		case 0:
			items = append(items, `{"metadata":{}}`)
		case 1:
			items = append(items, `7`)
		default:
			items = append(items, fmt.Sprintf(`{"metadata":{"name":%q,"resourceVersion":"5"},"x":1e999}`, name))
			a.names = append(a.names, name)
		}
	}
	version := []string{"7", "7", "7", "7", "7", "7", "7", "8", ""}[p.d.pick(9)]
	a.versions = append(a.versions, version)
	next := fmt.Sprint("t", p.requests)
	switch p.d.pick(8) {
	case 0, 1, 2:
		next, a.last = "", true
	case 3:
		next = token // the same again, or the end
		a.last = next == ""
	}
	metadata := fmt.Sprintf(`"metadata":{"resourceVersion":%q,"continue":%q}`, version, next)
	body := `{"kind":"PodList","apiVersion":"v1",` + metadata + `,"items":[` + strings.Join(items, ",") + "]}"
	if p.d.pick(2) == 0 {
		body = `{"items":[` + strings.Join(items, ",") + `],"kind":"PodList","apiVersion":"v1",` + metadata + "}"
	}
	wire := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if p.d.pick(16) == 0 {
		a.whole = false
		wire = fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body)+1, body)
	}
	return strings.NewReader(wire)
}

// FuzzListPages: a list whose pages are of any number, size and version, with tokens that lead on, back, nowhere or expire. A state is complete only if every
// one of its pages came whole, all at one version, up to the one without a token, and holds then exactly what they held.
func FuzzListPages(f *testing.F) {
	f.Add([]byte{5, 2, 3, 3, 0, 7, 1, 5, 1, 3, 0, 0, 1, 5})
	for i := range byte(16) {
		f.Add([]byte{5, 2, 9, 9, 0, 7, 1, i, i, 3, 0, i, 4, 1, 5, i, i, 0, 5, 1, 0, 2, 2, 2, i, i, 9, 0, 0, 0, 0})
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 512 {
			return
		}
		p := &pager{t: t, d: dice{script}}
		s := &server{after: io.EOF, answer: p.answer}
		c := s.client(t, rest.Config{})
		var names []string
		var begun, ended bool
		var failure error
		version := ""
		// A page without items takes five bytes of the script, a buffer of 32 KiB to read it, and now and then a connection with the buffers of both sides.
		cost(t, "the list", len(script), limit{20 << 10, 1 << 20}, func() {
			for e, err := range listwatch.List(context.Background(), c, listwatch.Options{Path: "/pods", PageSize: 3}) {
				if failure = err; err != nil {
					break
				}
				if ended || begun == (e.Kind == listwatch.ReplaceBegin) {
					t.Fatalf("%s where it cannot be", e.Kind)
				}
				switch e.Kind {
				case listwatch.ReplaceBegin:
					names, begun = nil, true
				case listwatch.ReplaceItem:
					names = append(names, string(e.Identity.Name))
				case listwatch.ReplaceAbort:
					begun = false
				case listwatch.ReplaceEnd:
					version, ended = e.Version, true
				}
			}
		})
		if len(p.attempts) > 2 || p.requests > 2*len(script)+8 {
			t.Fatalf("%d attempts, %d requests", len(p.attempts), p.requests)
		}
		if ended != (failure == nil) {
			t.Fatalf("complete: %v, error: %v", ended, failure)
		}
		a := p.attempts[len(p.attempts)-1]
		good := a.whole && a.last && a.versions[0] != "" && len(slices.Compact(slices.Clone(a.versions))) == 1
		if ended != good {
			t.Fatalf("complete: %v (%v), the server has sent %+v", ended, failure, a)
		}
		if diff := cmp.Diff(a.names, names); ended && (diff != "" || version != a.versions[0]) {
			t.Fatalf("the state at %q (-sent +yielded):\n%s", version, diff)
		}
	})
}
