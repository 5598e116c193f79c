//go:build !unix

package fuzz

import "time"

func processorTime() time.Duration { return 0 }
