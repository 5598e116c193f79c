package rest

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/status"
)

// vectors returns a file of the shared vectors, which lie beside the project or where RAWWATCH_VECTORS points.
func vectors(t *testing.T, name string) []byte {
	t.Helper()
	root := os.Getenv("RAWWATCH_VECTORS")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Skipf("vectors not there (set RAWWATCH_VECTORS): %v", err)
	}
	return data
}

// compareWithNetHTTP holds an accepted response to net/http's reading of the same bytes: what we accept it accepts, with the same code, the
// same fields and the same body. It reports whether we accepted.
func compareWithNetHTTP(t testing.TB, raw []byte, method string) bool {
	t.Helper()
	ours := answer(t, Request{Method: method, Path: "/"}, io.EOF, bytes.Clone(raw))
	var refused *status.Error
	var redirect *RedirectError
	switch {
	case ours.Err == nil:
	case errors.As(ours.Err, &refused):
		ours.Code = refused.Code
	case errors.As(ours.Err, &redirect):
		ours.Code = redirect.Code
	default:
		return false
	}
	br := bufio.NewReader(bytes.NewReader(raw))
	for {
		theirs, err := http.ReadResponse(br, &http.Request{Method: method})
		if err != nil {
			if bodyless := method == "HEAD" || ours.Code == 204 || ours.Code == 304; bodyless {
				return true // fields about a body that cannot be there
			}
			t.Fatalf("%q: accepted with code %d, net/http refuses: %v", raw, ours.Code, err)
		}
		if theirs.StatusCode/100 == 1 {
			continue
		}
		if theirs.StatusCode != ours.Code {
			t.Fatalf("%q: code %d, net/http says %d", raw, ours.Code, theirs.StatusCode)
		}
		if ours.Err != nil {
			return true
		}
		body, err := io.ReadAll(theirs.Body)
		if err != nil && strings.Contains(err.Error(), "invalid byte in chunk length") && (bytes.Contains(raw, []byte(" ;")) || bytes.Contains(raw, []byte("\t;"))) {
			return true // blanks before a semicolon, which the grammar has: see testdata/nethttp.txt
		}
		if err != nil || string(body) != ours.Body {
			t.Fatalf("%q: body %q, net/http says %q, %v", raw, ours.Body, body, err)
		}
		compareFields(t, raw, ours.Header, theirs.Header)
		return true
	}
}

// compareFields: net/http takes the framing fields out and writes names its way; folds of nothing but blanks it joins with more than one space.
func compareFields(t testing.TB, raw []byte, ours Header, theirs http.Header) {
	t.Helper()
	seen := make(http.Header)
	for _, f := range ours {
		seen.Add(f.Name, f.Value)
	}
	for name, values := range theirs {
		got := seen[http.CanonicalHeaderKey(name)]
		if len(got) != len(values) && name != "Content-Length" {
			t.Fatalf("%q: field %s is %q, net/http says %q", raw, name, got, values)
		}
		for i := range values {
			if strings.Join(strings.Fields(got[i]), " ") != strings.Join(strings.Fields(values[i]), " ") {
				t.Fatalf("%q: field %s is %q, net/http says %q", raw, name, got[i], values[i])
			}
		}
	}
	for name := range seen {
		if _, ok := theirs[name]; !ok && name != "Transfer-Encoding" && name != "Connection" && name != "Content-Length" && name != "Trailer" {
			t.Fatalf("%q: net/http has no field %s", raw, name)
		}
	}
}

func TestWhatTheTableAcceptsNetHTTPReadsTheSame(t *testing.T) {
	accepted := 0
	for _, row := range verdicts(t) {
		switch row.name {
		case "more than the length", "another response after the length": // the rest is another message to both
		case "extension of 8 KB":
			continue
		}
		if row.end != errSilent && row.end != io.EOF {
			continue
		}
		if compareWithNetHTTP(t, row.raw, row.method) {
			accepted++
		}
	}
	if accepted < 60 {
		t.Errorf("only %d rows were accepted by both", accepted)
	}
}

// llhttp's fixtures: whatever its strict mode refuses in a response we refuse too, or the difference is named here.
func TestLLHTTPFixtures(t *testing.T) {
	var file struct {
		Cases []struct {
			File, Name, Error string
			Raw               string `json:"raw_base64"`
			Meta              struct{ Type string }
			Complete          int
		}
	}
	if err := json.Unmarshal(vectors(t, "http/llhttp-response.json"), &file); err != nil {
		t.Fatal(err)
	}
	// llhttp reads on after the message and complains about what comes there; we end the connection, with the first response intact.
	afterwards := []string{"Data after `Connection: close`", "Expected HTTP/"}
	accepted, refused := 0, 0
	for _, c := range file.Cases {
		raw, err := base64.StdEncoding.DecodeString(c.Raw)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(c.File+"/"+c.Name, func(t *testing.T) {
			if !compareWithNetHTTP(t, raw, "GET") {
				refused++
				return
			}
			accepted++
			if c.Meta.Type != "response" || c.Error == "" {
				return
			}
			for _, e := range afterwards {
				if strings.Contains(c.Error, e) && c.Complete > 0 {
					return
				}
			}
			t.Errorf("accepted, llhttp refuses: %s\n%q", c.Error, raw)
		})
	}
	t.Logf("%d fixtures accepted, %d refused", accepted, refused)
}

// The browsers' Content-Length cases, for a body of 42 bytes and a close. Where a browser treats a bad value as absent we refuse.
func TestContentLengthFixturesOfBrowsers(t *testing.T) {
	var file struct {
		Cases []struct {
			Input  string
			Output *int
		}
	}
	if err := json.Unmarshal(vectors(t, "http/wpt-content-length.json"), &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		raw := "HTTP/1.1 200 OK\r\n" + c.Input + "\r\n\r\n" + strings.Repeat("b", 42)
		compareWithNetHTTP(t, []byte(raw), "GET")
		o := answer(t, Request{Path: "/"}, io.EOF, []byte(raw))
		if o.Err != nil {
			if e := asError(t, o.Err); !e.Protocol() && !errors.Is(e, io.ErrUnexpectedEOF) {
				t.Errorf("%q: %v", c.Input, o.Err)
			}
			continue
		}
		if c.Output == nil || len(o.Body) != *c.Output {
			t.Errorf("%q: a body of %d bytes, browsers say %v", c.Input, len(o.Body), c.Output)
		}
	}
}
