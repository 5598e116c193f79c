// Package execplugin runs the credential plugins of kubeconfigs: programs such as aws, gke-gcloud-auth-plugin or kubelogin, which print a token or a
// client certificate (https://kubernetes.io/docs/reference/access-authn-authz/authentication, "client-go credential plugins").
//
// It is a package of its own because it links os/exec and encoding/json. A program allows plugins with
//
//	rest.LoadOptions{Exec: execplugin.New(execplugin.Options{})}
//
// A kubeconfig that names a plugin can run any program as the user who loads it: see Options.Allow, and rest.Untrusted.
package execplugin

import (
	"io"
	"os"
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

// Options say which plugins may run, and how. Zero is the documented default.
type Options struct {
	// Allow names the programs that may run, as commands or paths. Both a kubeconfig's command and these names are looked up, and the files found must be
	// the same. Nil allows every program, an empty list none. Arguments and environment stay the kubeconfig's, but for LD_ and DYLD_ variables, and many
	// programs can be told by them to run others: a list says which programs are meant, not that a kubeconfig is harmless.
	Allow []string
	// Timeout bounds one run. Default 1 minute, 5 minutes when the plugin may ask at the terminal; negative is no limit.
	Timeout time.Duration
	// MaxOutputBytes bounds what a plugin may print. Default 1 MiB; negative is no limit.
	MaxOutputBytes int
	// Terminal is where plugins may ask for a password; the caller has found it to be a terminal. Nil is none: a plugin whose interactiveMode is Always
	// is refused then.
	Terminal *os.File
	// Stderr is shown what plugins say on standard error while they run, such as where to log in: printable ASCII and line ends, the rest escaped.
	// Writes come from a goroutine that ends with the run. Nil shows the last of it in the error of a plugin that failed, and nothing else.
	Stderr io.Writer
	// Env gives the environment of plugins as os.Environ does; nil is os.Environ. What the kubeconfig adds comes on top.
	Env func() []string
	// Now is the clock for expiry; nil is time.Now.
	Now func() time.Time
}

const (
	defaultTimeout            = time.Minute
	defaultInteractiveTimeout = 5 * time.Minute
	defaultMaxOutput          = 1 << 20
)

// Plugins makes plugins of kubeconfig entries. It is safe for concurrent use.
type Plugins struct{ opts Options }

// New returns the value of rest.LoadOptions.Exec.
func New(o Options) *Plugins {
	if o.MaxOutputBytes == 0 {
		o.MaxOutputBytes = defaultMaxOutput
	}
	if o.Env == nil {
		o.Env = os.Environ
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Plugins{o}
}

// ExecPlugin checks an entry of a kubeconfig and returns its plugin; nothing runs before it is asked. The error says what is wrong with the entry, or
// that its program is not allowed; it repeats neither arguments nor environment.
func (p *Plugins) ExecPlugin(e rest.ExecEntry) (rest.CredentialSource, error) {
	c, err := parseEntry(e.Fields())
	if err != nil {
		return nil, err
	}
	cluster := e.Cluster()
	return p.plugin(c, e.Folder(), &cluster)
}

// NewPlugin returns the plugin of a Config that is written in Go, for rest.Config.Credentials. A relative command with a separator is found from the
// working folder. cluster may be nil unless ProvideClusterInfo is set.
func (p *Plugins) NewPlugin(c Config, cluster *rest.ExecCluster) (*Plugin, error) {
	return p.plugin(c, "", cluster)
}

func (p *Plugins) plugin(c Config, folder string, cluster *rest.ExecCluster) (*Plugin, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.InteractiveMode == Always && p.opts.Terminal == nil {
		return nil, errorf("interactiveMode is Always, and there is no terminal to ask at")
	}
	x := &Plugin{opts: p.opts, config: c, folder: folder, turn: make(chan struct{}, 1)}
	if err := x.allowed(); err != nil {
		return nil, err
	}
	info, err := execInfo(c, p.interactive(c), cluster)
	if err != nil {
		return nil, err
	}
	x.info, x.terminal = info, p.interactive(c)
	return x, nil
}

func (p *Plugins) interactive(c Config) bool {
	return p.opts.Terminal != nil && c.InteractiveMode != Never
}
