//go:build !unix

package rest

import (
	"net"
	"syscall"
)

// socketOf finds no socket here: a look into its queue that never waits is not to be had.
func socketOf(net.Conn) (syscall.Conn, bool) { return nil, false }

func silentSocket(syscall.Conn) bool { return true }
