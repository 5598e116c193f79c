package execplugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// waitDelay is how long a program that was ended may hold its output open, or its children may.
const waitDelay = time.Second

// run runs the program once.
func (p *Plugin) run(ctx context.Context) (*credential, error) {
	path, err := p.find(p.config.Command)
	if err != nil {
		return nil, p.fail(err, nil)
	}
	limit := p.timeout()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errTimeout)
		defer cancel()
	}
	stdout := &limited{max: p.opts.MaxOutputBytes}
	stderr := &tail{show: p.opts.Stderr, mask: p.mask}
	cmd := exec.CommandContext(ctx, path, p.config.Args...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = stdout, stderr, waitDelay
	cmd.Env = p.environment()
	if p.terminal {
		cmd.Stdin = p.opts.Terminal
	} else {
		detach(cmd)
	}
	started := p.opts.Now()
	err = cmd.Run()
	stderr.flush()
	switch {
	case ctx.Err() != nil && context.Cause(ctx) == errTimeout:
		return nil, p.fail(fmt.Errorf("it did not end within %v", limit), stderr)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case stdout.over:
		return nil, p.fail(fmt.Errorf("it printed more than %d bytes", p.opts.MaxOutputBytes), stderr)
	case err != nil:
		return nil, p.fail(ended(err), stderr)
	}
	c, err := parseOutput(stdout.data, p.config.APIVersion, started)
	if err != nil {
		return nil, p.fail(err, stderr)
	}
	return c, nil
}

var errTimeout = errors.New("the time limit of a plugin")

func (p *Plugin) timeout() time.Duration {
	switch {
	case p.opts.Timeout != 0:
		return p.opts.Timeout
	case p.terminal:
		return defaultInteractiveTimeout
	}
	return defaultTimeout
}

// environment is ours, the entry's, and what the plugin is told; of two of a name the last one counts.
func (p *Plugin) environment() []string {
	env := p.opts.Env()
	env = env[:len(env):len(env)]
	for _, v := range p.config.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	return append(env, infoVariable+"="+p.info)
}

// ended says how a program ended; os/exec's own words hold nothing else.
func ended(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return errors.New(exit.ProcessState.String())
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		return errors.New("it ended and left its output open")
	}
	return fmt.Errorf("it could not be run: %w", plain(err))
}

// plain leaves out the path: the message names the command already.
func plain(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return e.Err
	}
	return err
}

// find is the file a command means: through PATH, or, with a separator in it, from the kubeconfig's folder. One that PATH finds in the working folder
// is refused (exec.ErrDot).
func (p *Plugin) find(command string) (string, error) {
	if p.folder != "" && !filepath.IsAbs(command) && strings.ContainsAny(command, `/`+string(filepath.Separator)) {
		command = filepath.Join(p.folder, command)
	}
	path, err := exec.LookPath(command)
	if err != nil {
		return "", fmt.Errorf("it cannot be found: %w", plain(err))
	}
	return filepath.Abs(path)
}

// allowed compares files, not names: a kubeconfig's "./aws" is not the aws of PATH.
func (p *Plugin) allowed() error {
	if p.opts.Allow == nil {
		return nil
	}
	path, err := p.find(p.config.Command)
	for _, name := range p.opts.Allow {
		if err != nil {
			// Not there: that it has to be installed is for the run to say. A bare name means the same file in both.
			if name == p.config.Command && filepath.Base(name) == name {
				return p.unchanged()
			}
			continue
		}
		own := &Plugin{} // names of the caller's are not the kubeconfig's folder's business
		if file, err := own.find(name); err == nil && file == path {
			return p.unchanged()
		}
	}
	return errorf("command %q is not among the plugins that this program allows", clip(p.config.Command))
}

// unchanged refuses the variables by which a kubeconfig would load code of its own into a program that is allowed.
func (p *Plugin) unchanged() error {
	for _, v := range p.config.Env {
		if name := strings.ToUpper(v.Name); strings.HasPrefix(name, "LD_") || strings.HasPrefix(name, "DYLD_") {
			return errorf("variable %q of env is not allowed: it changes what an allowed program does", clip(v.Name))
		}
	}
	return nil
}
