package secrets

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(pluginVariable) != "":
		os.Exit(beThePlugin())
	case os.Getenv(panicVariable) != "":
		panicWith(os.Getenv(panicVariable))
	}
	// The tests wait for time-outs far more than they compute.
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
