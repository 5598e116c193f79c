package listwatch

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/rest"
)

// A Status inside a watch or in place of a list may quote the request as any other answer may.
func TestAStatusInAStreamDoesNotShowTheToken(t *testing.T) {
	const token = "planted-token-1234"
	for _, body := range []string{
		`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no ` + token + `","reason":"Expired","code":410}}`,
		`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no \u0070` + token[1:] + `","reason":"Expired","code":410}`,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.(http.Flusher).Flush()
			io.WriteString(w, body+"\n")
		}))
		client, err := rest.NewClient(rest.Config{
			Server: server.URL, Token: func(context.Context) (string, error) { return token, nil },
			Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, addr)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for _, err := range Watch(t.Context(), client, Options{Path: "/api/v1/pods"}) {
			if err == nil {
				continue
			}
			seen++
			if text := err.Error() + rest.Explain(err); strings.Contains(text, token) || !strings.Contains(text, "no <masked>") {
				t.Error(text)
			}
		}
		if seen == 0 {
			t.Error("no error")
		}
		client.Close()
		server.Close()
	}
}
