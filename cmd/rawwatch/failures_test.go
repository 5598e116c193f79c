package main

import (
	"bufio"
	"context"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// startServer serves a fake API server on loopback.
func startServer(t *testing.T, o fakeapi.Options) (*fakeapi.Server, string) {
	t.Helper()
	server := fakeapi.New(o)
	t.Cleanup(func() { server.Close() })
	url, err := server.Listen()
	if err != nil {
		t.Fatal(err)
	}
	return server, url
}

// answering serves every request with one handler.
func answering(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

// listening hands each connection to f, which may do as it likes with it.
func listening(t *testing.T, f func(net.Conn)) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			f(c)
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l
}

// withTLS serves with a certificate of nobody we trust, which the file holds.
func withTLS(t *testing.T, h http.Handler, protocols ...string) (url, caFile string) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	s.TLS.NextProtos = protocols // StartTLS adds http/1.1 to those it is given
	t.Cleanup(s.Close)
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(caFile, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return s.URL, caFile
}

func page(code int, contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(code)
		io.WriteString(w, text)
	}
}

// failure is something that goes wrong before anything is shown.
type failure struct {
	why     string
	setting setting
	flags   []string
	code    int
	says    []string // what went wrong, and what to do
}

// check runs a command against a failure: one line, on standard error, and the exit code.
func (f failure) check(t *testing.T, command ...string) {
	t.Helper()
	got := f.setting.rawwatch(t, append(command, f.flags...)...).want(t, strings.Join(command, " "), f.code)
	line, more, _ := strings.Cut(got.stderr, "\n")
	if more != "" || !strings.HasPrefix(line, "rawwatch: ") {
		t.Errorf("%v: not one line on standard error:\n%s", command, got.stderr)
	}
	if got.stdout != "" {
		t.Errorf("%v: on standard output: %q", command, got.stdout)
	}
	for _, words := range f.says {
		if !strings.Contains(line, words) {
			t.Errorf("%v: does not say %q:\n%s", command, words, line)
		}
	}
	if strings.Contains(got.stderr, "s3cret") {
		t.Errorf("%v: shows a secret: %s", command, got.stderr)
	}
}

// Each of these must be one line that says what to do, whichever command meets it.
func TestFailures(t *testing.T) {
	_, closedTo := startServer(t, fakeapi.Options{Tokens: map[string]fakeapi.User{"right": {Name: "jane", Rules: []fakeapi.Rule{}}}})
	nobody := listening(t, func(net.Conn) {})
	refused := nobody.Addr().String()
	nobody.Close()
	untrusted, _ := withTLS(t, page(200, "application/json", "{}"), "http/1.1")
	// Any name that is not ours will do: for h2 alone net/http makes an exception and speaks HTTP/1.1 after all.
	onlyHTTP2, ca := withTLS(t, page(200, "application/json", "{}"), "h2-and-nothing-else")
	cleartextHTTP2 := listening(t, func(c net.Conn) {
		c.Write([]byte("\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x00\x10\x00\x00")) // SETTINGS, RFC 9113 6.5
		io.Copy(io.Discard, c)
	}).Addr().String()
	overTLS, _ := withTLS(t, page(200, "application/json", "{}"), "http/1.1")
	proxy := listening(t, func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			io.WriteString(c, "HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\nContent-Length: 28\r\n\r\n<h1>Blocked by policy</h1>\r\n")
		}
	}).Addr().String()

	for _, f := range []failure{
		{
			"a wrong token", setting{}, []string{"-s", closedTo, "--token", "s3cret"}, exitConnection,
			[]string{"401", "token", "log in again"},
		},
		{
			"an unknown host", setting{dial: func(_ context.Context, network, addr string) (net.Conn, error) {
				host, _, _ := net.SplitHostPort(addr)
				return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
			}}, []string{"-s", "https://nowhere.invalid", "--token", "s3cret"}, exitConnection,
			[]string{"nowhere.invalid", "no such host", "check the spelling"},
		},
		{
			"a refused connection", setting{}, []string{"-s", "http://" + refused}, exitConnection,
			[]string{refused, "connection refused", "nothing listens there", "check host and port"},
		},
		{
			"an untrusted certificate", setting{}, []string{"-s", untrusted, "--token", "s3cret"}, exitConnection,
			[]string{"certificate", "give the cluster's CA"},
		},
		{
			"a proxy's HTML error page", setting{}, []string{"-s", answering(t, page(502, "text/html", "<html><head><title>Bad Gateway</title></head>s3cret</html>"))}, exitStatus,
			[]string{"502", "HTML page", "Bad Gateway", "from a proxy or balancer in front of it"},
		},
		{
			"a login page with status 200", setting{}, []string{"-s", answering(t, page(200, "text/html", "<html>s3cret</html>"))}, exitProtocol,
			[]string{"check the address and what stands in front of it"},
		},
		{
			"a 200 that is no JSON", setting{}, []string{"-s", answering(t, page(200, "text/plain", "s3cret"))}, exitProtocol,
			[]string{"check the address and what stands in front of it"},
		},
		{
			"a proxy that opens no tunnel", setting{env: map[string]string{"HTTPS_PROXY": "http://jane:s3cret@" + proxy}},
			[]string{"-s", "https://k8s.example.com"}, exitConnection,
			[]string{"the proxy answered CONNECT with 403", "NO_PROXY"},
		},
		{
			"a server that offers only HTTP/2", setting{}, []string{"-s", onlyHTTP2, "--certificate-authority", ca}, exitConnection,
			[]string{"HTTP/2", "enable HTTP/1.1"},
		},
		{
			"a server that speaks HTTP/2 in the clear", setting{}, []string{"-s", "http://" + cleartextHTTP2}, exitProtocol,
			[]string{"HTTP/2", "enable HTTP/1.1"},
		},
		{
			"plain http to a TLS port", setting{}, []string{"-s", "http://" + strings.TrimPrefix(overTLS, "https://")}, exitConnection,
			[]string{"write https://"},
		},
		{
			"TLS to a plain http port", setting{}, []string{"-s", "https://" + strings.TrimPrefix(closedTo, "http://")}, exitConnection,
			[]string{"write http://"},
		},
		{
			"a redirect", setting{}, []string{"-s", answering(t, http.RedirectHandler("https://login.example.com/?s3cret", http.StatusFound).ServeHTTP)}, exitStatus,
			[]string{"302", "login.example.com", "API server's own address"},
		},
	} {
		t.Run(f.why, func(t *testing.T) {
			f.check(t, "pods")
			f.check(t, "watch", "/api/v1/pods", "--once")
			f.check(t, "/api/v1/pods")
			f.check(t, "list", "/api/v1/pods")
			f.check(t, "list", "/api/v1/pods", "--limit", "10")
		})
	}
}

// countedWatches answers each watch with a body that is collected first, as a proxy does that does not pass streams on.
func countedWatches(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "" {
			next.ServeHTTP(w, r)
			return
		}
		page(200, "application/json", `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"5"}}}`)(w, r)
	})
}

func TestAWatchAnsweredWithContentLength(t *testing.T) {
	server, url := startServer(t, fakeapi.Options{})
	server.Use(countedWatches)
	f := failure{
		"a watch with Content-Length", setting{}, []string{"-s", url}, exitProtocol,
		[]string{"Content-Length", "a proxy or cache collects the answer", "go to the API server itself"},
	}
	f.check(t, "/api/v1/pods")
	f.check(t, "pods", "-A")
	f.check(t, "pods,svc", "-A")
	listed := setting{}.rawwatch(t, "pods", "-A", "-q", "--send-initial-events=false", "-s", url).want(t, "a list, then such a watch", exitProtocol)
	if !strings.Contains(listed.stderr, "go to the API server itself") {
		t.Errorf("says no word of what to do: %q", listed.stderr)
	}

	once := setting{}.rawwatch(t, "pods", "--once", "-o", "name", "-s", url).want(t, "one request, to its end", exitProtocol)
	if once.stdout != "pods/a\n" || !strings.Contains(once.stderr, "Content-Length") {
		t.Errorf("what came is shown, and what is wrong with it: %q, %q", once.stdout, once.stderr)
	}
}

func TestAListInPlaceOfAWatch(t *testing.T) {
	server, url := startServer(t, fakeapi.Options{})
	server.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.RawQuery = ""
			next.ServeHTTP(w, r)
		})
	})
	f := failure{"a list", setting{}, []string{"-s", url}, exitProtocol, []string{"the server ignored watch=1", "go to the API server itself"}}
	f.check(t, "/api/v1/pods", "--once")
}

// Who is known and may do nothing: discovery is open to him, the rest is not.
func TestForbidden(t *testing.T) {
	_, url := startServer(t, fakeapi.Options{Tokens: map[string]fakeapi.User{"s3cret": {Name: "jane", Rules: []fakeapi.Rule{}}}})
	f := failure{
		"a 403", setting{}, []string{"-s", url, "--token", "s3cret", "-n", "shop"}, exitStatus,
		[]string{"403", `User "jane" cannot`, "ask for a role"},
	}
	f.check(t, "pods")
	f.check(t, "pods", "--once")
	f.check(t, "list", "pods")
	f.check(t, "list", "pods", "--limit", "1")
	f.check(t, "list", "pods", "-o", "raw")
}
