package credentials

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/conformance/cluster"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
)

// The client certificate is rotated on disk, then the authority: the bundle gains a new one, the server's certificate is the new one's, the old one
// leaves the bundle. The server leaves its watches open for an hour; it is the client that ends what rests on the old files, and goes on.
func TestCertificateAndAuthorityAreRotatedDuringAWatch(t *testing.T) {
	t.Parallel()
	c := cluster.Run(t, cluster.Options{})
	second := newAuthority(t)
	bundle := slices.Concat(c.CA(), second.pem)
	w := cluster.NewClient(c.URL(), bundle, cluster.AdminToken)
	t.Cleanup(w.Close)
	s := newScene(t, c, w, "certificates")
	pair := func(user string) map[string][]byte {
		p, err := c.ClientCertificate(user, admins...)
		if err != nil {
			t.Fatal(err)
		}
		return map[string][]byte{"tls.crt": p.Cert, "tls.key": p.Key}
	}
	s.swap("client", "1", pair("first"))
	s.swap("authority", "1", map[string][]byte{"ca.crt": c.CA()})
	config := s.config(map[string]any{"server": c.URL(), "certificate-authority": "authority/ca.crt"},
		map[string]any{"client-certificate": "client/tls.crt", "client-key": "client/tls.key"})
	config.ReloadInterval = 500 * time.Millisecond
	var issuers issuers
	config.Trace = &rest.Trace{TLS: issuers.note}
	f := s.followFor(config, 3600)
	s.change()

	s.swap("client", "2", pair("second"))
	s.changeUntil("a request with the second certificate", func() bool {
		users, _ := s.users()
		return slices.Contains(users, "second")
	})

	s.swap("authority", "2", map[string][]byte{"ca.crt": bundle})
	issuers.forget()
	s.changeUntil("a connection that trusts both", func() bool { return issuers.last() != "" })
	certificate, key := second.server(t)
	for name, content := range map[string][]byte{"server.crt": certificate, "server.key": key} {
		if err := os.WriteFile(filepath.Join(c.Dir(), name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.changeUntil("the server's new certificate", func() bool { return servesIssuer(t, c, bundle) == second.name })
	s.swap("authority", "3", map[string][]byte{"ca.crt": second.pem})
	issuers.forget()
	started := time.Now()
	s.changeUntil("a connection that trusts the second authority alone", func() bool { return issuers.last() == second.name })
	t.Logf("the old authority was given up after %v", time.Since(started).Round(100*time.Millisecond))
	f.finish(s)
	if users, refused := s.users(); !slices.Equal(users, []string{"first", "second"}) || refused > 0 {
		t.Errorf("the requests were of %v, %d refused, want first, then second", users, refused)
	}
}

// issuers notes who signed the certificate of the last connection.
type issuers struct {
	mu   sync.Mutex
	name string
}

func (i *issuers) note(d rest.TLSDone) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.name = d.Peer[0].Issuer.CommonName
}

func (i *issuers) forget() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.name = ""
}

func (i *issuers) last() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.name
}

// servesIssuer says who signed the certificate that the server shows now.
func servesIssuer(t *testing.T, c *cluster.Cluster, bundle []byte) string {
	t.Helper()
	var seen issuers
	client, err := rest.NewClient(rest.Config{Server: c.URL(), CAData: bundle, Trace: &rest.Trace{TLS: seen.note}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	response, err := client.Do(cluster.Deadline(t, 10*time.Second), rest.Request{Path: "/version"})
	if err == nil {
		response.Body.Close()
	} else if !status.IsForbidden(err) && !status.IsUnauthorized(err) {
		t.Fatal(err)
	}
	return seen.last()
}

// A server whose certificate none of our authorities signed is sent nothing, and the explanation says what to do.
func TestUntrustedAuthorityIsRefusedWithAnExplanation(t *testing.T) {
	t.Parallel()
	s := sharedScene(t, "untrusted")
	s.file("other.crt", newAuthority(t).pem)
	for name, clusterFields := range map[string]map[string]any{
		"another authority":  {"server": s.cluster.URL(), "certificate-authority": "other.crt"},
		"the system's roots": {"server": s.cluster.URL()},
		"another name":       {"server": s.cluster.URL(), "certificate-authority": "ca.crt", "tls-server-name": "api.example.com"},
	} {
		client, err := rest.NewClient(s.config(clusterFields, map[string]any{"token": "planted-first"}))
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		_, err = client.Do(s.ctx, rest.Request{Path: rest.ConfigMaps.Path(s.namespace, "")})
		failure, ok := err.(*rest.Error)
		if !ok || failure.Phase != rest.PhaseTLS {
			t.Fatalf("%s: %v, want an Error of PhaseTLS", name, err)
		}
		explained := rest.Explain(err)
		if !strings.Contains(fmt.Sprint(explained), "certificate") || strings.Contains(fmt.Sprint(err, explained), "planted") {
			t.Errorf("%s: %v: %v", name, err, explained)
		}
		t.Logf("%s: %v\n%v", name, err, explained)
	}
	if users, refused := s.users(); len(users)+refused > 0 {
		t.Errorf("the server was asked by %v, want nobody", users)
	}
	// The right name for the same server is accepted: it is the name that was wrong.
	good := s.config(map[string]any{"server": s.cluster.URL(), "certificate-authority": "ca.crt", "tls-server-name": "kubernetes.default.svc"}, map[string]any{"token": "planted-first"})
	f := s.follow(good)
	s.change()
	f.finish(s)
}

// authority is one of ours, beside the cluster's.
type authority struct {
	name string
	pem  []byte
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{name: "second-authority", key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: a.name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, IsCA: true, BasicConstraintsValid: true,
	}
	a.pem = signed(t, template, template, a.key, a.key)
	block, _ := pem.Decode(a.pem)
	var err error
	if a.cert, err = x509.ParseCertificate(block.Bytes); err != nil {
		t.Fatal(err)
	}
	return a
}

// server issues a certificate for loopback names.
func (a *authority) server(t *testing.T) (certificate, key []byte) {
	t.Helper()
	own := newKey(t)
	certificate = signed(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "kube-apiserver"}, NotBefore: a.cert.NotBefore, NotAfter: a.cert.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}, a.cert, own, a.key)
	der, err := x509.MarshalECPrivateKey(own)
	if err != nil {
		t.Fatal(err)
	}
	return certificate, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func signed(t *testing.T, template, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) []byte {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
