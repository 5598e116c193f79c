package execplugin

import (
	"strings"
	"testing"
	"time"
)

func TestOutput(t *testing.T) {
	cert, key := newPair(t)
	_, strange := newPair(t)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, "\n", `\n`) + `"` }
	wrap := func(status string) string {
		return `{"kind":"ExecCredential","apiVersion":"` + V1 + `","status":` + status + `}`
	}
	for _, test := range []struct{ name, output, refuse string }{
		{"a token", wrap(`{"token":"planted"}`), ""},
		{"unknown fields and blanks", " \n" + wrap(`{"token":"planted","more":[{}]}`) + "\n\n", ""},
		{"a certificate", wrap(`{"clientCertificateData":` + quoted(cert) + `,"clientKeyData":` + quoted(key) + `}`), ""},
		{"both, and an expiry", wrap(`{"token":"planted","clientCertificateData":` + quoted(cert) + `,"clientKeyData":` + quoted(key) + `,"expirationTimestamp":"2026-01-01T00:00:10+00:00"}`), ""},
		{"null for an expiry", wrap(`{"token":"planted","expirationTimestamp":null}`), ""},

		{"nothing", "", "not an ExecCredential in JSON (0 bytes)"},
		{"a token without JSON", "planted", "not an ExecCredential in JSON (7 bytes, wrong at byte 1)"},
		{"YAML", "kind: ExecCredential\nplanted: x", "not an ExecCredential in JSON"},
		{"cut", wrap(`{"token":"planted"`), "not an ExecCredential in JSON"},
		{"more behind", wrap(`{"token":"planted"}`) + "planted", "goes on after the ExecCredential"},
		{"twice", wrap(`{"token":"planted"}`) + wrap(`{"token":"planted"}`), "goes on after the ExecCredential"},
		{"a list", "[]", "a value of the wrong type"},
		{"a number as token", wrap(`{"token":5}`), "a value of the wrong type at byte"},
		{"another kind", `{"kind":"planted","apiVersion":"` + V1 + `","status":{"token":"planted"}}`, "the kind of its output"},
		{"another version", `{"kind":"ExecCredential","apiVersion":"` + V1Beta1 + `","status":{"token":"planted"}}`, "the apiVersion of its output"},
		{"no status", `{"kind":"ExecCredential","apiVersion":"` + V1 + `"}`, "no status"},
		{"an empty status", wrap(`{}`), "neither a token nor a certificate"},
		{"a certificate without key", wrap(`{"token":"planted","clientCertificateData":` + quoted(cert) + `}`), "one of certificate and key"},
		{"a key without certificate", wrap(`{"clientKeyData":` + quoted(key) + `}`), "one of certificate and key"},
		{"a key of another certificate", wrap(`{"clientCertificateData":` + quoted(cert) + `,"clientKeyData":` + quoted(strange) + `}`), "not a pair"},
		{"a certificate that is none", wrap(`{"clientCertificateData":"planted","clientKeyData":"planted"}`), "not a pair"},
		{"two lines", wrap(`{"token":"planted\r\nX: y"}`), "another byte that no token has"},
		{"a letter beyond ASCII", wrap(`{"token":"planted\u00fc"}`), "another byte that no token has"},
		{"an expiry that is none", wrap(`{"token":"planted","expirationTimestamp":"soon"}`), "not an ExecCredential in JSON"},
	} {
		c, err := parseOutput([]byte(test.output), V1, now)
		switch {
		case test.refuse == "" && (err != nil || c.token == "" && c.cert == nil):
			t.Errorf("%s: %v", test.name, err)
		case test.refuse != "" && (err == nil || !strings.Contains(err.Error(), test.refuse) || strings.Contains(err.Error(), "planted")):
			t.Errorf("%s: %v", test.name, err)
		}
		for n := range strings.TrimSpace(test.output) { // a cut answer is never another answer
			if _, err := parseOutput([]byte(strings.TrimSpace(test.output)[:n]), V1, now); err == nil && test.name != "twice" && test.name != "more behind" {
				t.Errorf("%s: accepted when cut at %d", test.name, n)
			}
		}
	}
}

// A credential is renewed a little before it expires, so that it does not expire on its way.
func TestCredentialsAreUsableUntilShortlyBeforeTheyExpire(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name     string
		life     time.Duration
		age      time.Duration
		expected bool
	}{
		{"an hour, new", time.Hour, 0, true},
		{"an hour, eleven seconds left", time.Hour, time.Hour - 11*time.Second, true},
		{"an hour, ten seconds left", time.Hour, time.Hour - 10*time.Second, false},
		{"two seconds, new", 2 * time.Second, 0, true},
		{"two seconds, half over", 2 * time.Second, time.Second, true},
		{"two seconds, nearly over", 2 * time.Second, 1800 * time.Millisecond, false},
		{"expired when it came", -time.Hour, 0, false},
		{"a clock set back", time.Hour, -time.Minute, false},
	} {
		c := &credential{obtained: now, expiry: now.Add(test.life)}
		if got := c.usable(now.Add(test.age)); got != test.expected {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	if c := (&credential{obtained: now}); !c.usable(now.Add(1000 * time.Hour)) {
		t.Error("one that never expires did")
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte(answer(V1, map[string]any{"token": "t"})))
	f.Add([]byte(answer(V1, map[string]any{"token": "t", "expirationTimestamp": "2026-01-01T00:00:00Z"})))
	f.Add([]byte(`{"kind":"ExecCredential"}{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parseOutput(data, V1, time.Now())
		if (c == nil) == (err == nil) {
			t.Fatalf("%v, %v", c, err)
		}
		if err == nil && c.cert == nil && (c.token == "" || strings.ContainsAny(c.token, " \r\n\x00\x7f")) {
			t.Fatalf("token %q", c.token)
		}
	})
}
