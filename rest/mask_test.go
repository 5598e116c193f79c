package rest

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"testing"
)

// canaries are secrets that must never be seen.
var canaries = []string{"canary-token", "canary-password", "canary-key", "canary-proxy", "canary-cookie", "canary-body", "Y2FuYXJ5"}

// printed is everything Go's usual ways of printing make of a value.
func printed(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		fmt.Fprintf(&b, verb+"\n", v)
	}
	if j, err := json.Marshal(v); err == nil {
		b.Write(j)
	}
	slog.New(slog.NewTextHandler(&b, nil)).Info("text", "v", v)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("json", "v", v)
	return b.String()
}

func mustNotLeak(t testing.TB, what string, v any) {
	t.Helper()
	text := printed(t, v)
	for _, c := range canaries {
		if strings.Contains(text, c) || strings.Contains(text, fmt.Sprintf("%x", c)) {
			t.Errorf("%s shows %q:\n%s", what, c, text)
		}
	}
	if ints := strings.Trim(fmt.Sprint([]byte("canary-key")), "[]"); strings.Contains(text, ints) {
		t.Errorf("%s shows key bytes", what)
	}
}

func secretConfig() Config {
	return Config{
		Server: "https://user:canary-password@api.example", KeyData: []byte("canary-key"), CertData: []byte("cert"), CAData: []byte("ca"), Token: fixedToken("canary-token"),
		Username: "user", Password: "canary-password", TLS: &tls.Config{ServerName: "x"}, Proxy: through("http://u:canary-proxy@proxy.example"), Dial: blockedDial,
		CAFile: "ca", CertFile: "c", KeyFile: "k", TLSServerName: "n", InsecureSkipTLSVerify: true, AllowTokenOverHTTP: true, Namespace: "ns",
	}
}

func TestAConfigPrintsNoSecret(t *testing.T) {
	c := secretConfig()
	mustNotLeak(t, "Config", c)
	mustNotLeak(t, "*Config", &c)
	mustNotLeak(t, "a struct with a Config", struct{ C Config }{c})
	text := c.String()
	for _, want := range []string{"https://api.example", "namespace", "password", masked} {
		if !strings.Contains(text, want) {
			t.Errorf("%s does not show %s", text, want)
		}
	}
	c.Server = "https://canary-token:canary-password@exa mple"
	mustNotLeak(t, "Config with a bad address", c)
}

func TestARequestPrintsNoSecret(t *testing.T) {
	r := Request{
		Path: "/x", Query: url.Values{"token": {"canary-token"}, "limit": {"5"}}, Body: []byte("canary-body"),
		Header: Header{{"Cookie", "canary-cookie"}, {"X-Auth-Token", "canary-token"}, {"X-Api-Key", "canary-key"}, {"Impersonate-User", "jane"}},
	}
	mustNotLeak(t, "Request", r)
	mustNotLeak(t, "*Request", &r)
	mustNotLeak(t, "Header", r.Header)
	mustNotLeak(t, "Field", r.Header[0])
	if text := r.String(); !strings.Contains(text, "GET") || !strings.Contains(text, "limit=5") || !strings.Contains(text, "jane") {
		t.Error(text)
	}
	if text := (Request{Method: "PUT"}).String(); !strings.Contains(text, "PUT") {
		t.Error(text)
	}
}

// Every info struct of a full exchange through a proxy, printed.
func TestATraceShowsNoSecret(t *testing.T) {
	var seen []any
	trace := &Trace{
		DialStart: func(i DialStart) { seen = append(seen, i) }, DialDone: func(i DialDone) { seen = append(seen, i) },
		Connect: func(i ConnectDone) { seen = append(seen, i) }, Request: func(i RequestSent) { seen = append(seen, i) },
		Head: func(i HeadReceived) { seen = append(seen, i) }, BodyEnd: func(i BodyEnd) { seen = append(seen, i) }, CloseConn: func(i ConnClosed) { seen = append(seen, i) },
	}
	s := newScript(io.EOF, []byte("HTTP/1.1 200 OK\r\nSet-Cookie: canary-cookie\r\n\r\n"),
		[]byte("HTTP/1.1 200 OK\r\nSet-Cookie: a=canary-cookie\r\nContent-Length: 11\r\n\r\ncanary-body"))
	c := scripted(t, Config{
		Server: "http://api.example", Token: fixedToken("canary-token"), AllowTokenOverHTTP: true, Proxy: through("http://canary:canary-proxy@proxy.example"), Trace: trace,
	}, s)
	r, err := c.Do(t.Context(), Request{Path: "/", Header: Header{{"Cookie", "canary-cookie"}}})
	if err != nil {
		t.Fatal(err)
	}
	io.ReadAll(r.Body)
	mustNotLeak(t, "Response", *r)
	mustNotLeak(t, "*Response", r)
	mustNotLeak(t, "*Body", r.Body)
	mustNotLeak(t, "*Client", c)
	c.Close()
	if len(seen) != 7 {
		t.Errorf("%d events", len(seen))
	}
	for _, i := range seen {
		mustNotLeak(t, fmt.Sprintf("%T", i), i)
	}
	if !strings.Contains(s.written(), "Bearer canary-token") {
		t.Error("the token was not sent, so this test shows nothing")
	}
}

func TestErrorsShowNoSecret(t *testing.T) {
	for name, c := range map[string]*Client{
		"refused":  scripted(t, Config{Token: fixedToken("canary-token")}),
		"breach":   scripted(t, Config{Token: fixedToken("canary-token")}, newScript(io.EOF, []byte("SSH-2.0 nothing\r\n"))),
		"redirect": scripted(t, Config{Token: fixedToken("canary-token")}, newScript(io.EOF, []byte("HTTP/1.1 302 X\r\nLocation: https://u:canary-password@x/?code=canary-token#canary-key\r\nContent-Length: 0\r\n\r\n"))),
		"401":      scripted(t, Config{Token: fixedToken("canary-token")}, newScript(io.EOF, []byte("HTTP/1.1 401 X\r\nContent-Length: 11\r\nContent-Type: application/json\r\n\r\ncanary-body"))),
		"proxy":    scripted(t, Config{Token: fixedToken("canary-token"), Server: "https://x", Proxy: through("http://u:canary-proxy@pro xy")}),
	} {
		_, err := c.Do(t.Context(), Request{Path: "/", Query: url.Values{"access_token": {"canary-token"}}})
		if err == nil {
			t.Fatal(name)
		}
		mustNotLeak(t, name, err)
		mustNotLeak(t, name, Explain(err))
	}
}

func TestNilsPrint(t *testing.T) {
	var c *Client
	var e *Error
	if fmt.Sprintf("%v %v", c, e) != "Client(nil) <nil>" {
		t.Errorf("%v %v", c, e)
	}
}

// Whatever a peer sends, what is printed is one line of printable ASCII.
func TestPrintableIsPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a\r\nb": `a\r\nb`, "\x1b[31mred": `\x1b[31mred`, "ü": `\u00fc`, "\xff": `\ufffd`, "tab\t": `tab\t`, `quote"`: `quote"`,
		strings.Repeat("x", 30): strings.Repeat("x", 20) + "...", strings.Repeat("x", 19) + "ü": strings.Repeat("x", 19) + "...",
	} {
		if got := printable(in, 20); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestHeadersAreFoundInAnyCase(t *testing.T) {
	h := Header{{"A", "1"}, {"b", "2"}, {"a", "3"}}
	h.Add("B", "")
	if h.Get("a") != "1" || h.Get("B") != "2" || h.Get("c") != "" || !h.Has("B") || h.Has("\u212a") || len(h.Values("A")) != 2 || h.Values("x") != nil {
		t.Errorf("%v", h)
	}
	if equalFold("\u212a", "k") || equalFold("ab", "a") || !equalFold("aZ-", "Az-") {
		t.Error("folding is ASCII's")
	}
}

func TestErrorTexts(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&Error{Phase: PhaseDial, Addr: "h:1", Err: errors.New("x\ny")}, `dial h:1: x\ny`},
		{&Error{Phase: PhaseHead, Addr: "h:1", Rule: "r", Section: "RFC 9112 5.1", Offset: 7, protocol: true}, "head h:1: r (RFC 9112 5.1, byte 7)"},
		{&Error{Phase: PhaseConfig, Rule: "r", Section: "RFC 9112 3.2"}, "config: r (RFC 9112 3.2)"},
		{&RedirectError{Code: 302, Location: "https://x/"}, "redirect 302 to https://x/"},
		{&RedirectError{Code: 302}, "redirect 302"},
		{&ProxyError{Code: 407}, "the proxy answered CONNECT with 407"},
	} {
		if test.err.Error() != test.want {
			t.Errorf("%q, want %q", test.err, test.want)
		}
	}
	if got := Framing(9).String(); got != "unknown" {
		t.Error(got)
	}
	for f, want := range map[Framing]string{NoBody: "no body", ContentLength: "content-length", Chunked: "chunked", CloseDelimited: "close-delimited"} {
		if f.String() != want {
			t.Error(f)
		}
	}
	for in, want := range map[string]string{"": "", "/x?y#z": "/x", "https://u:p@h/x?y": "https://h/x", "\x00": "<not a URL>", "mailto:x?y": "mailto:x"} {
		if got := shownLocation(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}
