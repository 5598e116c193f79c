package sim

import (
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A world without faults ends as the server is, whatever the framing.
func TestWorldConverges(t *testing.T) {
	for name, o := range map[string]Options{
		"plain": {}, "TLS": {TLS: true}, "gzip": {Gzip: true}, "gzip over TLS": {TLS: true, Gzip: true},
		"slow network": {Latency: 3 * time.Millisecond, Pace: 100},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := NewWorld(t, o)
				defer w.Stop()
				w.Put(Key{Namespace: "a", Name: "x"}, "g")
				w.Start()
				w.Pass(time.Second)
				w.Put(Key{Namespace: "a", Name: "y"}, "g")
				w.Pass(time.Second)
				w.Delete(Key{Namespace: "a", Name: "x"})
				for _, v := range w.Finish() {
					t.Error(v.Error())
				}
				if n := w.Handlers[0].Len(); n != 3 {
					t.Errorf("%d events, want 3", n)
				}
			})
		})
	}
}
