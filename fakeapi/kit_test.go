package fakeapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kit is a server and a net/http client to it.
type kit struct {
	*testing.T
	*Server
	client *http.Client
}

// bubble runs a test against a server in memory, under a fake clock that
// begins at 2000-01-01T00:00:00Z.
func bubble(t *testing.T, o Options, test func(k *kit)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := New(o)
		defer s.Close()
		test(&kit{t, s, s.HTTPClient()})
	})
}

// widgets is a custom resource.
var widgets = Resource{
	Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true,
	ShortNames: []string{"wd"}, SelectableFields: []string{".spec.color"}, Status: true,
}

type answer struct {
	code   int
	header http.Header
	body   string
}

// do sends a request; headers are "Name: value".
func (k *kit) do(method, path, body string, headers ...string) answer {
	k.Helper()
	r := k.open(method, path, body, headers...)
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		k.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{r.StatusCode, r.Header, string(b)}
}

func (k *kit) open(method, path, body string, headers ...string) *http.Response {
	k.Helper()
	r, err := k.client.Do(k.request(method, path, body, headers...))
	if err != nil {
		k.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

func (k *kit) request(method, path, body string, headers ...string) *http.Request {
	k.Helper()
	q, err := http.NewRequestWithContext(k.Context(), method, k.URL()+path, strings.NewReader(body))
	if err != nil {
		k.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		q.Header.Add(name, value)
	}
	return q
}

func (k *kit) get(path string, headers ...string) answer {
	k.Helper()
	return k.do("GET", path, "", headers...)
}

// want checks a whole answer.
func (k *kit) want(why string, got answer, code int, body string) {
	k.Helper()
	if got.code != code || strings.TrimSuffix(got.body, "\n") != body {
		k.Errorf("%s:\n got %d %s\nwant %d %s", why, got.code, got.body, code, body)
	}
}

// wantStatus checks that an answer is a Status with this code, reason and
// part of a message.
func (k *kit) wantStatus(why string, got answer, code int, reason, message string) {
	k.Helper()
	var s struct {
		Kind, APIVersion, Status, Reason, Message string
		Code                                      int
	}
	if err := json.Unmarshal([]byte(got.body), &s); err != nil {
		k.Errorf("%s: %v in %d %q", why, err, got.code, got.body)
		return
	}
	if got.code != code || s.Code != code || s.Kind != "Status" || s.APIVersion != "v1" || s.Status != "Failure" || s.Reason != reason || !strings.Contains(s.Message, message) {
		k.Errorf("%s:\n got %d %s\nwant %d %s ...%s...", why, got.code, got.body, code, reason, message)
	}
}

// must unwraps a direct write.
func (k *kit) must(o Object, err error) Object {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
	return o
}

// pod makes a small pod of known bytes: everything the server would choose by
// chance is given.
func pod(name, labels string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"namespace":"default","uid":"u-%s","labels":{%s}}}`, name, name, labels)
}

// list is what a list answer holds, whatever its kind.
type list struct {
	Kind     string
	Metadata struct {
		ResourceVersion, Continue string
		RemainingItemCount        *int
	}
	Items []struct {
		Kind, APIVersion string
		Metadata         struct{ Namespace, Name, ResourceVersion string }
	}
}

func (k *kit) list(path string) list {
	k.Helper()
	a := k.get(path)
	if a.code != 200 {
		k.Fatalf("GET %s: %d %s", path, a.code, a.body)
	}
	var l list
	if err := json.Unmarshal([]byte(a.body), &l); err != nil {
		k.Fatal(err)
	}
	return l
}

func (l list) names() string {
	var names []string
	for _, i := range l.Items {
		names = append(names, i.Metadata.Name)
	}
	return strings.Join(names, " ")
}

// stream is an open watch.
type testStream struct {
	k    *kit
	r    *http.Response
	d    *json.Decoder
	path string
}

func (k *kit) watch(path string, headers ...string) *testStream {
	k.Helper()
	r := k.open("GET", path, "", headers...)
	if r.StatusCode != 200 {
		b, _ := io.ReadAll(r.Body)
		k.Fatalf("GET %s: %s %s", path, r.Status, b)
	}
	return &testStream{k: k, r: r, d: json.NewDecoder(r.Body), path: path}
}

type frame struct {
	Type   string
	Object json.RawMessage
}

// String is TYPE NAME VERSION, with + for the marker; an error is TYPE CODE
// MESSAGE.
func (f frame) String() string {
	var o struct {
		Metadata struct {
			Name, ResourceVersion string
			Annotations           map[string]string
		}
		Code    int
		Message string
	}
	if err := json.Unmarshal(f.Object, &o); err != nil {
		return err.Error()
	}
	m := o.Metadata
	switch {
	case f.Type == "ERROR":
		return fmt.Sprintf("ERROR %d %s", o.Code, o.Message)
	case f.Type == "BOOKMARK" && m.Annotations["k8s.io/initial-events-end"] == "true":
		return "BOOKMARK+ " + m.ResourceVersion
	case f.Type == "BOOKMARK":
		return "BOOKMARK " + m.ResourceVersion
	}
	return f.Type + " " + m.Name + " " + m.ResourceVersion
}

func (s *testStream) next() frame {
	s.k.Helper()
	var f frame
	if err := s.d.Decode(&f); err != nil {
		s.k.Fatalf("%s: %v", s.path, err)
	}
	return f
}

// want reads as many frames as it is given.
func (s *testStream) want(why string, frames ...string) {
	s.k.Helper()
	for i, w := range frames {
		if got := s.next().String(); got != w {
			s.k.Errorf("%s: frame %d is %q, want %q", why, i, got, w)
		}
	}
}

// wantIdle checks that nothing arrives before all goroutines wait for time.
func (s *testStream) wantIdle(why string) {
	s.k.Helper()
	got := make(chan error, 1)
	var f frame
	go func() { got <- s.d.Decode(&f) }()
	synctest.Wait()
	select {
	case err := <-got:
		s.k.Errorf("%s: got %v %v", why, f, err)
	default:
	}
	s.r.Body.Close()
	<-got
}

// wantEnd checks that the body ends here, complete or cut.
func (s *testStream) wantEnd(why string, want error) {
	s.k.Helper()
	var f frame
	err := s.d.Decode(&f)
	if err == nil {
		s.k.Errorf("%s: got %v", why, f)
		return
	}
	rest, readErr := io.ReadAll(s.r.Body)
	if readErr == nil {
		readErr = io.EOF
	}
	if !errors.Is(readErr, want) && !errors.Is(err, want) || len(bytes.TrimSpace(rest)) > 0 {
		s.k.Errorf("%s: ended with %v, %v after %q, want %v", why, err, readErr, rest, want)
	}
}

func version(v uint64) string { return strconv.FormatUint(v, 10) }

// took measures f on the bubble's clock.
func took(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}
