package rest

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
)

// Whoever refuses a request likes to quote it. What was ours in it is masked wherever this package passes a peer's words on.
func TestWhatAPeerRepeatsOfOurCredentialsIsMasked(t *testing.T) {
	const token = "planted-token-1234"
	basic := base64.StdEncoding.EncodeToString([]byte("user:planted-pass"))
	for name, credentials := range map[string]Config{
		"token":    {Token: fixedToken(token)},
		"password": {Username: "user", Password: "planted-pass"},
		"source":   {Credentials: &fixedSource{token: token}},
	} {
		for _, answer := range []string{
			"HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s|" +
				`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"bad SECRET","reason":"SECRET","details":{"name":"SECRET","causes":[{"message":"SECRET","field":"SECRET"}]}}`,
			"HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s|" + `{"kind":"Status","message":"escaped \u0070SECRET1"}`,
			"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s|no, SECRET",
			"HTTP/1.1 500 No\r\nWarning: 299 - \"SECRET\"\r\nAudit-Id: SECRET\r\nX-Echo: SECRET\r\nContent-Length: %d\r\n\r\n%s|",
			"HTTP/1.1 302 Found\r\nLocation: https://x.example/SECRET\r\nContent-Length: %d\r\n\r\n%s|",
			"HTTP/1.1 200 OK\r\nWarning: 299 - \"SECRET\"\r\nX-Echo: SECRET\r\nContent-Length: %d\r\n\r\n%s|",
			"HTTP/1.1 200 SECRET\x01\r\n%d%s|",
			"HTTP/1.1 200 OK\r\nbad field SECRET: x\r\n%d%s|",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: SECRET\r\n\r\n%d%s|",
			"SECRET%d%s|",
		} {
			for _, secret := range []string{token, "planted-pass", basic} {
				head, body, _ := strings.Cut(answer, "|")
				body = strings.ReplaceAll(strings.ReplaceAll(body, `\u0070SECRET1`, `\u0070`+secret[1:]), "SECRET", secret)
				if !strings.HasPrefix(secret, "p") {
					body = strings.ReplaceAll(body, `\u0070`, "")
				}
				head = fmt.Sprintf(strings.ReplaceAll(head, "SECRET", secret), len(body), body)
				cfg := credentials
				var seen []string
				cfg.Trace = &Trace{
					Request:   func(i RequestSent) { seen = append(seen, fmt.Sprint(i)) },
					Head:      func(i HeadReceived) { seen = append(seen, fmt.Sprint(i)) },
					BodyEnd:   func(i BodyEnd) { seen = append(seen, fmt.Sprint(i)) },
					CloseConn: func(i ConnClosed) { seen = append(seen, fmt.Sprint(i)) },
				}
				c := scripted(t, cfg, newScript(io.EOF, []byte(head)))
				response, err := c.Do(t.Context(), Request{Path: "/"})
				if err == nil {
					seen = append(seen, fmt.Sprint(response.Warnings))
				}
				c.Close()
				text := fmt.Sprintf("%v %+v %#v %s %q", err, err, err, Explain(err), seen)
				ours := secret == token && cfg.Token != nil || secret == token && cfg.Credentials != nil || secret != token && cfg.Password != ""
				if ours && strings.Contains(text, secret) {
					t.Errorf("%s: %s\nshows %s in %s", name, head, secret, text)
				}
			}
		}
	}
}

func TestWhatAProxyRepeatsOfItsPasswordIsMasked(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("user:planted-pass"))
	for _, secret := range []string{basic, "planted-pass"} {
		for _, head := range []string{
			"HTTP/1.1 407 Login\r\nContent-Type: text/SECRET\r\nX-Echo: SECRET\r\n\r\n",
			"HTTP/1.1 200 OK\r\nbad field SECRET: x\r\n\r\n",
			"SECRET\r\n\r\n",
		} {
			var seen []string
			c := scripted(t, Config{
				Server: "https://api.example",
				Proxy:  func(*url.URL) (*url.URL, error) { return url.Parse("http://user:planted-pass@proxy.example") },
				Trace:  &Trace{Connect: func(i ConnectDone) { seen = append(seen, fmt.Sprint(i)) }, CloseConn: func(i ConnClosed) { seen = append(seen, fmt.Sprint(i)) }},
			}, newScript(io.EOF, []byte(strings.ReplaceAll(head, "SECRET", secret))))
			_, err := c.Do(t.Context(), Request{Path: "/"})
			if text := fmt.Sprintf("%v %#v %s %q", err, err, Explain(err), seen); err == nil || strings.Contains(text, secret) {
				t.Errorf("%q: %s", head, text)
			}
		}
	}
}

// fmt does not ask Format of what stands in an unexported field, and for %s of a pointer there prints what it points to: the pointers of a Client end that.
func TestAClientInAHiddenFieldShowsNoSecret(t *testing.T) {
	c, err := NewClient(Config{
		Server: "https://api.example", Username: "user", Password: "planted-pass",
		Impersonate: Impersonation{User: "jane", Extra: map[string][]string{"scope": {"planted-extra"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, v := range []any{struct{ c *Client }{c}, &struct{ c *Client }{c}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%t"} {
			if text := fmt.Sprintf(verb, v); strings.Contains(text, "planted") || strings.Contains(text, fmt.Sprintf("%x", "planted")) {
				t.Errorf("%s shows a secret: %s", verb, text)
			}
		}
	}
}
