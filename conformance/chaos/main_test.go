// Package chaos runs informers of this module and of client-go side by side
// against a real kube-apiserver, while the server, etcd and the network between
// them are mistreated at random.
package chaos

import (
	"log/slog"
	"os"
	"testing"

	"go.uber.org/goleak"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

func TestMain(m *testing.M) {
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	utilruntime.ErrorHandlers = nil
	os.Exit(m.Run())
}

// known are goroutines of the servers of the test and of klog.
func known() []goleak.Option {
	return []goleak.Option{
		goleak.IgnoreAnyFunction("k8s.io/klog/v2.(*flushDaemon).run.func1"),
		goleak.IgnoreAnyFunction("github.com/rawwatch/rawwatch/conformance/cluster.startProcess.func1"),
		goleak.IgnoreCurrent(),
	}
}
