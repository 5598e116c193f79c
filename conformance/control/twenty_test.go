package control

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/internal/memnet"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

const twenty = 20

func namespace(i int) string { return fmt.Sprintf("ns-%d", i) }

// A connection that dies under many informers is no reason to list anything
// again. client-go has all of them on one HTTP/2 connection, this module one
// each; whichever it is dies, and new ones are good.
func TestADeadConnectionUnderTwentyInformersCostsNoList(t *testing.T) {
	for _, c := range []struct {
		name string
		rest bool // it is reset; otherwise it goes silent
	}{{"goes silent", false}, {"is reset", true}} {
		t.Run(c.name, func(t *testing.T) {
			fault := "20 informers, TLS (client-go: HTTP/2, one connection for all), the connection " + c.name
			compare(t, fault, "0 lists, at most 20 probes, all converge", fakeapi.Options{}, false, func(b *bed) string {
				var wire wire
				stop, synced, shows := b.twenty(&wire)
				defer stop()
				if _, ok := b.within(time.Minute, synced); !ok {
					b.Fatal("no first state within a minute, and nothing was wrong yet")
				}
				b.pass(5 * time.Minute)
				lists, probes := b.requests("list", "watch-list"), b.requests("probe")
				if c.rest {
					wire.reset()
				} else {
					wire.mute()
				}
				began := time.Now()
				for i := range twenty {
					b.podIn(namespace(i), "late")
				}
				_, ok := b.within(10*time.Minute, shows)
				d := time.Since(began)
				b.pass(time.Minute)
				lists, probes = b.requests("list", "watch-list")-lists, b.requests("probe")-probes
				b.must(ok && lists == 0 && probes <= twenty, "%d lists, %d probes, all converged %s", lists, probes, took(d, ok))
				return fmt.Sprintf("%d lists, %d probes, all converged after %s", lists, probes, round(max(d, time.Second)))
			})
		})
	}
}

func (b *bed) podIn(namespace, name string) {
	b.Helper()
	if _, err := b.server.Apply("pods", fmt.Sprintf(`{"metadata":{"namespace":%q,"name":%q}}`, namespace, name)); err != nil {
		b.Fatal(err)
	}
}

// twenty follows the pods of twenty namespaces over TLS on the wire.
func (b *bed) twenty(w *wire) (stop func(), synced, shows func() bool) {
	b.Helper()
	certificate, ca := selfSigned(b.T)
	network := memnet.New()
	web := &http.Server{Handler: b.server, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}}
	listener := network.Listen()
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := web.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			b.Error(err)
		}
	}()
	network.Wrap = w.wrap
	ctx, cancel := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	var informers []single
	for i := range twenty {
		b.podIn(namespace(i), "early")
	}
	var closeClient func()
	if b.ours {
		informers, closeClient = b.twentyOfOurs(network, ca)
	} else {
		informers, closeClient = b.twentyOfTheirs(network, ca)
	}
	for _, i := range informers {
		wait.Go(func() { i.run(ctx) })
	}
	all := func(condition func(single) bool) func() bool {
		return func() bool {
			for _, i := range informers {
				if !condition(i) {
					return false
				}
			}
			return true
		}
	}
	stop = func() {
		cancel()
		wait.Wait()
		closeClient()
		web.Close()
		w.reset()
		<-served
	}
	return stop, all(func(i single) bool { return i.synced() }), all(func(i single) bool { return i.size() == 2 })
}

// single is one of the twenty.
type single struct {
	run    func(context.Context)
	synced func() bool
	size   func() int
}

func (b *bed) twentyOfOurs(network *memnet.Network, ca []byte) (all []single, closeClient func()) {
	client, err := rest.NewClient(rest.Config{Server: "https://127.0.0.1", CAData: ca, Dial: network.Dial})
	if err != nil {
		b.Fatal(err)
	}
	for i := range twenty {
		one := informer.New(client, rest.Pods, watchdecoder.JSON[corev1.Pod](), informer.Options{Namespaces: []string{namespace(i)}})
		all = append(all, single{
			run:    func(ctx context.Context) { _ = one.Run(ctx) },
			synced: func() bool { return isClosed(one.Synced()) },
			size:   func() int { return one.Lister().Len() },
		})
	}
	return all, func() { client.Close() }
}

func (b *bed) twentyOfTheirs(network *memnet.Network, ca []byte) (all []single, closeClient func()) {
	config := &clientrest.Config{Host: "https://127.0.0.1", QPS: -1, Dial: network.Dial}
	config.CAData = ca
	client, err := clientrest.HTTPClientFor(config)
	if err != nil {
		b.Fatal(err)
	}
	set, err := kubernetes.NewForConfigAndClient(config, client)
	if err != nil {
		b.Fatal(err)
	}
	for i := range twenty {
		var one cache.SharedIndexInformer = informers.NewSharedInformerFactoryWithOptions(set, 0, informers.WithNamespace(namespace(i))).Core().V1().Pods().Informer()
		all = append(all, single{run: one.RunWithContext, synced: one.HasSynced, size: func() int { return len(one.GetStore().ListKeys()) }})
	}
	return all, client.CloseIdleConnections
}

// wire is the connections so far.
type wire struct {
	mu    sync.Mutex
	conns []*memnet.Conn
	muted []*atomic.Bool
}

func (w *wire) wrap(conn net.Conn) net.Conn {
	w.mu.Lock()
	defer w.mu.Unlock()
	silent := new(atomic.Bool)
	w.conns, w.muted = append(w.conns, conn.(*memnet.Conn)), append(w.muted, silent)
	return &mute{Conn: conn, after: 1 << 40, muted: silent.Load}
}

func (w *wire) mute() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, silent := range w.muted {
		silent.Store(true)
	}
}

// reset breaks them: both ends see it, as from a firewall in between.
func (w *wire) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, conn := range w.conns {
		conn.Reset()
	}
}

// selfSigned is a certificate for 127.0.0.1 that is its own authority.
func selfSigned(t *testing.T) (tls.Certificate, []byte) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
