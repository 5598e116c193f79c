//go:build unix && !linux

package cluster

import "syscall"

func dieWithParent() *syscall.SysProcAttr { return nil }
