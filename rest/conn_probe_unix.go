//go:build unix

package rest

import (
	"net"
	"syscall"
)

// socketOf returns the socket of a connection that is one.
func socketOf(c net.Conn) (syscall.Conn, bool) {
	s, ok := c.(syscall.Conn)
	return s, ok
}

// silentSocket looks into the socket's receive queue without waiting and without taking anything out: empty and open is silent.
func silentSocket(s syscall.Conn) bool {
	rc, err := s.SyscallConn()
	if err != nil {
		return false
	}
	silent := false
	err = rc.Read(func(fd uintptr) bool {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		silent = err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
		return true
	})
	return err == nil && silent
}
