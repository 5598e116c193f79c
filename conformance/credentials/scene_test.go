package credentials

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rawwatch/rawwatch/conformance/cluster"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/rest/execplugin"
)

// scene is a namespace of a test's own, whose config maps change, and a folder for its kubeconfig.
type scene struct {
	t         *testing.T
	ctx       context.Context
	cluster   *cluster.Cluster
	witness   *cluster.Client
	writer    *cluster.Writer
	namespace string
	dir       string
	next      int
}

// scenes numbers namespaces, so that a test may run again.
var scenes atomic.Int64

// newScene begins with three config maps.
func newScene(t *testing.T, c *cluster.Cluster, w *cluster.Client, namespace string) *scene {
	t.Helper()
	namespace = fmt.Sprintf("%s-%d", namespace, scenes.Add(1))
	s := &scene{t: t, ctx: cluster.Deadline(t, 2*time.Minute), cluster: c, witness: w, namespace: namespace, dir: t.TempDir()}
	s.writer = cluster.NewWriter(w, "/api/v1", "configmaps")
	s.must("POST", "/api/v1/namespaces", fmt.Sprintf(`{"kind":"Namespace","apiVersion":"v1","metadata":{"name":%q}}`, namespace))
	s.file("ca.crt", c.CA())
	for range 3 {
		s.create()
	}
	return s
}

func sharedScene(t *testing.T, namespace string) *scene {
	c := sharedCluster(t)
	w := c.Client(cluster.AdminToken)
	t.Cleanup(w.Close)
	return newScene(t, c, w, namespace)
}

// must fails the test unless the witness's request was accepted.
func (s *scene) must(method, path, body string) []byte {
	s.t.Helper()
	response, err := s.witness.Do(s.ctx, method, path, map[string][]string{"Content-Type": {"application/json"}}, []byte(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if response.Code >= 300 {
		s.t.Fatalf("%s %s: %d %s", method, path, response.Code, response.Body)
	}
	return response.Body
}

// file writes a file of the folder and returns its path.
func (s *scene) file(name string, content []byte) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// swap replaces files as the kubelet does: a folder of a generation, and one link to it that is renamed over the last.
func (s *scene) swap(volume, generation string, files map[string][]byte) {
	s.t.Helper()
	data := "..generation_" + generation
	for name, content := range files {
		s.file(filepath.Join(volume, data, name), content)
		link := filepath.Join(s.dir, volume, name)
		if err := os.Symlink(filepath.Join("..data", name), link); err != nil && !os.IsExist(err) {
			s.t.Fatal(err)
		}
	}
	next := filepath.Join(s.dir, volume, "..data_tmp")
	if err := os.Symlink(data, next); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(next, filepath.Join(s.dir, volume, "..data")); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) create() {
	s.t.Helper()
	s.next++
	body := fmt.Appendf(nil, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m-%d"},"data":{"n":"0"}}`, s.next)
	if _, err := s.writer.Create(s.ctx, s.namespace, body); err != nil {
		s.t.Fatal(err)
	}
}

// change makes one of each change: the newest object is made, the one before it changed, the one before that removed.
func (s *scene) change() {
	s.t.Helper()
	s.create()
	if _, err := s.writer.Patch(s.ctx, s.namespace, fmt.Sprintf("m-%d", s.next-1), fmt.Appendf(nil, `{"data":{"n":"%d"}}`, s.next)); err != nil {
		s.t.Fatal(err)
	}
	if s.next > 6 {
		if _, err := s.writer.Delete(s.ctx, s.namespace, fmt.Sprintf("m-%d", s.next-6)); err != nil {
			s.t.Fatal(err)
		}
	}
}

// changeUntil keeps changing until the condition holds.
func (s *scene) changeUntil(what string, condition func() bool) {
	s.t.Helper()
	for !condition() {
		if s.ctx.Err() != nil {
			s.t.Fatalf("waited too long for %s", what)
		}
		s.change()
		time.Sleep(20 * time.Millisecond)
	}
	s.change()
}

// config loads a kubeconfig of one cluster and one user, relative to the scene's folder.
func (s *scene) config(cluster, user map[string]any, change ...func(*rest.LoadOptions)) rest.Config {
	s.t.Helper()
	config, err := s.load(cluster, user, change...)
	if err != nil {
		s.t.Fatal(err)
	}
	return config
}

func (s *scene) load(cluster, user map[string]any, change ...func(*rest.LoadOptions)) (rest.Config, error) {
	s.t.Helper()
	if cluster == nil {
		cluster = map[string]any{"server": s.cluster.URL(), "certificate-authority": "ca.crt"}
	}
	text, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"clusters": []any{map[string]any{"name": "k", "cluster": cluster}},
		"users":    []any{map[string]any{"name": "u", "user": user}},
		"contexts": []any{map[string]any{"name": "c", "context": map[string]any{"cluster": "k", "user": "u", "namespace": s.namespace}}},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	o := rest.LoadOptions{
		Kubeconfig: s.file("config", text), Env: func(string) string { return "" },
		Exec: execplugin.New(execplugin.Options{}), SOCKS5: rest.SOCKS5,
	}
	for _, f := range change {
		f(&o)
	}
	config, err := rest.LoadConfig(o)
	config.UserAgent = s.namespace // tells our requests from others' in the audit log
	return config, err
}

// users are who asked for the scene's config maps with its user agent, in order, each once in a row; and how many requests were answered 401 or 403.
func (s *scene) users() (users []string, refused int) {
	s.t.Helper()
	requests, err := s.cluster.Requests()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, r := range requests {
		if r.UserAgent != s.namespace || !strings.Contains(r.URI, "/configmaps") {
			continue
		}
		if r.Code == 401 || r.Code == 403 {
			refused++
			continue
		}
		users = append(users, r.User)
	}
	return slices.Compact(users), refused
}

// compare holds what was told to etcd's record: the state at first, then every change in its order.
func (s *scene) compare(got []string) {
	s.t.Helper()
	all, err := s.cluster.History(s.ctx, "configmaps")
	if err != nil {
		s.t.Fatal(err)
	}
	truth := slices.DeleteFunc(all, func(c cluster.Change) bool { return c.Namespace != s.namespace })
	if len(truth) != len(s.writer.History()) {
		s.t.Fatalf("etcd knows %d changes, the writer %d", len(truth), len(s.writer.History()))
	}
	var want []string
	for _, c := range truth {
		want = append(want, fmt.Sprintf("%s %s %s", c.Type, c.Name, c.ResourceVersion))
	}
	if len(got) >= 3 {
		slices.Sort(got[:3]) // the state comes in any order
	}
	if d := cmp.Diff(want, got); d != "" {
		s.t.Errorf("%d changes happened, %d were told (- etcd, + told):\n%s", len(want), len(got), d)
	}
	s.t.Logf("%d changes", len(want))
}
