package execplugin

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// credential is what a plugin printed. It is kept behind pointers of unexported fields, and never printed.
type credential struct {
	token    string
	cert     *tls.Certificate
	pem      string // certificate and key as they came, to see whether they changed
	expiry   time.Time
	obtained time.Time
}

// usable reports whether it can be sent at this time. It is renewed a little before it expires, so that it does not expire on its way: a tenth of its
// life, at most ten seconds. A clock that was set back does not keep it alive.
func (c *credential) usable(now time.Time) bool {
	if c.expiry.IsZero() {
		return true
	}
	early := min(c.expiry.Sub(c.obtained)/10, 10*time.Second)
	return now.Before(c.expiry.Add(-max(early, 0))) && !now.Before(c.obtained)
}

type output struct {
	Kind       string        `json:"kind"`
	APIVersion string        `json:"apiVersion"`
	Status     *outputStatus `json:"status"`
}

type outputStatus struct {
	ExpirationTimestamp   *time.Time `json:"expirationTimestamp"`
	Token                 string     `json:"token"`
	ClientCertificateData string     `json:"clientCertificateData"`
	ClientKeyData         string     `json:"clientKeyData"`
}

// parseOutput reads what a plugin printed. Nothing of it is repeated in an error: it may be a token in the wrong place.
func parseOutput(data []byte, version string, now time.Time) (*credential, error) {
	var out output
	decoder := json.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&out); err != nil {
		return nil, fmt.Errorf("its output is not an ExecCredential in JSON (%d bytes%s)", len(data), offset(err))
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("its output goes on after the ExecCredential, at byte %d of %d", decoder.InputOffset(), len(data))
	}
	s := out.Status
	switch {
	case out.Kind != "ExecCredential":
		return nil, fmt.Errorf("the kind of its output is not ExecCredential")
	case out.APIVersion != version:
		return nil, fmt.Errorf("the apiVersion of its output is not the one that was asked for, %q", version)
	case s == nil:
		return nil, fmt.Errorf("its output has no status")
	case (s.ClientCertificateData == "") != (s.ClientKeyData == ""):
		return nil, fmt.Errorf("its output has one of certificate and key without the other")
	case s.Token == "" && s.ClientCertificateData == "":
		return nil, fmt.Errorf("its output has neither a token nor a certificate")
	case strings.ContainsFunc(s.Token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return nil, fmt.Errorf("its token holds a space, a line end or another byte that no token has")
	}
	c := &credential{token: s.Token, obtained: now}
	if s.ExpirationTimestamp != nil {
		c.expiry = *s.ExpirationTimestamp
	}
	if s.ClientCertificateData != "" {
		pair, err := tls.X509KeyPair([]byte(s.ClientCertificateData), []byte(s.ClientKeyData))
		if err != nil {
			return nil, fmt.Errorf("its certificate and key are not a pair in PEM form")
		}
		c.cert, c.pem = &pair, s.ClientCertificateData+s.ClientKeyData
	}
	return c, nil
}

func offset(err error) string {
	if bad, ok := err.(*json.SyntaxError); ok {
		return fmt.Sprintf(", wrong at byte %d", bad.Offset)
	}
	if bad, ok := err.(*json.UnmarshalTypeError); ok {
		return fmt.Sprintf(", a value of the wrong type at byte %d", bad.Offset)
	}
	return ""
}
