package cluster

import "syscall"

// dieWithParent makes the kernel kill the child when the test binary dies
// without cleaning up, as on a test timeout.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
