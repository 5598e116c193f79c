package fakeapi

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const partialPod = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","namespace":"default","uid":"u-a","resourceVersion":"2","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"}}}`

// What client-go's metadata client asks for.
const (
	acceptPartial     = "Accept: application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
	acceptPartialList = "Accept: application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
	acceptTable       = "Accept: application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
)

func TestPartialObjectMetadata(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("pods", pod("a", `"app":"x"`)))
		k.want("an object", k.get(podsPath+"/a", acceptPartial), 200, partialPod)
		k.want("a list", k.get("/api/v1/pods", acceptPartialList), 200,
			`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"2"},"items":[`+partialPod+`]}`)
		k.want("an empty list", k.get("/api/v1/secrets", acceptPartialList), 200,
			`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"2"},"items":[]}`)
		w := k.watch("/api/v1/pods?watch=1&allowWatchBookmarks=1", acceptPartial)
		if f := w.next(); f.Type != "ADDED" || string(f.Object) != partialPod {
			t.Errorf("an event: %s %s", f.Type, f.Object)
		}
		if f := w.next(); string(f.Object) != `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"2","annotations":{"k8s.io/initial-events-end":"true"}}}` {
			t.Errorf("the marker: %s", f.Object)
		}
		k.wantStatus("a list as one object", k.get("/api/v1/pods", acceptPartial), 406, "NotAcceptable", "the requested object is a list")
		k.wantStatus("an object as a list", k.get(podsPath+"/a", acceptPartialList), 406, "NotAcceptable", "the requested object is not a list")
		k.Register(widgets)
		k.must(k.Create("widgets.example.com", `{"metadata":{"name":"w"}}`))
		k.wantStatus("a custom object as a list", k.get(widgetsPath+"/w", acceptPartialList), 500, "", "content is not a list")
		// The real server notices at the first event that it is no list.
		k.want("events as lists", k.get("/api/v1/pods?watch=1", acceptPartialList), 200, "")
		k.wantStatus("a table of nonsense", k.get("/api/v1/pods?includeObject=x", acceptTable), 400, "BadRequest", `Unable to convert to Table as requested: includeObject: Invalid value: "x": must be 'Metadata', 'Object', 'None', or empty`)
		k.want("an error stays a Status", k.get(podsPath+"/x", acceptPartial), 404,
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \"x\" not found","reason":"NotFound","details":{"name":"x","kind":"pods"},"code":404}`)
		if a := k.do("POST", podsPath, `{"metadata":{"name":"n"}}`, acceptPartial); !strings.HasPrefix(a.body, `{"kind":"PartialObjectMetadata"`) {
			t.Errorf("a write: %s", a.body)
		}
		k.wantStatus("a write", k.do("POST", podsPath, `{"metadata":{"name":"m"}}`, acceptPartialList), 406, "NotAcceptable", "")
		k.wantStatus("a deletion", k.do("DELETE", podsPath+"/n", ``, acceptPartialList), 406, "NotAcceptable", "")
		k.wantStatus("deletions", k.do("DELETE", podsPath, ``, acceptPartial), 406, "NotAcceptable", "")
	})
}

func TestTable(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("pods", pod("a", `"app":"x"`)))
		definitions := `[{"name":"Name","type":"string","format":"name","description":"Name must be unique within a namespace.","priority":0},{"name":"Created At","type":"date","format":"","description":"CreationTimestamp is the time at which the object was created.","priority":0}]`
		row := `{"cells":["a","2000-01-01T00:00:00Z"],"object":` + partialPod + `}`
		k.want("a list", k.get("/api/v1/pods", acceptTable), 200,
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"2"},"columnDefinitions":`+definitions+`,"rows":[`+row+`]}`)
		k.want("an object, bare", k.get(podsPath+"/a?includeObject=None", acceptTable), 200,
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"2"},"columnDefinitions":`+definitions+`,"rows":[{"cells":["a","2000-01-01T00:00:00Z"],"object":null}]}`)
		if a := k.get(podsPath+"/a?includeObject=Object", acceptTable); !strings.Contains(a.body, `"object":{"kind":"Pod",`) {
			t.Errorf("with the object: %s", a.body)
		}
		w := k.watch("/api/v1/pods?watch=1&allowWatchBookmarks=1&includeObject=None", acceptTable)
		if f := w.next(); !strings.Contains(string(f.Object), `"columnDefinitions":[{`) {
			t.Errorf("the first event has the columns: %s", f.Object)
		}
		if f := w.next(); !strings.Contains(string(f.Object), `"columnDefinitions":null`) || !strings.Contains(string(f.Object), "initial-events-end") {
			t.Errorf("later ones have not, and the marker is never left out: %s", f.Object)
		}
	})
}

func TestNegotiation(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("pods", pod("a", "")))
		// The router in front of built-in resources has a list of its own.
		for _, accept := range []string{"application/*", "text/html", "/"} {
			k.wantStatus(accept, k.get("/api/v1/pods", "Accept: "+accept), 406, "NotAcceptable", "406: Not Acceptable\n\nAvailable representations: application/json")
		}
		k.Register(widgets)
		if a := k.get(widgetsPath, "Accept: application/*"); a.code != 200 {
			t.Errorf("custom: %d", a.code)
		}
		k.wantStatus("custom", k.get(widgetsPath, "Accept: text/html"), 406, "NotAcceptable", "only the following media types are accepted: application/json")
		for accept, code := range map[string]int{
			"application/json":              200,
			"*/*":                           200,
			"application/json;stream=watch": 200,
			"application/vnd.kubernetes.protobuf,application/json": 200,
			"application/vnd.kubernetes.protobuf, */*;q=0.1":       200,
			"application/json;q=0.9,application/cbor;q=1":          200,
			"application/vnd.kubernetes.protobuf":                  406,
			"application/yaml":                                     406,
			"application/json;stream=x":                            406,
			"application/json;as=Nonsense;g=meta.k8s.io;v=v1":      406,
			"application/json;as=Table;g=meta.k8s.io;v=v2":         406,
			"application/json;as=Table;g=x;v=v1":                   406,
			"application/json;as=Table;g=x;v=v1,application/json":  200,
			"application/json;q=0.1,application/json;as=X;g=y;v=z": 200,
			"application/json;as=PartialObjectMetadata;v=v1":       406,
			"application/json;g=meta.k8s.io;v=v1":                  406,
			"application/yaml;q=0.5,application/json;q=nonsense":   200,
		} {
			for _, path := range []string{podsPath + "/a", "/api/v1/pods", "/api/v1/pods?watch=1&timeoutSeconds=1"} {
				a := k.get(path, "Accept: "+accept)
				if a.code != code || a.header.Get("Content-Type") != "application/json" {
					t.Errorf("%s as %s: %d %s %s", path, accept, a.code, a.header.Get("Content-Type"), a.body)
				}
				if code == 406 {
					k.wantStatus(accept, a, 406, "NotAcceptable", "only the following media types are accepted: application/json")
				}
			}
		}
		for _, headers := range [][]string{{"User-Agent: curl/8"}, {"Accept: application/json;pretty=1"}} {
			if a := k.get(podsPath+"/a", headers...); !strings.HasPrefix(a.body, "{\n  \"kind\": \"Pod\",\n") {
				t.Errorf("for people: %s", a.body)
			}
		}
		if a := k.get(podsPath + "/a?pretty=true"); !strings.HasPrefix(a.body, "{\n  \"kind\"") {
			t.Errorf("pretty=true: %s", a.body)
		}
		if a := k.get(podsPath+"/a?pretty=0", "User-Agent: curl/8"); !strings.HasPrefix(a.body, `{"kind"`) {
			t.Errorf("pretty=0: %s", a.body)
		}
	})
}

// Lists over 128 KiB are compressed for those who ask (KEP-1040's threshold),
// nothing else is.
func TestLongAnswersAreCompressed(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("configmaps", `{"metadata":{"name":"small"}}`))
		if a := k.get("/api/v1/configmaps", "Accept-Encoding: gzip"); a.header.Get("Content-Encoding") != "" {
			t.Errorf("a short list: %v", a.header)
		}
		k.must(k.Create("configmaps", map[string]any{"metadata": map[string]any{"name": "big"}, "data": map[string]any{"x": strings.Repeat("x", 128<<10)}}))
		plain := k.get("/api/v1/configmaps")
		if plain.header.Get("Content-Encoding") != "" {
			t.Errorf("unasked: %v", plain.header)
		}
		if a := k.get("/api/v1/configmaps", "Accept-Encoding: identity, br"); a.header.Get("Content-Encoding") != "" {
			t.Errorf("asked for others: %v", a.header)
		}
		a := k.get("/api/v1/configmaps", "Accept-Encoding: br, gzip;q=1.0")
		if a.header.Get("Content-Encoding") != "gzip" || a.header.Get("Vary") != "Accept-Encoding" {
			t.Fatalf("asked for: %v", a.header)
		}
		z, err := gzip.NewReader(strings.NewReader(a.body))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(z); err != nil || string(b) != plain.body {
			t.Errorf("unpacks to %d bytes of %d, %v", len(b), len(plain.body), err)
		}
	})
	bubble(t, Options{CompressOver: -1}, func(k *kit) {
		k.must(k.Create("configmaps", map[string]any{"metadata": map[string]any{"name": "big"}, "data": map[string]any{"x": strings.Repeat("x", 128<<10)}}))
		for _, path := range []string{"/api/v1/configmaps", "/api/v1/configmaps?watch=1&allowWatchBookmarks=1&timeoutSeconds=1"} {
			if a := k.get(path, "Accept-Encoding: gzip"); a.header.Get("Content-Encoding") != "" {
				t.Errorf("off: %v", a.header)
			}
		}
	})
}

// A watch-list may be compressed for all its life, one gzip member per flush:
// a client must not wait for the next member to show the last.
func TestWatchListIsCompressedPerFlush(t *testing.T) {
	bubble(t, Options{}, func(k *kit) {
		k.must(k.Create("pods", pod("a", "")))
		k.must(k.Create("pods", pod("b", "")))
		r := k.open("GET", "/api/v1/pods?watch=1&allowWatchBookmarks=1", "", "Accept-Encoding: gzip")
		defer r.Body.Close()
		if r.Header.Get("Content-Encoding") != "gzip" || r.Header.Get("Vary") != "Accept-Encoding" {
			t.Fatalf("head %v", r.Header)
		}
		body := bufio.NewReader(r.Body) // an io.ByteReader: gzip does not read ahead
		z, err := gzip.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		member := func() (types []string) {
			z.Multistream(false)
			b, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			for d := json.NewDecoder(bytes.NewReader(b)); d.More(); {
				var f frame
				if err := d.Decode(&f); err != nil {
					t.Fatal(err)
				}
				types = append(types, f.String())
			}
			return types
		}
		got := [][]string{member()}
		k.must(k.Create("pods", pod("c", "")))
		if err := z.Reset(body); err != nil {
			t.Fatal(err)
		}
		got = append(got, member())
		k.CloseWatches()
		if diff := cmp.Diff([][]string{{"ADDED a 2", "ADDED b 3", "BOOKMARK+ 3"}, {"ADDED c 4"}}, got); diff != "" {
			t.Error(diff)
		}
		if err := z.Reset(body); err != io.EOF {
			t.Errorf("after the last member: %v", err)
		}
		for _, path := range []string{"/api/v1/pods?watch=1&resourceVersion=3&allowWatchBookmarks=1", "/api/v1/pods?watch=1"} {
			r := k.open("GET", path, "", "Accept-Encoding: gzip")
			r.Body.Close()
			if r.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s is compressed", path)
			}
		}
	})
}
