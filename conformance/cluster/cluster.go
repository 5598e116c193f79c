// Package cluster runs a real Kubernetes API server for tests: etcd and
// kube-apiserver, built from source, on loopback, with files in a folder of
// their own. No controller, scheduler or kubelet runs: what the tests write is
// all that happens.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ready bounds the wait for a server that has been started.
const readyTimeout = 90 * time.Second

// Options shape a cluster. The zero value serves.
type Options struct {
	// MinRequestTimeout is the server's: it ends a watch that names no
	// timeoutSeconds after a time between this and twice this. Whole seconds;
	// zero is Kubernetes' 30 minutes.
	MinRequestTimeout time.Duration
	// Tokens are accepted beside AdminToken.
	Tokens []Token
	// Args are added to kube-apiserver's command line.
	Args []string
	// Log receives progress; nil is silent.
	Log io.Writer
}

// Token is a static bearer token of the server.
type Token struct {
	Value  string
	User   string
	Groups []string
}

// AdminToken authenticates a member of system:masters: everything is allowed.
const AdminToken = "admin-token"

// Cluster is a running etcd and kube-apiserver. Its methods are not safe for
// concurrent use, except URL, CA, Dir and Client.
type Cluster struct {
	Version string // of Kubernetes, "v1.37.1"

	binaries  Binaries
	dir       string
	files     files
	authority *authority
	ports     ports
	options   Options
	etcd      *process
	apiServer *process
}

type ports struct{ api, etcd, etcdPeer int }

// Start builds the servers where needed and returns once /readyz answers 200:
// some ten seconds when they were built before. Close stops them.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	if o.Log == nil {
		o.Log = io.Discard
	}
	binaries, err := Build(ctx, o.Log)
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		c, err := startOnce(ctx, o, binaries)
		// Somebody else may take a port between its choice and its use.
		if err == nil || attempt == 3 || !strings.Contains(err.Error(), "address already in use") {
			return c, err
		}
	}
}

func startOnce(ctx context.Context, o Options, binaries Binaries) (*Cluster, error) {
	dir, err := os.MkdirTemp("", "rawwatch-cluster-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{Version: binaries.Version, binaries: binaries, dir: dir, options: o}
	start := time.Now()
	if err := c.start(ctx); err != nil {
		err = fmt.Errorf("%w\n%s", err, c.LogTail(20))
		return nil, errors.Join(err, c.Close())
	}
	fmt.Fprintf(o.Log, "conformance: kube-apiserver %s ready in %.1fs at %s\n", c.Version, time.Since(start).Seconds(), c.URL())
	return c, nil
}

func (c *Cluster) start(ctx context.Context) error {
	var err error
	if c.authority, err = newAuthority(time.Now()); err != nil {
		return err
	}
	if c.files, err = writeFiles(c.dir, c.authority, c.options.Tokens); err != nil {
		return err
	}
	if c.ports, err = freePorts(); err != nil {
		return err
	}
	if c.etcd, err = startProcess(c.binaries.Etcd, c.etcdArgs(), c.files.etcdLog); err != nil {
		return err
	}
	return c.StartAPIServer(ctx)
}

// StartAPIServer starts a stopped kube-apiserver on the same port, with the
// same state, and waits until it is ready.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	p, err := startProcess(c.binaries.APIServer, c.apiServerArgs(), c.files.apiLog)
	if err != nil {
		return err
	}
	c.apiServer = p
	return c.waitReady(ctx)
}

// StopAPIServer ends kube-apiserver: SIGTERM lets it say goodbye, SIGKILL cuts
// every connection. etcd keeps running.
func (c *Cluster) StopAPIServer(signal syscall.Signal) error {
	return c.apiServer.stop(signal)
}

// RestartAPIServer is StopAPIServer and StartAPIServer.
func (c *Cluster) RestartAPIServer(ctx context.Context, signal syscall.Signal) error {
	if err := c.StopAPIServer(signal); err != nil {
		return err
	}
	return c.StartAPIServer(ctx)
}

// Close kills both servers and removes the cluster's folder.
func (c *Cluster) Close() error {
	var errs []error
	for _, p := range []*process{c.apiServer, c.etcd} {
		if p != nil {
			errs = append(errs, p.stop(syscall.SIGKILL))
		}
	}
	return errors.Join(append(errs, os.RemoveAll(c.dir))...)
}

// URL is the server's https origin, without a slash at its end.
func (c *Cluster) URL() string { return "https://" + c.Addr() }

// Addr is the server's host:port.
func (c *Cluster) Addr() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.ports.api))
}

// CA is the PEM certificate that signed the server's.
func (c *Cluster) CA() []byte { return c.authority.Cert }

// ClientCertificate issues a client certificate the server accepts for user.
func (c *Cluster) ClientCertificate(user string, groups ...string) (KeyPair, error) {
	return c.authority.client(user, groups...)
}

// Dir is the cluster's folder; Close removes it.
func (c *Cluster) Dir() string { return c.dir }

// AuditLog is the path of the server's audit log: one JSON event per line, at
// metadata level, for each request's start and end.
func (c *Cluster) AuditLog() string { return c.files.auditLog }

// LogTail returns the last lines of both servers' logs.
func (c *Cluster) LogTail(lines int) string {
	var b strings.Builder
	for _, path := range []string{c.files.etcdLog, c.files.apiLog} {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		all := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
		fmt.Fprintf(&b, "--- %s\n%s\n", filepath.Base(path), strings.Join(all[max(0, len(all)-lines):], "\n"))
	}
	return b.String()
}

// KeepLogs copies the servers' logs into dir.
func (c *Cluster) KeepLogs(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var errs []error
	for _, path := range []string{c.files.etcdLog, c.files.apiLog, c.files.auditLog} {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o644)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (c *Cluster) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	client := c.Client(AdminToken)
	defer client.Close()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		switch response, err := client.Do(ctx, "GET", "/readyz", nil, nil); {
		case err != nil:
			last = err
		case response.Code == 200:
			return nil
		default:
			last = fmt.Errorf("/readyz answered %d: %s", response.Code, response.Body)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("kube-apiserver is not ready: %w", last)
		case <-c.apiServer.done:
			return fmt.Errorf("kube-apiserver ended while starting: %w", c.apiServer.err)
		case <-c.etcd.done:
			return fmt.Errorf("etcd ended: %w", c.etcd.err)
		case <-tick.C:
		}
	}
}

// freePorts asks the kernel for ports that nobody listens on.
func freePorts() (ports, error) {
	var p ports
	for _, port := range []*int{&p.api, &p.etcd, &p.etcdPeer} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return ports{}, err
		}
		defer l.Close()
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return p, nil
}
