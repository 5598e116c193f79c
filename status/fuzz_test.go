package status

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// FuzzParse holds Parse against apimachinery's decoder into metav1.Status, and against its own output.
func FuzzParse(f *testing.F) {
	f.Add([]byte(forbiddenPods))
	f.Add([]byte(`{"kind":"Status","apiVersion":"v1","reason":"Invalid","details":{"name":"n","group":"g","kind":"k","uid":"u","causes":[{"reason":"r","message":"m","field":"f"}],"retryAfterSeconds":3},"code":422}`))
	f.Add([]byte(`{"kind":"Status","Code":1,"code":410,"status":"Success"}`))
	f.Fuzz(func(t *testing.T, object []byte) {
		e, err := Parse(object)
		theirs, decoded := decodeAsApimachinery(object)
		failure := decoded && theirs.Kind == "Status" && slices.Contains([]string{"v1", "meta.k8s.io/v1", ""}, theirs.APIVersion) && theirs.Status != "Success"
		if err != nil {
			if failure {
				t.Fatalf("%s: refused: %v", object, err)
			}
			return
		}
		ours, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if decoded {
			theirs.TypeMeta, theirs.ListMeta, theirs.Status = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, metav1.ListMeta{}, "Failure"
			if want, err := json.Marshal(theirs); err != nil || !bytes.Equal(ours, want) {
				t.Fatalf("%s:\n got %s\nwant %s (%v)", object, ours, want, err)
			}
		}
		again, err := Parse(ours)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := json.Marshal(again); err != nil || !bytes.Equal(back, ours) {
			t.Fatalf("%s became %s (%v)", ours, back, err)
		}
	})
}

// decodeAsApimachinery reads a Status with exact keys. Repeated keys are settled first, the last one wins: there it depends on their depth.
func decodeAsApimachinery(object []byte) (s metav1.Status, ok bool) {
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	var top map[string]any
	if err := d.Decode(&top); err != nil || !json.Valid(object) { // a decoder does not look at what follows
		return s, false
	}
	settled, err := json.Marshal(top)
	if err != nil {
		return s, false
	}
	return s, utiljson.Unmarshal(settled, &s) == nil
}

// FuzzFromResponse gives any response an error of one short printable line, from which nothing of an object can be read.
func FuzzFromResponse(f *testing.F) {
	f.Add(403, "application/json", []byte(forbiddenPods))
	f.Add(502, "text/html; charset=utf-8", []byte("<html><TITLE lang=en>502 &amp; more</TITLE><h1>x</h1>"))
	f.Add(404, "text/plain", []byte("404 page not found\n"))
	f.Add(409, "text/plain", []byte(`{"data":{"a":"c2VjcmV0"}}`))
	f.Fuzz(func(t *testing.T, code int, contentType string, body []byte) {
		e := FromResponse(code, contentType, body, Headers{})
		line := e.Error()
		if len(line) > 12<<10 || line == "" || strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			t.Fatalf("%q", line)
		}
		if e.Code != code || Code(e) != code {
			t.Fatalf("code %d became %d", code, e.Code)
		}
		if e.HasStatus {
			return
		}
		if len(e.Message) > maxExcerpt+len("...") {
			t.Fatalf("%d bytes of the body", len(e.Message))
		}
		if json.Valid(body) && bytes.ContainsAny(body, "{[") && e.Message != "" && !bytes.HasPrefix(bytes.TrimSpace(body), []byte(`"`)) {
			t.Fatalf("%q of %q", e.Message, body)
		}
		if _, err := json.Marshal(e); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzRetryAfter holds seconds against strconv, dates against net/http, and the result within its bounds.
func FuzzRetryAfter(f *testing.F) {
	for _, v := range []string{"0", "5", "-1", "99999999999999999999", "Fri, 21 Aug 2026 12:00:01 GMT", "Friday, 21-Aug-26 12:01:00 GMT", "Fri Aug 21 12:00:02 2026"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, value string) {
		d, ok := ParseRetryAfter(value, now)
		if d < 0 || d > MaxRetryAfter || !ok && d != 0 {
			t.Fatalf("%q: %v, %v", value, d, ok)
		}
		value = strings.Trim(value, " \t")
		if n, err := strconv.ParseUint(value, 10, 32); err == nil {
			if want := min(time.Duration(n)*time.Second, MaxRetryAfter); !ok || d != want {
				t.Fatalf("%q: %v, %v, want %v", value, d, ok, want)
			}
		}
		at, err := http.ParseTime(value)
		if !ok || strings.Trim(value, "0123456789") == "" {
			return
		}
		if err != nil {
			t.Fatalf("%q: %v; net/http: %v", value, d, err)
		}
		if want := min(max(0, at.Sub(now)), MaxRetryAfter); d != want && !strings.Contains(value, "-") { // a year of two digits depends on now
			t.Fatalf("%q: %v, want %v", value, d, want)
		}
	})
}

// FuzzWarnings reads what is a list of warnings as apimachinery does. That one goes on after some things that are none, such as a text with another right behind.
func FuzzWarnings(f *testing.F) {
	f.Add(`299 - "a", 199 host:80 "b\"c" "Fri, 21 Aug 2026 12:00:00 GMT"`)
	f.Add(`299 - "a""b"`)
	f.Fuzz(func(t *testing.T, value string) {
		var want []string
		rest := value
		for strings.Trim(rest, " \t,") != "" {
			text, after, ok := cutWarning(rest)
			if !ok {
				return
			}
			if text != "" {
				want = append(want, text)
			}
			rest = after
		}
		if got := ParseWarnings([]string{value}); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", value, got, want)
		}
		var theirs []string
		headers, errs := utilnet.ParseWarningHeaders([]string{value})
		for _, h := range headers {
			if h.Text != "" {
				theirs = append(theirs, h.Text)
			}
		}
		if len(errs) == 0 && !slices.Equal(theirs, want) {
			t.Fatalf("%q: %q, apimachinery reads %q", value, want, theirs)
		}
	})
}
