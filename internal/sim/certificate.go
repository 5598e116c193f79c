package sim

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"time"
)

// NewCertificate makes a certificate for the world's server. It is valid in a bubble, where it is the year 2000, and its signatures are of one length, so that
// every byte of a handshake has its place.
func NewCertificate() tls.Certificate {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err) // the reader does not fail
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "api.sim"}, DNSNames: []string{"api.sim"},
		NotBefore: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2199, 1, 1, 0, 0, 0, 0, time.UTC),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		panic(err) // the template is the one above
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err) // it was made two lines above
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private, Leaf: leaf}
}

func clientTLS(c *tls.Certificate) *tls.Config {
	roots := x509.NewCertPool()
	roots.AddCert(c.Leaf)
	return &tls.Config{RootCAs: roots, ServerName: "api.sim", CurvePreferences: []tls.CurveID{tls.X25519}}
}
