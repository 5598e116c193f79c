package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// stopGrace is how long a process may take to end once asked politely.
const stopGrace = 20 * time.Second

// process is one run of a server. It ends with this process at the latest
// where the kernel can promise that.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended; err is valid then
	err  error
}

// startProcess runs path and appends what it prints to the file log.
func startProcess(path string, args []string, log string) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "--- %s %q\n", filepath.Base(path), args)
	p := &process{cmd: exec.Command(path, args...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = out, out
	p.cmd.SysProcAttr = dieWithParent()

	started := make(chan error)
	go func() {
		// The death signal is tied to the thread that forked, not to the
		// process: this goroutine keeps its thread until the child has ended.
		runtime.LockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.err = p.cmd.Wait()
		}
		out.Close()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return p, nil
}

// stop sends the signal and waits for the end; a process that outlives the
// grace is killed and reported.
func (p *process) stop(signal syscall.Signal) error {
	_ = p.cmd.Process.Signal(signal) // it may have ended on its own
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-p.done:
		return nil
	case <-timer.C:
		_ = p.cmd.Process.Kill()
		<-p.done
		return fmt.Errorf("%s did not end within %v of %v", filepath.Base(p.cmd.Path), stopGrace, signal)
	}
}

// ended reports whether the process is gone, without waiting.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
