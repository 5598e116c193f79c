//go:build !unix

package execplugin

import "os/exec"

// detach does nothing here: ending the program leaves its children, which waitDelay does not wait for.
func detach(*exec.Cmd) {}
