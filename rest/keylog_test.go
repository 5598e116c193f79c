package rest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The secrets of sessions go where the caller says, for the server and for an https proxy, and nowhere else: the variable that browsers obey is not read.
func TestKeysAreLoggedWhereTheCallerAsks(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }))
	defer s.Close()
	file := filepath.Join(t.TempDir(), "keys")
	t.Setenv("SSLKEYLOGFILE", file)
	for _, asked := range []bool{false, true} {
		var keys bytes.Buffer
		cfg := Config{Server: s.URL, TLS: clientTLS(s)}
		if asked {
			cfg.KeyLog = &keys
		}
		c, err := NewClient(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if o := fetch(t, c, Request{Path: "/"}); o.Body != "hello" {
			t.Errorf("%+v", o)
		}
		c.Close()
		if asked != regexp.MustCompile(`(?m)^CLIENT_TRAFFIC_SECRET_0 [0-9a-f]{64} [0-9a-f]+$`).Match(keys.Bytes()) {
			t.Errorf("asked %v: %q", asked, keys.String())
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("SSLKEYLOGFILE was obeyed")
	}
}
