package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// KeyPair is a certificate and its private key, both PEM.
type KeyPair struct {
	Cert []byte
	Key  []byte
}

// authority signs the certificates of one cluster.
type authority struct {
	KeyPair
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	next int64 // serial number
}

func newAuthority(now time.Time) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "rawwatch-conformance"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(24 * time.Hour),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	pair, cert, err := sign(template, template, key, key)
	if err != nil {
		return nil, err
	}
	return &authority{KeyPair: pair, cert: cert, key: key, next: 2}, nil
}

// server issues a certificate for loopback names.
func (a *authority) server() (KeyPair, error) {
	return a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	})
}

// client issues a certificate that authenticates user, who belongs to groups.
func (a *authority) client(user string, groups ...string) (KeyPair, error) {
	return a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func (a *authority) issue(template *x509.Certificate) (KeyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return KeyPair{}, err
	}
	template.SerialNumber = big.NewInt(a.next)
	a.next++
	template.NotBefore, template.NotAfter = a.cert.NotBefore, a.cert.NotAfter
	template.KeyUsage = x509.KeyUsageDigitalSignature
	pair, _, err := sign(template, a.cert, key, a.key)
	return pair, err
}

func sign(template, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) (KeyPair, *x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		return KeyPair{}, nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return KeyPair{}, nil, err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return KeyPair{}, nil, err
	}
	return KeyPair{Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), Key: keyPEM}, cert, nil
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

// Certificates returns an authority's certificate and a client certificate it
// has signed, for tests that need files which look right.
func Certificates() (ca []byte, client KeyPair, err error) {
	a, err := newAuthority(time.Now())
	if err != nil {
		return nil, KeyPair{}, err
	}
	client, err = a.client("client")
	return a.Cert, client, err
}
