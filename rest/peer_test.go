package rest

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/internal/memnet"
)

// peer is the server's side of an in-memory network, written out by each test.
type peer struct {
	t   testing.TB
	net *memnet.Network
	l   net.Listener
	wg  sync.WaitGroup
}

func newPeer(t testing.TB) *peer {
	n := memnet.New()
	return &peer{t: t, net: n, l: n.Listen()}
}

// run plays the server in a goroutine that close waits for.
func (p *peer) run(f func()) { p.wg.Go(f) }

func (p *peer) close() {
	p.l.Close()
	p.wg.Wait()
}

// client returns a client of this peer.
func (p *peer) client(cfg Config) *Client {
	p.t.Helper()
	if cfg.Server == "" {
		cfg.Server = "http://127.0.0.1:8001"
	}
	if cfg.Dial == nil {
		cfg.Dial = p.net.Dial
	}
	c, err := NewClient(cfg)
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

// peerConn is one accepted connection.
type peerConn struct {
	net.Conn
	br *bufio.Reader
}

// accept takes the next connection. nil after the listener was closed.
func (p *peer) accept() *peerConn {
	c, err := p.l.Accept()
	if err != nil {
		return nil
	}
	return &peerConn{c, bufio.NewReader(c)}
}

// head reads a request up to its empty line; "" when the client has gone.
func (c *peerConn) head() string {
	var head string
	for c != nil {
		line, err := c.br.ReadString('\n')
		if err != nil {
			return ""
		}
		if head += line; line == "\r\n" {
			return head
		}
	}
	return ""
}

func (c *peerConn) send(s string) { c.Write([]byte(s)) }

// authority signs certificates.
type authority struct {
	t    testing.TB
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	PEM  []byte
}

func newAuthority(t testing.TB) *authority {
	t.Helper()
	a := &authority{t: t, key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.PEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return a
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// issue returns a certificate for a name or IP address, valid until an offset from now, as PEM.
func (a *authority) issue(name string, until time.Duration) (cert, key []byte) {
	a.t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(until), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(name); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{name}
	}
	k := newKey(a.t)
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &k.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		a.t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})
}

// server returns the TLS configuration of a server of that name.
func (a *authority) server(name string) *tls.Config {
	a.t.Helper()
	cert, key := a.issue(name, time.Hour)
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		a.t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}}
}

// secure shakes hands as a server. nil if that failed.
func (c *peerConn) secure(cfg *tls.Config) *peerConn {
	if c == nil {
		return nil
	}
	tc := tls.Server(c.Conn, cfg)
	if err := tc.Handshake(); err != nil {
		c.Close()
		return nil
	}
	return &peerConn{tc, bufio.NewReader(tc)}
}

// blockedDial is a dialler whose peer never answers.
func blockedDial(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

var discardLog = log.New(io.Discard, "", 0)
