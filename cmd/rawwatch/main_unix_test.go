//go:build unix

package main

import (
	"context"
	"errors"
	"syscall"
	"testing"
)

// The first signal ends the context and says which it was.
func TestASignalEndsTheProgram(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		ctx, stop := untilSignal(t.Context())
		if err := syscall.Kill(syscall.Getpid(), signal); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		var got signalled
		if !errors.As(context.Cause(ctx), &got) || got.signal != signal {
			t.Errorf("%v: %v", signal, context.Cause(ctx))
		}
		stop()
	}
}
