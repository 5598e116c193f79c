package rest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// sent returns what a request looks like to net/http.
func sent(t testing.TB, cfg Config, r Request) *http.Request {
	t.Helper()
	s := newScript(errSilent, []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	c := scripted(t, cfg, s)
	if _, err := c.Do(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	br := bufio.NewReader(strings.NewReader(s.written()))
	got, err := http.ReadRequest(br)
	if err != nil {
		t.Fatalf("%v: %q", err, s.written())
	}
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(br); len(rest) > 0 {
		t.Fatalf("bytes after the request: %q", rest)
	}
	got.Body = io.NopCloser(bytes.NewReader(body))
	return got
}

func TestARequestIsReadBackByNetHTTP(t *testing.T) {
	large := bytes.Repeat([]byte("x"), 100_000)
	for _, r := range []Request{
		{Path: "/"},
		{Path: "/api/v1/pods", Query: url.Values{"watch": {"1"}, "fieldSelector": {"a=b,c!=d"}, "labelSelector": {"x in (ä,\r\n)"}}},
		{Method: "POST", Path: "/api/v1/namespaces/x/pods", Body: []byte(`{"a":1}`), ContentType: "application/json"},
		{Method: "POST", Path: "/empty"},
		{Method: "PUT", Path: "/large", Body: large},
		{Method: "PATCH", Path: "/patch", Body: []byte("{}"), ContentType: "application/merge-patch+json", Header: Header{{"If-Match", `"x"`}, {"If-Match", `"y"`}}},
		{Method: "DELETE", Path: "/delete", Body: []byte("{}")},
		{Method: "DELETE", Path: "/delete"},
		{Method: "OPTIONS", Path: "/options", Accept: "text/plain;q=0.5, */*"},
	} {
		got := sent(t, Config{UserAgent: "test/1 (linux)"}, r)
		method, accept := r.Method, r.Accept
		if method == "" {
			method = "GET"
		}
		if accept == "" {
			accept = "application/json"
		}
		body, _ := io.ReadAll(got.Body)
		if got.Method != method || got.URL.Path != r.Path || got.URL.Query().Encode() != r.Query.Encode() || got.Proto != "HTTP/1.1" || got.Host != "127.0.0.1" ||
			!bytes.Equal(body, r.Body) || got.Header.Get("Accept") != accept || got.Header.Get("Content-Type") != r.ContentType ||
			got.UserAgent() != "test/1 (linux)" || len(got.TransferEncoding) != 0 {
			t.Errorf("%v became %+v", r, got)
		}
		for _, f := range r.Header {
			if got.Header.Get(f.Name) == "" {
				t.Errorf("%v lost %s", r, f.Name)
			}
		}
		if (r.Method == "POST" || r.Method == "PUT" || r.Method == "PATCH") && got.Header.Get("Content-Length") == "" {
			t.Errorf("%v has no length", r)
		}
		for _, never := range []string{"Expect", "Te", "Transfer-Encoding", "Connection", "Upgrade", "Trailer"} {
			if got.Header.Get(never) != "" {
				t.Errorf("%v sends %s", r, never)
			}
		}
	}
}

func TestPathsAreEscaped(t *testing.T) {
	for path, want := range map[string]string{
		"/":                        "/",
		"/api/v1/pods":             "/api/v1/pods",
		"/a b":                     "/a%20b",
		"/a%20b":                   "/a%20b",
		"/system:node/x@y;z=1,2":   "/system:node/x@y;z=1,2",
		"/ü":                       "/%C3%BC",
		"/a\"<>\\^`{|}":            "/a%22%3C%3E%5C%5E%60%7B%7C%7D",
		"/a//b":                    "/a//b",
		"/a/":                      "/a/",
		"/...":                     "/...",
		"/a%2Fb":                   "/a%2Fb",
		"/-._~!$&'()*+,;=:@":       "/-._~!$&'()*+,;=:@",
		"/\xff":                    "/%FF",
		"/%e4%bd%a0":               "/%e4%bd%a0",
		"/apis/x/v1/y/.hidden/..z": "/apis/x/v1/y/.hidden/..z",
	} {
		got, err := escapePath(path)
		if err != nil || got != want {
			t.Errorf("%q became %q, want %q, %v", path, got, want, err)
			continue
		}
		u, err := url.ParseRequestURI(got)
		plain, _ := url.PathUnescape(path)
		if err != nil || u.Path != plain || u.RawQuery != "" {
			t.Errorf("%q reads back as %+v, %v", path, u, err)
		}
	}
}

func TestRequestsThatCannotBeMeantAreRefused(t *testing.T) {
	for name, r := range map[string]Request{
		"no path":                  {},
		"relative path":            {Path: "api"},
		"absolute URL":             {Path: "http://evil.example/"},
		"two slashes":              {Path: "//evil.example/"},
		"asterisk":                 {Path: "*"},
		"dot segment":              {Path: "/api/./x"},
		"two dots":                 {Path: "/api/v1/namespaces/../secrets"},
		"two dots at the end":      {Path: "/api/.."},
		"escaped dots":             {Path: "/api/%2e%2E/x"},
		"half an escape":           {Path: "/a%2"},
		"no escape":                {Path: "/100%"},
		"query in the path":        {Path: "/a?b=c"},
		"fragment in the path":     {Path: "/a#b"},
		"line end in the path":     {Path: "/a\r\nX: y"},
		"escaped line end":         {Path: "/a%0d%0ab"},
		"NUL in the path":          {Path: "/a\x00"},
		"escaped NUL":              {Path: "/a%00"},
		"method with a space":      {Path: "/", Method: "GET /x"},
		"method with a line end":   {Path: "/", Method: "GET\r\n"},
		"CONNECT":                  {Path: "/", Method: "CONNECT"},
		"TRACE":                    {Path: "/", Method: "TRACE"},
		"GET with a body":          {Path: "/", Body: []byte("x")},
		"HEAD with a body":         {Path: "/", Method: "HEAD", Body: []byte("x")},
		"line end in Accept":       {Path: "/", Accept: "a\r\nX: y"},
		"line end in Content-Type": {Path: "/", Method: "POST", ContentType: "a\nb"},
		"line end in a value":      {Path: "/", Header: Header{{"X", "a\r\nb"}}},
		"NUL in a value":           {Path: "/", Header: Header{{"X", "a\x00b"}}},
		"space in a name":          {Path: "/", Header: Header{{"X Y", "a"}}},
		"empty name":               {Path: "/", Header: Header{{"", "a"}}},
		"colon in a name":          {Path: "/", Header: Header{{"X:", "a"}}},
		"Host":                     {Path: "/", Header: Header{{"host", "evil.example"}}},
		"Content-Length":           {Path: "/", Header: Header{{"Content-Length", "1"}}},
		"Transfer-Encoding":        {Path: "/", Header: Header{{"Transfer-Encoding", "chunked"}}},
		"Expect":                   {Path: "/", Header: Header{{"Expect", "100-continue"}}},
		"TE":                       {Path: "/", Header: Header{{"te", "trailers"}}},
		"Authorization":            {Path: "/", Header: Header{{"Authorization", "Bearer x"}}},
		"Proxy-Authorization":      {Path: "/", Header: Header{{"Proxy-Authorization", "Basic x"}}},
		"Connection":               {Path: "/", Header: Header{{"Connection", "upgrade"}}},
		"Upgrade":                  {Path: "/", Header: Header{{"Upgrade", "h2c"}}},
		"Accept-Encoding":          {Path: "/", Header: Header{{"Accept-Encoding", "br"}}},
	} {
		c := scripted(t, Config{})
		_, err := c.Do(t.Context(), r)
		if e := asError(t, err); e.Phase != PhaseConfig || e.Rule == "" || c.Stats().Dials != 0 {
			t.Errorf("%s: %v", name, err)
		}
		if strings.ContainsAny(err.Error(), "\r\n\x00") {
			t.Errorf("%s: the error is more than a line: %q", name, err)
		}
	}
}

func TestServersAreTakenApart(t *testing.T) {
	for _, test := range []struct{ server, origin, addr, host, path string }{
		{"http://127.0.0.1", "http://127.0.0.1", "127.0.0.1:80", "127.0.0.1", "/x"},
		{"https://127.0.0.1", "https://127.0.0.1", "127.0.0.1:443", "127.0.0.1", "/x"},
		{"https://api.example:6443/", "https://api.example:6443", "api.example:6443", "api.example:6443", "/x"},
		{"https://api.example/k8s/clusters/c-1//", "https://api.example", "api.example:443", "api.example", "/k8s/clusters/c-1/x"},
		{"https://api.example/a b", "https://api.example", "api.example:443", "api.example", "/a%20b/x"},
		{"http://[::1]:8080", "http://[::1]:8080", "[::1]:8080", "[::1]:8080", "/x"},
		{"http://[fe80::1%25eth0]", "http://[fe80::1]", "[fe80::1%eth0]:80", "[fe80::1]", "/x"},
		{"https://bücher.example", "https://xn--bcher-kva.example", "xn--bcher-kva.example:443", "xn--bcher-kva.example", "/x"},
		{"https://API.Example", "https://api.example", "api.example:443", "api.example", "/x"},
		{"https://my_host:1", "https://my_host:1", "my_host:1", "my_host:1", "/x"},
		{"https://api.example:", "https://api.example", "api.example:443", "api.example", "/x"},
	} {
		c, err := NewClient(Config{Server: test.server})
		if err != nil {
			t.Errorf("%s: %v", test.server, err)
			continue
		}
		r := Request{Path: "/x"}
		w, err := c.prepare(&r)
		if err != nil || c.Origin() != test.origin || c.origin.addr() != test.addr || w.header.Get("Host") != test.host || w.path != test.path {
			t.Errorf("%s: %s %s %s %s %v", test.server, c.Origin(), c.origin.addr(), w.header.Get("Host"), w.path, err)
		}
	}
	for _, server := range []string{
		"", "api.example:6443", "//api.example", "ftp://api.example", "https://", "https:///x", "https://user:hunter2@api.example", "https://api.example?a=b",
		"https://api.example#x", "https://api.example?", "https://api.example:0", "https://api.example:99999", "https://api.example:x", "https://a b",
		"https://a/../b", "https://exa\x00mple", "https://-\u00ad-", "mailto:x", "https://%zz",
	} {
		_, err := NewClient(Config{Server: server})
		if e := asError(t, err); e.Phase != PhaseConfig || strings.Contains(e.Error(), "hunter2") {
			t.Errorf("%q: %v", server, err)
		}
	}
}

func TestCredentials(t *testing.T) {
	broken := errors.New("the disk is full")
	token := func(s string, err error) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return s, err }
	}
	for _, test := range []struct {
		name string
		cfg  Config
		want string // of Authorization
		fail string
	}{
		{"none", Config{}, "", ""},
		{"token", Config{Token: token("abc.def-_~+/=", nil)}, "Bearer abc.def-_~+/=", ""},
		{"basic", Config{Username: "user", Password: "pass:word"}, "Basic dXNlcjpwYXNzOndvcmQ=", ""},
		{"token before basic", Config{Token: token("abc", nil), Username: "user"}, "Bearer abc", ""},
		{"empty token", Config{Token: token("", nil)}, "", "empty"},
		{"token with a line end", Config{Token: token("abc\r\nX: y", nil)}, "", "line end"},
		{"token with a space", Config{Token: token("abc def", nil)}, "", "space"},
		{"no token", Config{Token: token("", broken)}, "", "disk is full"},
	} {
		if test.fail == "" {
			if got := sent(t, test.cfg, Request{Path: "/"}).Header.Get("Authorization"); got != test.want {
				t.Errorf("%s: %q", test.name, got)
			}
			continue
		}
		c := scripted(t, test.cfg)
		_, err := c.Do(t.Context(), Request{Path: "/"})
		if e := asError(t, err); e.Phase != PhaseAuth || !strings.Contains(e.Error(), test.fail) || strings.Contains(e.Error(), "abc") || c.Stats().Dials != 0 {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestCredentialsTravelInTheClearToLoopbackOnly(t *testing.T) {
	for server, allowed := range map[string]bool{
		"http://127.0.0.1": true, "http://127.9.9.9:1": true, "http://[::1]:8080": true, "http://localhost:8080": true, "http://x.localhost": true,
		"http://[::ffff:127.0.0.1]": true, "https://api.example": true,
		"http://api.example": false, "http://10.0.0.1": false, "http://localhost.example": false, "http://0.0.0.0": false, "http://[::]": false,
	} {
		for _, cfg := range []Config{{Token: fixedToken("t")}, {Username: "u", Password: "p"}} {
			cfg.Server = server
			if _, err := NewClient(cfg); (err == nil) != allowed {
				t.Errorf("%s: %v", server, err)
			}
			cfg.AllowTokenOverHTTP = true
			if _, err := NewClient(cfg); err != nil {
				t.Errorf("%s: %v", server, err)
			}
		}
		if _, err := NewClient(Config{Server: server}); err != nil {
			t.Errorf("%s without credentials: %v", server, err)
		}
	}
}

func TestARejectedTokenIsReported(t *testing.T) {
	var rejected []string
	cfg := Config{Token: fixedToken("old"), TokenRejected: func(token string) { rejected = append(rejected, token) }}
	for code, want := range map[string]int{"401": 1, "403": 0, "200": 0} {
		rejected = nil
		s := newScript(errSilent, []byte("HTTP/1.1 "+code+" X\r\nContent-Length: 0\r\n\r\n"))
		fetch(t, scripted(t, cfg, s), Request{Path: "/"})
		if len(rejected) != want || (want == 1 && rejected[0] != "old") {
			t.Errorf("%s: %q", code, rejected)
		}
		if strings.Count(s.written(), "GET /") != 1 {
			t.Errorf("%s: the request was repeated", code)
		}
	}
}

func TestAUserAgentWithALineEndIsRefused(t *testing.T) {
	if _, err := NewClient(Config{Server: "https://api.example", UserAgent: "a\r\nb"}); err == nil {
		t.Error("accepted")
	}
}

func TestQueryIsEncodedAsURLValuesAre(t *testing.T) {
	for _, q := range []url.Values{nil, {"b": {"1", "2"}, "a": {"x y&z=ü"}, "": {""}, "none": {}}, {"labelSelector": {"app in (a,b)"}, "continue": {"e30="}}} {
		if got := encodeQuery(q); got != q.Encode() {
			t.Errorf("encodeQuery = %q, want %q", got, q.Encode())
		}
	}
}
