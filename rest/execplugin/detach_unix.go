//go:build unix

package execplugin

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// detach gives the program a process group of its own, so that ending it ends its children too. Not for one that may use the terminal: it would be in
// the background there.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}
