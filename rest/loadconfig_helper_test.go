package rest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// testPEM is a certificate and its key, made once.
type testPEM struct{ cert, key string }

func newTestPEM(t testing.TB) testPEM {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return testPEM{
		cert: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		key:  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})),
	}
}

// loadCase is one set of files, environment and options, and what comes of them.
type loadCase struct {
	name string
	// files by path below a fresh folder; @DIR@ in contents and environment is that
	// folder, @CERT64@ and @KEY64@ are base64 of PEM, @CERT@ and @KEY@ the PEM.
	files   map[string]string
	env     map[string]string
	options LoadOptions // @DIR@ in its Kubeconfig, CertificateAuthority, ... too
	// want is the summary of the Config, or refuse a part of the error's text.
	want, refuse string
	unsupported  bool
}

// pod mounts a service account and sets the variables of its service.
func (c loadCase) pod() loadCase {
	c.files = merged(c.files, map[string]string{"sa/token": "pod-token\n", "sa/ca.crt": "@CERT@", "sa/namespace": "pod-namespace\n"})
	c.env = merged(c.env, map[string]string{"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"})
	return c
}

func merged(base, more map[string]string) map[string]string {
	all := map[string]string{}
	for _, m := range []map[string]string{base, more} {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

func (c loadCase) run(t *testing.T, p testPEM) {
	dir := t.TempDir()
	fill := strings.NewReplacer("@DIR@", dir, "@CERT@", p.cert, "@KEY@", p.key,
		"@CERT64@", base64.StdEncoding.EncodeToString([]byte(p.cert)),
		"@KEY64@", base64.StdEncoding.EncodeToString([]byte(p.key))).Replace
	for name, content := range c.files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, fill(content))
	}
	o := c.options
	o.Env = func(name string) string { return fill(c.env[name]) }
	o.InClusterDir = filepath.Join(dir, "sa")
	for _, path := range []*string{&o.Kubeconfig, &o.CertificateAuthority, &o.ClientCertificate, &o.ClientKey, &o.TokenFile} {
		*path = fill(*path)
	}
	config, err := LoadConfig(o)
	if c.refuse != "" || c.unsupported {
		c.checkRefusal(t, config, err)
		return
	}
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	got := strings.ReplaceAll(summary(t, config, p), dir, "@DIR@")
	if got != c.want {
		t.Errorf("got  %s\nwant %s", got, c.want)
	}
}

func (c loadCase) checkRefusal(t *testing.T, config Config, err error) {
	t.Helper()
	if err == nil {
		t.Fatalf("got a Config for %s, want a refusal", config.Server)
	}
	text := err.Error()
	if !strings.Contains(text, c.refuse) {
		t.Errorf("got  %s\nwant %s", text, c.refuse)
	}
	ce, ok := err.(*ConfigError)
	if !ok || ce.Unsupported != c.unsupported {
		t.Errorf("got %#v, want a *ConfigError with Unsupported %v", err, c.unsupported)
	}
	if strings.Contains(text, "planted") || strings.ContainsAny(text, "\n\r\x1b") || len(text) > 2000 {
		t.Errorf("the message leaks, breaks or floods: %q", text)
	}
}

// summary lists what is set, in one line.
func summary(t *testing.T, c Config, p testPEM) string {
	t.Helper()
	var parts []string
	add := func(set bool, format string, args ...any) {
		if set {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	pem := func(data []byte) string {
		switch string(data) {
		case p.cert:
			return "CERT"
		case p.key:
			return "KEY"
		}
		return fmt.Sprintf("%q", data)
	}
	add(true, "%s", c.Server)
	add(true, "ns=%s", c.Namespace)
	add(c.CAData != nil, "ca=%s", pem(c.CAData))
	add(c.CAFile != "", "cafile=%s", c.CAFile)
	add(c.InsecureSkipTLSVerify, "insecure")
	add(c.TLSServerName != "", "sni=%s", c.TLSServerName)
	add(c.CertData != nil, "cert=%s", pem(c.CertData))
	add(c.KeyData != nil, "key=%s", pem(c.KeyData))
	add(c.CertFile != "", "certfile=%s", c.CertFile)
	add(c.KeyFile != "", "keyfile=%s", c.KeyFile)
	if c.Token != nil {
		token, err := c.Token(context.Background())
		add(true, "token=%s", token)
		add(err != nil, "tokenerr=%v", err)
		add(c.TokenRejected != nil, "rotating")
	}
	add(c.Username != "" || c.Password != "", "basic=%s:%s", c.Username, c.Password)
	add(c.DisableCompression, "nogzip")
	if c.Proxy != nil {
		proxy, err := c.Proxy(&url.URL{Scheme: "https", Host: "cluster.example:443"})
		add(true, "proxy=%v", proxy)
		add(err != nil, "proxyerr=%v", err)
	}
	return strings.Join(parts, " ")
}
