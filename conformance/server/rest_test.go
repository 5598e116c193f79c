package server

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/conformance/cluster"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
)

// read performs a GET and returns the whole body.
func read(t *testing.T, c *rest.Client, r rest.Request) ([]byte, *rest.Response) {
	t.Helper()
	response, err := c.Do(cluster.Deadline(t, 30*time.Second), r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body, response
}

// Bodies of every framing and coding the server uses arrive as net/http gets
// them, byte for byte.
func TestBodiesAreWhatNetHTTPReads(t *testing.T) {
	c := sharedCluster(t)
	w := witness(t, c)
	ns := namespace(t, w, "bodies")
	for i := range 60 { // more than the 128 KiB from which lists are compressed
		must(t, w, "POST", "/api/v1/namespaces/"+ns+"/configmaps",
			fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m%d"},"data":{"text":%q}}`, i, strings.Repeat("<&é😀 ", 500)))
	}
	client := newClient(t, configFor(c, cluster.AdminToken))
	maps := rest.ConfigMaps.Path(ns, "")
	framings := map[string]bool{}
	for _, path := range []string{"/version", "/api", rest.ConfigMaps.Path(ns, "m1"), maps, maps + "?limit=3", maps + "?resourceVersion=0"} {
		want := must(t, w, "GET", path, "")
		path, query, _ := strings.Cut(path, "?")
		request := rest.Request{Path: path}
		if name, value, ok := strings.Cut(query, "="); ok {
			request.Query = map[string][]string{name: {value}}
		}
		for _, gzip := range []bool{false, true} {
			request.Gzip = gzip
			got, response := read(t, client, request)
			if !bytes.Equal(mask(got), mask(want)) {
				t.Errorf("%s gzip=%v: %d bytes differ from net/http's %d", path, gzip, len(got), len(want))
			}
			framings[fmt.Sprintf("%v encoding=%q", response.Framing, response.Header.Get("Content-Encoding"))] = true
			if response.AuditID == "" {
				t.Errorf("%s: no Audit-Id", path)
			}
		}
	}
	t.Logf("seen: %v", framings)
	if len(framings) < 3 {
		t.Errorf("only %v were seen: the test shows too little", framings)
	}
	if s := client.Stats(); s.Dials != 1 || s.InUse != 0 {
		t.Errorf("%+v, want one connection for all requests, free again", s)
	}
}

// mask hides the list's version and token, which change between two requests.
func mask(body []byte) []byte {
	start := bytes.Index(body, []byte(`"metadata":{"resourceVersion":"`))
	if start < 0 || start > 100 {
		return body
	}
	end := start + bytes.IndexByte(body[start:], '}')
	return slices.Concat(body[:start], body[end:])
}

// Every refusal of the server is a status.Error with the server's words.
func TestRefusalsAnswerQuestions(t *testing.T) {
	c := sharedCluster(t)
	w := witness(t, c)
	ns := namespace(t, w, "refusals")
	must(t, w, "POST", "/api/v1/namespaces/"+ns+"/configmaps", `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m"}}`)
	admin := newClient(t, configFor(c, cluster.AdminToken))
	limited := newClient(t, configFor(c, limitedToken))
	unknown := newClient(t, configFor(c, "unknown-token"))
	maps := rest.ConfigMaps.Path(ns, "")
	post := func(body string) rest.Request {
		return rest.Request{Method: "POST", Path: maps, Body: []byte(body), ContentType: "application/json"}
	}
	for name, test := range map[string]struct {
		client  *rest.Client
		request rest.Request
		is      func(error) bool
		words   string
	}{
		"not found":          {admin, rest.Request{Path: rest.Pods.Path(ns, "missing")}, status.IsNotFound, `pods "missing" not found`},
		"unknown resource":   {admin, rest.Request{Path: "/apis/none.example.com/v1/things"}, status.IsNotFound, "404 page not found"},
		"unauthorized":       {unknown, rest.Request{Path: maps}, status.IsUnauthorized, "Unauthorized"},
		"forbidden":          {limited, rest.Request{Path: maps}, status.IsForbidden, `User "limited" cannot list resource "configmaps" in API group "" in the namespace "refusals"`},
		"method not allowed": {admin, rest.Request{Method: "PUT", Path: maps}, status.IsMethodNotAllowed, "does not allow this method"},
		"not acceptable":     {admin, rest.Request{Path: maps, Accept: "text/html"}, status.IsNotAcceptable, "Not Acceptable"},
		"already exists":     {admin, post(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m"}}`), status.IsAlreadyExists, `configmaps "m" already exists`},
		"invalid":            {admin, post(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"Bad_Name"}}`), status.IsInvalid, "metadata.name"},
		"bad request":        {admin, post(`{`), status.IsBadRequest, "unexpected"},
		"unsupported":        {admin, rest.Request{Method: "POST", Path: maps, Body: []byte("x"), ContentType: "text/plain"}, status.IsUnsupportedMediaType, "media type"},
		"conflict": {admin, rest.Request{Method: "PUT", Path: maps + "/m", ContentType: "application/json",
			Body: []byte(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m","resourceVersion":"1"}}`)}, status.IsConflict, "the object has been modified"},
		"too large": {admin, rest.Request{Path: maps, Query: rest.ListOptions{ResourceVersion: "999999999"}.Query()}, status.IsTooLargeResourceVersion, "Too large resource version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := test.client.Do(cluster.Deadline(t, 30*time.Second), test.request)
			if !test.is(err) || !strings.Contains(fmt.Sprint(err), test.words) {
				t.Errorf("%v, want the question answered and %q", err, test.words)
			}
			t.Log(rest.Explain(err))
		})
	}
}

// What the server deprecates is told with the response.
func TestWarningsArrive(t *testing.T) {
	c := sharedCluster(t)
	_, response := read(t, newClient(t, configFor(c, cluster.AdminToken)), rest.Request{Path: rest.Endpoints.Path("default", "")})
	want := []string{"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"}
	if d := cmp.Diff(want, response.Warnings); d != "" {
		t.Errorf("warnings (- want, + got)\n%s", d)
	}
}

// A client certificate is who we are, also when it stands in files that are
// replaced between two connections.
func TestClientCertificates(t *testing.T) {
	c := sharedCluster(t)
	pair, err := c.ClientCertificate("someone", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	config := rest.Config{Server: c.URL(), CAData: c.CA(), CertData: pair.Cert, KeyData: pair.Key}
	read(t, newClient(t, config), rest.Request{Path: rest.Nodes.Path("", "")})

	dir := t.TempDir()
	files := rest.Config{Server: c.URL(), CAData: c.CA(), CertFile: filepath.Join(dir, "crt"), KeyFile: filepath.Join(dir, "key"), IdleConnTimeout: -1}
	writePair(t, files, pair)
	client := newClient(t, files)
	read(t, client, rest.Request{Path: rest.Nodes.Path("", "")})
	nobody, err := c.ClientCertificate("nobody")
	if err != nil {
		t.Fatal(err)
	}
	writePair(t, files, nobody)
	_, err = client.Do(cluster.Deadline(t, 30*time.Second), rest.Request{Path: rest.Nodes.Path("", "")})
	if !status.IsForbidden(err) || !strings.Contains(err.Error(), `User "nobody"`) {
		t.Errorf("%v, want the rotated certificate's user to be refused", err)
	}
}

func writePair(t *testing.T, c rest.Config, pair cluster.KeyPair) {
	for path, content := range map[string][]byte{c.CertFile: pair.Cert, c.KeyFile: pair.Key} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A certificate that our authorities did not sign is refused before anything
// is sent, and the explanation names the remedy.
func TestUntrustedServersGetNothing(t *testing.T) {
	c := sharedCluster(t)
	other, _, err := cluster.Certificates()
	if err != nil {
		t.Fatal(err)
	}
	config := configFor(c, cluster.AdminToken)
	config.CAData = other
	_, err = newClient(t, config).Do(cluster.Deadline(t, 30*time.Second), rest.Request{Path: "/version"})
	if err == nil {
		t.Fatal("trusted")
	}
	t.Log(rest.Explain(err))
	config = configFor(c, cluster.AdminToken)
	config.TLSServerName = "other.example.com"
	_, err = newClient(t, config).Do(cluster.Deadline(t, 30*time.Second), rest.Request{Path: "/version"})
	if err == nil {
		t.Fatal("trusted under another name")
	}
	t.Log(rest.Explain(err))
}
