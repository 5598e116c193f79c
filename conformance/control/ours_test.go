package control

import (
	"context"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"

	"github.com/rawwatch/rawwatch/informer"
	"github.com/rawwatch/rawwatch/listwatch"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/store"
	"github.com/rawwatch/rawwatch/watchdecoder"
)

// ours is this module's informer.
type ours struct {
	*informer.Informer[*corev1.Pod]
	subscription *informer.Subscription[*corev1.Pod]
}

func (o ours) synced() bool        { return isClosed(o.Synced()) }
func (o ours) handlerSynced() bool { return isClosed(o.subscription.Synced()) }
func (o ours) size() int           { return o.Lister().Len() }

func (o ours) version(key string) string {
	k, err := store.ParseKey(key)
	if err != nil {
		panic(err)
	}
	entry, _ := o.Store().Entry(k)
	return entry.ResourceVersion
}

func (o ours) whyNotSynced(ctx context.Context) string { return o.WaitSync(ctx).Error() }
func (o ours) removeHandler()                          { o.subscription.Close(true) }

// informer is the present one; only for tests of what client-go has not.
func (b *bed) informer() ours { return b.peer.(ours) }

func (b *bed) startOurs(s setup) {
	b.Helper()
	config := rest.Config{Server: b.server.URL(), Dial: b.dial}
	if b.tls != nil {
		config = rest.Config{Server: b.tls.url, CAData: b.tls.ca}
	}
	if b.token != "" {
		config.Token = func(context.Context) (string, error) { return b.token, nil }
	}
	client, err := rest.NewClient(config)
	if err != nil {
		b.Fatal(err)
	}
	codec := watchdecoder.JSON[corev1.Pod]()
	if s.transform != nil {
		codec = informer.Transform(codec, func(p *corev1.Pod) (*corev1.Pod, error) {
			strip, err := s.transform(p.Namespace + "/" + p.Name)
			if strip {
				p.ObjectMeta = stripped(p.ObjectMeta)
			}
			return p, err
		})
	}
	random := rand.New(rand.NewPCG(1, 2))
	i := informer.New(client, rest.Pods, codec, informer.Options{Reflector: listwatch.Options{Rand: random.Float64}})
	subscription := i.Subscribe(informer.Handler[*corev1.Pod]{OnEvent: func(e informer.Event[*corev1.Pod]) {
		b.note(e.Kind.String(), e.Key.String(), e.ResourceVersion, s)
	}})
	if s.resync > 0 {
		i.Subscribe(informer.Handler[*corev1.Pod]{OnEvent: func(informer.Event[*corev1.Pod]) {}, Resync: s.resync})
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		i.Run(ctx)
		close(done)
	}()
	b.peer = ours{i, subscription}
	b.stop = func() {
		cancel()
		<-done
		client.Close()
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
