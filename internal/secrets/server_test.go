package secrets

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rawwatch/rawwatch/fakeapi"
)

// server answers as an API server does, or in one of many other ways, in which it repeats what it was told and shows what it keeps.
type server struct {
	api         *fakeapi.Server
	url, socket string
	ca          string

	mu   sync.Mutex
	mode string
	told map[string]bool
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{api: fakeapi.New(fakeapi.Options{}), mode: "ok", told: map[string]bool{}, socket: filepath.Join(t.TempDir(), "api.sock")}
	for i := range 3 {
		object := fmt.Sprintf(`{"metadata":{"namespace":"default","name":"s%d"},"data":{"password":%q}}`, i, base64.StdEncoding.EncodeToString([]byte(objectSecret)))
		if _, err := s.api.Create("secrets", object); err != nil {
			t.Fatal(err)
		}
	}
	https := httptest.NewUnstartedServer(s)
	https.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	https.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that clients break off
	https.StartTLS()
	s.url = https.URL
	s.ca = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: https.Certificate().Raw}))
	l, err := net.Listen("unix", s.socket)
	if err != nil {
		t.Fatal(err)
	}
	unix := httptest.NewUnstartedServer(s)
	unix.Listener.Close()
	unix.Listener = l
	unix.Start()
	t.Cleanup(func() {
		s.api.Close()
		for _, h := range []*httptest.Server{https, unix} {
			h.CloseClientConnections()
			h.Close()
		}
	})
	return s
}

func (s *server) set(mode string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = mode
	s.told = map[string]bool{}
}

func (s *server) wasTold(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for told := range s.told {
		if strings.HasPrefix(told, what) {
			return true
		}
	}
	return false
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	mode := s.mode
	authorization := r.Header.Get("Authorization")
	s.told[authorization] = true
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		s.told["certificate "+r.TLS.PeerCertificates[0].Subject.CommonName] = true
	}
	s.mu.Unlock()
	answer, ok := answers[mode]
	if !ok {
		s.api.ServeHTTP(w, r)
		return
	}
	_, word, _ := strings.Cut(authorization, " ")
	answer(w, r, word)
}

// answers are the ways to fail. said is what the request was authorised with.
var answers = map[string]func(w http.ResponseWriter, r *http.Request, said string){
	"unauthorized": func(w http.ResponseWriter, _ *http.Request, said string) {
		w.Header().Set("Www-Authenticate", `Bearer realm="`+said+`"`)
		answerStatus(w, 401, "Unauthorized", "the token "+said+" is not ours")
	},
	"forbidden": func(w http.ResponseWriter, _ *http.Request, said string) {
		w.Header().Set("Warning", `299 - "`+said+`"`)
		w.Header().Set("Set-Cookie", "session="+objectSecret)
		answerStatus(w, 403, "Forbidden", "who is "+said+"?")
	},
	"broken": func(w http.ResponseWriter, _ *http.Request, said string) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(500)
		fmt.Fprintf(w, "<html><body>panic: %s</body></html>", said)
	},
	"expired": func(w http.ResponseWriter, _ *http.Request, said string) {
		answerStatus(w, 410, "Expired", "too old for "+said)
	},
	"redirect": func(w http.ResponseWriter, _ *http.Request, said string) {
		w.Header().Set("Location", "https://me:"+said+"@elsewhere.example/login?token="+said+"#"+said)
		w.WriteHeader(302)
	},
	"cut": func(w http.ResponseWriter, r *http.Request, _ string) {
		w.Header().Set("Content-Type", "application/json")
		body := secretList
		if r.URL.Query().Get("watch") != "" {
			body = secretEvent("ADDED", secretObject)
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		fmt.Fprint(w, body[:len(body)-20])
	},
	"no JSON": jsonAnswer(strings.Replace(secretList, `"data":`, `"data" planted `, 1), secretEvent("ADDED", `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","resourceVersion":"5"},"data":{"p":`+objectSecret+`}}`)),
	"another type": jsonAnswer(`{"kind":"`+objectSecret+`","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":{"data":"`+objectSecret+`"}}`,
		secretEvent("ADDED", `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","resourceVersion":"5"},"data":"`+objectSecret+`"}`)),
	"wrong metadata": jsonAnswer(`{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"data":{"p":"`+objectSecret+`"}}]}`,
		secretEvent("ADDED", `{"kind":"Secret","apiVersion":"v1","metadata":{"resourceVersion":"5"},"data":{"p":"`+objectSecret+`"}}`)),
	"an unknown event": jsonAnswer(secretList, secretEvent("CHANGED", secretObject)),
	"a nameless event": jsonAnswer(secretList, `{"type":17,"object":`+secretObject+`}`),
	"no HTTP": func(w http.ResponseWriter, _ *http.Request, said string) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nbad field %s: 1\r\n\r\n", said)
		c.Close()
	},
}

var (
	secretObject = `{"kind":"Secret","apiVersion":"v1","metadata":{"namespace":"default","name":"s","uid":"u","resourceVersion":"5"},"data":{"password":"` +
		base64.StdEncoding.EncodeToString([]byte(objectSecret)) + `"},"stringData":{"password":"` + objectSecret + `"}}`
	secretList = `{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[` + secretObject + `]}`
)

func secretEvent(kind, object string) string {
	return `{"type":"` + kind + `","object":` + object + "}\n"
}

func jsonAnswer(list, event string) func(http.ResponseWriter, *http.Request, string) {
	return func(w http.ResponseWriter, r *http.Request, _ string) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") != "" {
			fmt.Fprint(w, event)
			return
		}
		fmt.Fprint(w, list)
	}
}

func answerStatus(w http.ResponseWriter, code int, reason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%q,"reason":%q,"details":{"name":%q},"code":%d}`, message, reason, message, code)
}
