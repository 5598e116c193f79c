package rest

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// socketServer is net/http behind a unix socket that says what it was asked.
func socketServer(t *testing.T) (path string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "rw") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path = filepath.Join(dir, "api server.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Host+" "+r.RequestURI+" "+r.Header.Get("Authorization"))
	}))
	s.Listener.Close()
	s.Listener = listener
	s.Start()
	t.Cleanup(s.Close)
	return path
}

func TestAServerBehindAUnixSocket(t *testing.T) {
	path := socketServer(t)
	for _, server := range []string{"unix://" + path, "unix://" + strings.ReplaceAll(path, " ", "%20")} {
		asked := 0
		c, err := NewClient(Config{
			Server: server, Token: fixedToken("secret"), Proxy: func(*url.URL) (*url.URL, error) { asked++; return nil, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if o := fetch(t, c, Request{Path: "/api"}); o.Body != "localhost /api Bearer secret" || !o.Kept {
				t.Errorf("%+v", o)
			}
		}
		if s := c.Stats(); s.Dials != 1 || asked != 0 || c.Origin() != "unix://"+path {
			t.Errorf("%+v, %d, %s", s, asked, c.Origin())
		}
		c.Close()
	}
}

func TestAKubeconfigMayNameAUnixSocket(t *testing.T) {
	path, file := socketServer(t), filepath.Join(t.TempDir(), "config")
	writeFile(t, file, kube("server: 'unix://"+path+"'", "token: secret"))
	config, err := LoadConfig(LoadOptions{Kubeconfig: file, Env: func(name string) string { return map[string]string{"HTTP_PROXY": "http://127.0.0.1:1"}[name] }})
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if o := fetch(t, c, Request{Path: "/x"}); o.Body != "localhost /x Bearer secret" {
		t.Errorf("%+v", o)
	}
}

func TestUnixSocketsThatCannotBeMeantAreRefused(t *testing.T) {
	for _, server := range []string{"unix://", "unix:///", "unix://run/api.sock", "unix:run/api.sock", "unix:///s?x", "unix:///s#x", "unix://user:planted@/s"} {
		_, err := NewClient(Config{Server: server})
		if e := asError(t, err); e.Phase != PhaseConfig || strings.Contains(e.Error(), "planted") {
			t.Errorf("%s: %v", server, err)
		}
	}
	c, err := NewClient(Config{Server: "unix:///nowhere/api.sock"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Do(t.Context(), Request{Path: "/"})
	if e := asError(t, err); e.Phase != PhaseDial || e.Addr != "/nowhere/api.sock" {
		t.Errorf("%v", err)
	}
}
