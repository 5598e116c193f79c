package control

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/rawwatch/rawwatch/fakeapi"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/status"
)

// One watch from a version that is gone ends with an error that says so.
func TestASingleWatchFromAVersionThatIsGoneEndsWithThatError(t *testing.T) {
	row := outcome{defect: 15, fault: "a watch from a compacted version, answered with HTTP 410 (client-go: RetryWatcher)", test: t.Name()}
	server := func(t *testing.T) *fakeapi.Server {
		s := fakeapi.New(fakeapi.Options{GoneStatus: true})
		for range 3 {
			if _, err := s.Apply("pods", podJSON("a")); err != nil {
				t.Fatal(err)
			}
		}
		s.Compact()
		return s
	}
	synctest.Test(t, func(t *testing.T) {
		s := server(t)
		defer s.Close()
		client, err := rest.NewClient(rest.Config{Server: s.URL(), Dial: s.Dial})
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		var last error
		for _, err := range listwatch.Watch(t.Context(), client, listwatch.Options{Resource: rest.Pods, List: rest.ListOptions{ResourceVersion: "1"}}) {
			last = err
		}
		if !status.IsGone(last) || len(s.Requests()) != 1 {
			t.Errorf("after %d requests: %v", len(s.Requests()), last)
		}
		row.rawwatch = fmt.Sprintf("ends after %d request with an error for which IsGone is true", len(s.Requests()))
	})
	synctest.Test(t, func(t *testing.T) {
		s := server(t)
		defer s.Close()
		transport := &http.Transport{DialContext: s.Dial}
		defer transport.CloseIdleConnections()
		set, err := kubernetes.NewForConfigAndClient(&clientrest.Config{Host: s.URL(), QPS: -1}, &http.Client{Transport: transport})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w, err := watchtools.NewRetryWatcherWithContext(ctx, "1", &cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return set.CoreV1().Pods("").Watch(ctx, o)
		}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		n := len(s.Requests())
		if row.reference = fmt.Sprintf("ended after %d requests", n); !isClosed(w.Done()) {
			row.reference = fmt.Sprintf("%d requests in ten minutes, and no error for whoever waits", n)
		}
		cancel()
		for range w.ResultChan() {
		}
		<-w.Done()
	})
	outcomes.record(t, row)
}

// A stream that a proxy breaks off is resumed: nothing is listed for that. On
// the real network, for client-go's HTTP/2 is what the defect is about.
func TestABrokenStreamIsResumedWithoutAList(t *testing.T) {
	const cuts = 3
	row := outcome{defect: 2, fault: "the watch's stream is reset 3 times (loopback, TLS; client-go: HTTP/2 RST_STREAM, rawwatch: HTTP/1.1)", test: t.Name()}
	measure := func(ours bool) string {
		b := &bed{T: t, server: fakeapi.New(fakeapi.Options{}), ours: ours}
		defer b.server.Close()
		web := httptest.NewUnstartedServer(b.server)
		web.EnableHTTP2 = true
		web.StartTLS()
		defer web.Close()
		defer b.server.CloseWatches()
		b.tls = &tlsServer{url: web.URL, ca: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})}
		var cut atomic.Bool
		b.server.RewriteEvents(func(_ *http.Request, e fakeapi.Event) []fakeapi.Event {
			if cut.CompareAndSwap(true, false) {
				panic(http.ErrAbortHandler)
			}
			return []fakeapi.Event{e}
		})
		b.pod("a")
		b.start(setup{late: true})
		defer b.stop()
		reach := func() bool {
			for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
				if b.shows("a")() {
					return true
				}
			}
			return false
		}
		if !reach() {
			t.Fatal("not synced")
		}
		lists := b.requests("list", "watch-list")
		for range cuts {
			cut.Store(true)
			b.pod("a")
			b.must(reach(), "the change was not seen")
		}
		n := b.requests("list", "watch-list") - lists
		b.must(n == 0, "%d lists", n)
		return fmt.Sprintf("%d lists and watch-lists", n)
	}
	row.rawwatch, row.reference = measure(true), measure(false)
	outcomes.record(t, row)
}

// tlsServer is a server on the loopback network.
type tlsServer struct {
	url string
	ca  []byte
}
