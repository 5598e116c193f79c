package fuzz

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	kubernetes "k8s.io/apimachinery/pkg/util/json"

	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// FuzzMetadata: an object's metadata and its labels, read past everything else, are what Kubernetes' decoder finds.
func FuzzMetadata(f *testing.F) {
	for _, raw := range []string{
		`{"metadata":{"name":"a","namespace":"b","uid":"c","resourceVersion":"1","generation":9223372036854775807,"labels":{"a":"b","\u0061":"c","":"\ud800"},"annotations":{"x":"y"},"finalizers":["f"],"ownerReferences":[{"kind":"K","controller":true}]}}`,
		`{"metadata":{"labels":{"a":"1"}},"metadata":{"labels":{"b":"2"}}}`, `{"metadata":null,"labels":{"a":"b"}}`, `{"spec":{"metadata":{"labels":{"a":"b"}}},"metadata":{"labels":null}}`,
		`{"metadata":{"labels":{"a":"1","a":"2"},"creationTimestamp":"2026-01-01T00:00:00Z","deletionTimestamp":null}}`, `{"metadata":{"labels":{"a":1}}}`, `{"metadata":{"generation":1.5}}`, `{}`,
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > 32<<10 || !json.Valid(raw) {
			return
		}
		var want struct {
			Metadata watchdecoder.Metadata `json:"metadata"`
		}
		wantErr := kubernetes.Unmarshal(raw, &want)
		var got *watchdecoder.Metadata
		var err error
		cost(t, "metadata", len(raw), limit{64, 96 << 10}, func() { got, err = watchdecoder.MetadataObject().Decode(raw) })
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, Kubernetes' decoder says %v", raw, err, wantErr)
		}
		if err == nil && !reflect.DeepEqual(*got, want.Metadata) {
			t.Fatalf("%q:\n%s", raw, cmp.Diff(want.Metadata, *got))
		}
		if err != nil || len(raw) == 0 {
			return
		}
		labels, twice := map[string]string{}, false
		var n steps
		for key, value := range watchdecoder.Labels(raw) {
			n.add(t, "labels", len(raw), 1, 1)
			_, seen := labels[string(key)]
			twice = twice || seen
			labels[strings.ToValidUTF8(string(key), "\ufffd")] = strings.ToValidUTF8(string(value), "\ufffd")
		}
		if bytes.Count(raw, []byte("metadata")) == 1 && bytes.Count(raw, []byte("labels")) == 1 && !bytes.Contains(raw, []byte(`\u`)) && bytes.Equal(raw, bytes.ToValidUTF8(raw, nil)) && !twice &&
			!bytes.Contains(raw, []byte("null")) && !maps.Equal(labels, want.Metadata.Labels) {
			t.Fatalf("%q: labels %q, want %q", raw, labels, want.Metadata.Labels)
		}
	})
}

// FuzzListOptions: the parameters of a list or watch come back, as they were, from the request that net/http reads off the wire; nothing of them gets out of the
// query.
func FuzzListOptions(f *testing.F) {
	f.Add("app=web,tier in (a,b)", "metadata.name=x", "12", "NotOlderThan", "token==", int64(500), int64(60), true, uint8(1))
	f.Add("a&b=c#d", "\r\nHost: evil", " ", "%00", "\x00\xff", int64(-1), int64(0), false, uint8(2))
	f.Fuzz(func(t *testing.T, label, field, version, match, token string, limit, timeout int64, watch bool, initial uint8) {
		o := rest.ListOptions{
			LabelSelector: label, FieldSelector: field, ResourceVersion: version, ResourceVersionMatch: match, Continue: token, Limit: limit, TimeoutSeconds: timeout,
			Watch: watch, AllowWatchBookmarks: watch,
		}
		if initial%3 > 0 {
			sends := initial%3 == 1
			o.SendInitialEvents = &sends
		}
		var got *http.Request
		s := &server{answer: func(r *http.Request) io.Reader {
			got = r
			return strings.NewReader("HTTP/1.1 204 X\r\n\r\n")
		}}
		r, err := s.client(t, rest.Config{MaxIdleConns: -1}).Do(context.Background(), rest.Request{Path: "/api/v1/pods", Query: o.Query()})
		if err != nil {
			t.Fatalf("%+v: %v", o, err)
		}
		r.Body.Close()
		if got.URL.Path != "/api/v1/pods" || got.Host != "127.0.0.1" || s.conns != 1 {
			t.Fatalf("%+v became a request for %s at %s", o, got.URL, got.Host)
		}
		want := url.Values{}
		for name, value := range map[string]string{"labelSelector": label, "fieldSelector": field, "resourceVersion": version, "resourceVersionMatch": match, "continue": token} {
			if value != "" {
				want.Set(name, value)
			}
		}
		for name, value := range map[string]int64{"limit": limit, "timeoutSeconds": timeout} {
			if value != 0 {
				want.Set(name, fmt.Sprint(value))
			}
		}
		if watch {
			want.Set("watch", "1")
			want.Set("allowWatchBookmarks", "1")
		}
		if o.SendInitialEvents != nil {
			want.Set("sendInitialEvents", fmt.Sprint(*o.SendInitialEvents))
		}
		seen := got.URL.Query()
		for _, name := range []string{"watch", "allowWatchBookmarks"} {
			if seen.Get(name) == "true" {
				seen.Set(name, "1")
			}
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Fatalf("(-want +sent):\n%s", diff)
		}
	})
}

const canary = "canary-7f3a9c"

// FuzzRedaction: a kubeconfig with secrets wherever one can stand, and anything at all around them, is loaded, used, refused and printed in every way there is.
// No output holds a secret.
func FuzzRedaction(f *testing.F) {
	f.Add("https://10.0.0.1", "dev", "default", "", uint16(1))
	f.Add("http://127.0.0.1:80/x", "a: b", "n\n", "https://proxy:3128", uint16(2))
	f.Add("https://user@host", "\x00", "", "socks5://x", uint16(4))
	f.Add("://", "{", "&a [*a,*a]", "%zz", uint16(0xffff))
	folder := f.TempDir()
	// A path is no secret, and an error names it; what the file holds is one, whether or not it can be a token.
	files := []string{filepath.Join(folder, "token"), filepath.Join(folder, "no-token")}
	for i, content := range []string{canary, canary + "\x01\n" + canary} {
		if err := os.WriteFile(files[i], []byte(content), 0o600); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, address, user, namespace, proxy string, secrets uint16) {
		if len(address)+len(user)+len(namespace)+len(proxy) > 1<<10 || strings.Contains(address+user+namespace+proxy, canary) {
			return
		}
		quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
		var fields []string
		for i, field := range []string{"token: ", "password: ", "username: x\n    password: ", "client-key-data: ", "", "auth-provider: {name: a, config: {access-token: ", "exec: {command: a, env: [{name: T, value: "} {
			if secrets>>i&1 == 0 {
				continue
			}
			if field == "" {
				fields = append(fields, "    tokenFile: "+quote(files[secrets>>10&1])+"\n")
				continue
			}
			fields = append(fields, "    "+field+quote(canary)+map[int]string{5: "}}", 6: "}]}"}[i]+"\n")
		}
		if secrets>>8&1 == 1 && strings.Contains(proxy, "://") {
			proxy = strings.Replace(proxy, "://", "://u:"+canary+"@", 1)
		}
		if secrets>>9&1 == 1 && strings.Contains(address, "://") {
			address = strings.Replace(address, "://", "://u:"+canary+"@", 1)
		}
		text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts:\n- name: c\n  context: {cluster: k, user: %s, namespace: %s}\nclusters:\n- name: k\n  cluster: {server: %s, proxy-url: %s}\nusers:\n- name: %s\n  user:\n%s",
			quote(user), quote(namespace), quote(address), quote(proxy), quote(user), strings.Join(fields, ""))
		path := filepath.Join(folder, fmt.Sprint("config", os.Getpid()))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		config, err := rest.LoadConfig(rest.LoadOptions{Kubeconfig: path, Env: func(string) string { return "" }})
		noCanary(t, "the error of LoadConfig", err)
		if err != nil {
			return
		}
		noCanary(t, "the configuration", config, &config)
		config.Dial = nil
		c, err := rest.NewClient(config)
		noCanary(t, "the error of NewClient", err)
		if err != nil {
			return
		}
		defer c.Close()
		noCanary(t, "the client", c)
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_, err = c.Do(ended, rest.Request{Path: "/" + user})
		noCanary(t, "the error of Do", err)
	})
}

// noCanary prints values in every way, and looks for the secret in it, as it is and in base64.
func noCanary(t *testing.T, what string, values ...any) {
	t.Helper()
	for _, v := range values {
		var log bytes.Buffer
		for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
			slog.New(handler).Info("x", "v", v)
		}
		text := fmt.Sprintf("%v %+v %#v %s %q %d %x", v, v, v, v, v, v, v) + log.String()
		if b, err := json.Marshal(v); err == nil {
			text += string(b)
		}
		for err, _ := v.(error); err != nil; err = errors.Unwrap(err) {
			text += err.Error() + rest.Explain(err)
		}
		if strings.Contains(text, canary) || strings.Contains(text, "Y2FuYXJ5") || strings.Contains(text, fmt.Sprintf("%x", canary)) {
			t.Fatalf("%s shows a secret: %s", what, text)
		}
	}
}

// FuzzDiscovery: any bytes as discovery documents. What comes of them can be found by its own name, and costs no more than it should.
func FuzzDiscovery(f *testing.F) {
	aggregated := `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{"name":"apps"},"versions":[{"version":"v1","freshness":"Current","resources":[{"resource":"deployments","responseKind":{"kind":"Deployment"},"scope":"Namespaced","singularResource":"deployment","verbs":["list"],"shortNames":["deploy"]}]},{"version":"v2","freshness":"Stale"}]}]}`
	f.Add([]byte(aggregated), []byte(aggregated))
	f.Add([]byte(`{"kind":"APIVersions","versions":["v1"]}`), []byte(`{"kind":"APIGroupList","groups":[{"name":"apps","versions":[{"version":"v1"}],"preferredVersion":{"version":"v1"}}]}`))
	f.Add([]byte(`{"kind":"APIResourceList","resources":[{"name":"pods","namespaced":true,"kind":"Pod","verbs":[]}]}`), []byte(`{"kind":"APIVersions","versions":["","..","v1/x"]}`))
	f.Fuzz(func(t *testing.T, core, groups []byte) {
		if len(core)+len(groups) > 8<<10 {
			return
		}
		var asked steps
		s := &server{answer: func(r *http.Request) io.Reader {
			asked.add(t, "requests", len(core)+len(groups), 1, 16)
			body := groups
			if strings.HasPrefix(r.URL.Path, "/api") && !strings.HasPrefix(r.URL.Path, "/apis") {
				body = core
			}
			return texts(fmt.Sprintf("%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", ok, len(body)), string(body))
		}}
		d, err := rest.Discover(context.Background(), s.client(t, rest.Config{}))
		if err != nil {
			if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
				t.Fatalf("an error that is no line: %q", err)
			}
			return
		}
		var resources []rest.APIResource
		for r := range d.All() {
			resources = append(resources, r)
		}
		if len(resources) > len(core)*(len(groups)+1)+len(groups)*(len(groups)+1) {
			t.Fatalf("%d resources", len(resources))
		}
		for _, r := range resources {
			if found, err := d.Find(r.Resource.String()); err == nil && !strings.EqualFold(found.Resource.Resource, r.Resource.Resource) && found.Group != r.Group && found.Kind == "" {
				t.Fatalf("%v was found by the name of %v", found, r)
			}
		}
	})
}

// FuzzProxyChoice: NO_PROXY as a list of addresses and ranges decides as net/netip says, and a proxy that was asked for is never passed over silently.
func FuzzProxyChoice(f *testing.F) {
	f.Add("10.0.0.1", "10.0.0.0/8", "http://proxy:3128")
	f.Add("fd00::1", "fd00::/8,10.0.0.1", "proxy:3128")
	f.Add("192.168.1.1", "192.168.1.1", "socks5://x:1080")
	f.Add("::ffff:10.0.0.1", "10.0.0.0/8", "https://u:p@proxy")
	f.Add("8.8.8.8", "", "http://%zz")
	f.Fuzz(func(t *testing.T, target, noProxy, proxy string) {
		address, err := netip.ParseAddr(target)
		if err != nil || address.Zone() != "" || address.IsLoopback() || address.Unmap() != address || len(noProxy) > 256 || proxy == "" {
			return
		}
		excluded := false
		for entry := range strings.SplitSeq(noProxy, ",") {
			entry = strings.TrimSpace(entry)
			if prefix, err := netip.ParsePrefix(entry); err == nil {
				excluded = excluded || prefix.Contains(address)
			} else if a, err := netip.ParseAddr(entry); err == nil && a.Zone() == "" {
				excluded = excluded || a == address || a.Unmap() == address
			} else if entry != "" {
				return // a name: golang.org/x/net/http/httpproxy has its own rules, and its own tests
			}
		}
		choose := rest.ProxyFromEnvironment(func(name string) string { return map[string]string{"HTTPS_PROXY": proxy, "NO_PROXY": noProxy}[name] })
		if choose == nil {
			t.Fatalf("no choice for %q", proxy)
		}
		got, err := choose(&url.URL{Scheme: "https", Host: netip.AddrPortFrom(address, 6443).String()})
		if excluded != (got == nil && err == nil) {
			t.Fatalf("%s with NO_PROXY %q: %v, %v", target, noProxy, got, err)
		}
		if err != nil && strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
			t.Fatalf("an error that is no line: %q", err)
		}
	})
}
