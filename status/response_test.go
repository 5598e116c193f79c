package status

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var now = time.Date(2026, 8, 21, 12, 0, 0, 0, time.UTC)

func TestResponseWithAStatus(t *testing.T) {
	warnings := []string{"w"}
	e := FromResponse(403, "application/json", []byte(forbiddenPods), Headers{Warnings: warnings, AuditID: "a-1", Now: now})
	want := &Error{
		Code: 403, Reason: ReasonForbidden, Message: `pods is forbidden: User "x" cannot list resource "pods" in API group "" in the namespace "default"`,
		Details: &Details{Kind: "pods"}, HasStatus: true, ContentType: "application/json", Warnings: warnings, AuditID: "a-1",
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
}

// A Status is a Status whatever its media type says; its code gives way to the one that the connection was used with.
func TestResponseStatusOfAnotherCode(t *testing.T) {
	e := FromResponse(500, "text/html; charset=utf-8", []byte(`{"kind":"Status","apiVersion":"v1","reason":"Expired","code":410}`), Headers{})
	if e.Code != 500 || !e.HasStatus || !IsGone(e) || e.ContentType != "text/html" {
		t.Errorf("%+v", e)
	}
}

func TestResponseWithoutAStatus(t *testing.T) {
	long := strings.Repeat("word ", 1000)
	for _, c := range []struct {
		name        string
		code        int
		contentType string
		body        string
		reason      Reason
		message     string
	}{
		{"nothing", 401, "", "", ReasonUnauthorized, ""},
		{"text of the API server", 404, "text/plain; charset=utf-8", "404 page not found\n", ReasonNotFound, "404 page not found"},
		{"text in lines", 503, "TEXT/PLAIN", "\r\n upstream  connect\terror\n or reset \n\n", ReasonServiceUnavailable, "upstream connect error or reset"},
		{"long text", 500, "text/plain", long, ReasonInternalError, strings.TrimSuffix(long[:256], " ") + "..."},
		{"one long word", 500, "text/plain", strings.Repeat("é", 5000), ReasonInternalError, strings.Repeat("é", 128) + "..."},
		{"text that is not UTF-8", 500, "text/plain", "a\xff\xfeb", ReasonInternalError, "a\uFFFDb"},
		{"blank text", 500, "text/plain", " \r\n\t ", ReasonInternalError, ""},
		{"a page", 502, "text/html", "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>no</h1></center><hr>nginx</body>", "", "502 Bad Gateway"},
		{"a page in capitals, with attributes", 503, "text/html; charset=\"utf-8\"", "<!DOCTYPE HTML><TITLE\nLANG=en>\n 503 Service\n Unavailable\n</TITLE>", ReasonServiceUnavailable, "503 Service Unavailable"},
		{"a page with entities", 403, "text/html", "<title>a &lt;b&gt; &amp;amp; &quot;c&#39;&nbsp;d</title>", ReasonForbidden, `a <b> &amp; "c' d`},
		{"a page with a heading only", 403, "text/html", "<html><h1>Forbidden</h1>", ReasonForbidden, "Forbidden"},
		{"a page with an empty title", 403, "text/html", "<titlebar>x</titlebar><title> </title><h1 class=a>Forbidden</h1>", ReasonForbidden, "Forbidden"},
		{"a page without any", 403, "text/html", "<p>secret</p>", ReasonForbidden, ""},
		{"a page that is cut", 403, "text/html", "<html><title>Forbid", ReasonForbidden, "Forbid"},
		{"a page that is cut in the tag", 403, "text/html", "<html><title", ReasonForbidden, ""},
		{"a page that ends in the tag", 403, "text/html", "<html><title ", ReasonForbidden, ""},
		{"a page by the name of text", 407, "text/plain", "<html><title>Proxy login</title>", "", "Proxy login"},
		{"a page with letters that change length in lower case", 502, "text/html", "<p>\u0130\u0130\u0130\xff<title>T</title>", "", "T"},
		{"a title far down", 502, "text/html", "<p>" + strings.Repeat(" ", 20_000) + "<title>T</title>", "", ""},
		{"a page by an unknown name", 502, "", "<html><title>T</title>", "", ""},
		{"an object", 409, "application/json", `{"kind":"Secret","data":{"a":"c2VjcmV0"}}`, ReasonConflict, ""},
		{"an object by the name of text", 409, "text/plain", "\n" + `{"kind":"Secret","data":{"a":"c2VjcmV0"}}`, ReasonConflict, ""},
		{"an object after a byte order mark", 409, "text/plain", "\uFEFF" + `{"data":{"a":"c2VjcmV0"}}`, ReasonConflict, ""},
		{"an object that is cut", 409, "text/plain", `{"kind":"Secret","data":{"a":"c2Vj`, ReasonConflict, ""},
		{"an array by the name of text", 409, "text/plain", `["c2VjcmV0"]`, ReasonConflict, ""},
		{"an object in YAML", 409, "text/yaml", "kind: Secret\ndata: {a: c2VjcmV0}", ReasonConflict, ""},
		{"protobuf", 410, "application/vnd.kubernetes.protobuf", "k8s\x00\x0a", ReasonGone, ""},
		{"an unreadable media type", 422, "text/pl ain", "secret", ReasonInvalid, ""},
		{"half a media type", 422, "text", "secret", ReasonInvalid, ""},
		{"a media type without subtype", 422, "text/", "secret", ReasonInvalid, ""},
		{"a code of nobody's", 799, "text/plain", "x", "", "x"},
	} {
		e := FromResponse(c.code, c.contentType, []byte(c.body), Headers{})
		if e.HasStatus || e.Code != c.code || e.Reason != c.reason || e.Message != c.message || e.Details != nil {
			t.Errorf("%s: %+v", c.name, e)
		}
		if strings.Contains(e.Error(), "c2V") || strings.ContainsAny(e.Error(), "\r\n\x1b") {
			t.Errorf("%s: %s", c.name, e)
		}
	}
}

func TestResponseRetryAfter(t *testing.T) {
	const slow = `{"kind":"Status","apiVersion":"v1","reason":"TooManyRequests","details":{"retryAfterSeconds":9},"code":429}`
	for _, c := range []struct {
		name, header, body string
		want               time.Duration
		known              bool
	}{
		{"nobody says", "", "", 0, false},
		{"the header", "2", "", 2 * time.Second, true},
		{"the header says now", "0", slow, 0, true},
		{"the Status", "", slow, 9 * time.Second, true},
		{"both", "2", slow, 2 * time.Second, true},
		{"the header is unreadable", "soon", slow, 9 * time.Second, true},
		{"a date", "Fri, 21 Aug 2026 12:00:30 GMT", slow, 30 * time.Second, true},
	} {
		e := FromResponse(429, "application/json", []byte(c.body), Headers{RetryAfter: c.header, Now: now})
		if d, ok := RetryAfter(e); d != c.want || ok != c.known {
			t.Errorf("%s: %v, %v", c.name, d, ok)
		}
	}
}

func TestResponseSharesNoMemory(t *testing.T) {
	for _, body := range []string{forbiddenPods, "some text"} {
		in := []byte(body)
		e := FromResponse(403, "text/plain", in, Headers{})
		before := e.Error()
		clear(in)
		if e.Error() != before {
			t.Error("the error changed with its body")
		}
	}
}
