package credentials

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A server behind a unix socket, as kubectl proxy --unix-socket makes one: it adds the credentials, and the kubeconfig has none. It is started anew, on
// the same path, while the watch is open.
func TestWatchThroughUnixSocket(t *testing.T) {
	t.Parallel()
	s := sharedScene(t, "unix-socket")
	path := filepath.Join(s.dir, "api.sock")
	stop := s.forward(path, "planted-second")
	f := s.followFor(s.config(map[string]any{"server": "unix://" + path}, map[string]any{}), 3600)
	for range 2 {
		s.change()
		stop()
		stop = s.forward(path, "planted-second")
		before := f.client.Stats().Dials
		s.changeUntil("another connection", func() bool { return f.client.Stats().Dials > before })
	}
	f.finish(s)
	stop()
	if users, refused := s.users(); !slices.Equal(users, []string{"second"}) || refused > 0 {
		t.Errorf("the requests were of %v, %d refused", users, refused)
	}
	_, err := s.ask(s.config(map[string]any{"server": "unix://" + path}, map[string]any{"token": "planted-first"}), "GET", "/version", "")
	if err == nil {
		t.Error("there is no socket any more")
	}
	t.Log(err)
}

// forward serves the cluster as a user on a unix socket.
func (s *scene) forward(path, token string) (stop func()) {
	s.t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(s.cluster.CA())
	target, err := url.Parse(s.cluster.URL())
	if err != nil {
		s.t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	ctx, cancel := context.WithCancel(context.Background())
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		Handler: &httputil.ReverseProxy{
			Transport: transport, FlushInterval: -1,
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(target)
				r.Out.Header.Set("Authorization", "Bearer "+token)
			},
		},
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		s.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // http.ErrServerClosed
	}()
	stop = func() {
		cancel()
		server.Close()
		<-done
		transport.CloseIdleConnections()
	}
	s.t.Cleanup(stop)
	return stop
}
