package listwatch

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "rewrite the golden transcripts; commit what changes only if it is understood and wanted")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
