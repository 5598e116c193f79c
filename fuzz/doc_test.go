// Package fuzz holds the fuzz targets that cross package borders, and those that fuzz sequences: frames one after another, pages, responses on one
// connection, operations on a store, a queue, a log, the whole of a reflector against a server that misbehaves.
//
// Each target has an oracle that somebody else wrote or that is too simple to be wrong (encoding/json, net/http, compress/gzip, a map, a slice), and a
// limit on what an input may cost (cost_test.go). Targets that need what a package does not export stand in that package; docs/reliability.md lists
// them all. .ci/fuzz runs every one of them for a moment, FUZZTIME=10m .ci/fuzz for longer.
package fuzz

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
