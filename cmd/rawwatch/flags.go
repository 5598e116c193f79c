package main

import (
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/rawwatch/rawwatch/rest"
)

// connectionFlags say which server, as whom. Names and meanings are kubectl's.
type connectionFlags struct {
	load           rest.LoadOptions
	credentials    credentialFlags
	requestTimeout string
	cleartext      bool
}

func (f *connectionFlags) register(fs *pflag.FlagSet) {
	o := &f.load
	fs.StringVar(&o.Kubeconfig, "kubeconfig", "", "use this `file` and no other")
	fs.StringVar(&o.Context, "context", "", "use this `name`d context of the kubeconfig")
	fs.StringVar(&o.Cluster, "cluster", "", "use this `name`d cluster of the kubeconfig")
	fs.StringVar(&o.User, "user", "", "use this `name`d user of the kubeconfig")
	fs.StringVarP(&o.Server, "server", "s", "", "`address` of the API server")
	fs.StringVar(&o.TLSServerName, "tls-server-name", "", "`name` to expect in the server's certificate")
	fs.StringVar(&o.CertificateAuthority, "certificate-authority", "", "`file` of the authorities to trust")
	fs.BoolVar(&o.InsecureSkipTLSVerify, "insecure-skip-tls-verify", false, "accept any server certificate")
	fs.StringVar(&o.ClientCertificate, "client-certificate", "", "`file` of the client certificate")
	fs.StringVar(&o.ClientKey, "client-key", "", "`file` of the client certificate's key")
	fs.StringVar(&o.Token, "token", "", "bearer `token`; every user of this machine can read it in the process list: rather use --token-file")
	fs.StringVar(&o.TokenFile, "token-file", "", "`file` that holds the bearer token; read again when it changes")
	fs.StringVar(&o.Username, "username", "", "`name` for basic authentication")
	fs.StringVar(&o.Password, "password", "", "`password` for basic authentication; readable in the process list as --token is")
	f.credentials.register(fs)
	fs.StringVar(&o.ProxyURL, "proxy-url", "", "`address` of the proxy, in place of the kubeconfig's and HTTPS_PROXY: http, https, socks5 or socks5h")
	fs.BoolVar(&o.DisableCompression, "disable-compression", false, "never ask for gzip")
	fs.StringVar(&f.requestTimeout, "request-timeout", "", "`time` to wait for one answer, a watch's to begin: 30s, 2m, bare numbers are seconds, 0 is for ever")
	fs.BoolVar(&f.cleartext, "allow-token-over-http", false, "send credentials over plain http to hosts other than this one; everyone on the way can read them")
}

// timeout returns the request timeout: 0 when not given, negative for none.
func (f *connectionFlags) timeout() (time.Duration, error) {
	d, err := parseSeconds(f.requestTimeout)
	if err != nil {
		return 0, usagef("--request-timeout is a time such as 30s or 2m, not %q", f.requestTimeout)
	}
	if d == 0 && f.requestTimeout != "" {
		return -1, nil
	}
	return d, nil
}

// parseSeconds reads a duration; a bare number is seconds, as kubectl reads it.
func parseSeconds(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	if n, err := strconv.ParseUint(s, 10, 31); err == nil {
		return time.Duration(n) * time.Second, nil
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = strconv.ErrRange
	}
	return d, err
}

// selectionFlags say which objects.
type selectionFlags struct {
	namespace     string
	allNamespaces bool
	selector      string
	fieldSelector string
}

func (f *selectionFlags) register(fs *pflag.FlagSet) {
	fs.StringVarP(&f.namespace, "namespace", "n", "", "`namespace`; default is the context's")
	fs.BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "every namespace; overrides -n")
	fs.StringVarP(&f.selector, "selector", "l", "", "label `selector`: app=web,tier!=cache")
	fs.StringVar(&f.fieldSelector, "field-selector", "", "field `selector`: spec.nodeName=node-1")
}

// triState is a flag that can be true, false, or not there.
type triState struct{ value *bool }

func (t *triState) String() string {
	if t == nil || t.value == nil {
		return ""
	}
	return strconv.FormatBool(*t.value)
}

func (t *triState) Set(s string) error {
	v, err := strconv.ParseBool(s)
	if err != nil {
		return err
	}
	t.value = &v
	return nil
}

func (t *triState) Type() string { return "bool" }

// register makes the bare flag mean true.
func (t *triState) register(fs *pflag.FlagSet, name, usage string) {
	fs.Var(t, name, usage)
	fs.Lookup(name).NoOptDefVal = "true"
}

// listFlags and watchFlags are parameters of the API under the API's names. They are sent as they are: a debugger must be able to ask for what is wrong.
type listFlags struct {
	resourceVersion      string
	resourceVersionMatch string
	limit                int64
	token                string
	chunkSize            int64
}

func (f *listFlags) register(fs *pflag.FlagSet) {
	registerVersion(fs, &f.resourceVersion, &f.resourceVersionMatch)
	fs.Int64Var(&f.limit, "limit", 0, "ask for `n` objects and stop after this page")
	fs.StringVar(&f.token, "continue", "", "go on with this `token` of an earlier page")
	fs.Int64Var(&f.chunkSize, "chunk-size", 0, "ask for all objects in pages of `n`; 0 is the default size, negative one page for all")
}

type watchFlags struct {
	resourceVersion      string
	resourceVersionMatch string
	sendInitialEvents    triState
	allowWatchBookmarks  triState
	timeoutSeconds       int64
	once                 bool
	watchOnly            bool
	idleTimeout          string
}

func (f *watchFlags) register(fs *pflag.FlagSet) {
	registerVersion(fs, &f.resourceVersion, &f.resourceVersionMatch)
	f.sendInitialEvents.register(fs, "send-initial-events", "begin with the present objects as events (a watch-list); =false lists instead")
	f.allowWatchBookmarks.register(fs, "allow-watch-bookmarks", "ask for bookmarks (default true)")
	fs.Int64Var(&f.timeoutSeconds, "timeout-seconds", 0, "ask the server to end each watch after `n` seconds; it is resumed then")
	fs.BoolVar(&f.once, "once", false, "one watch request with exactly these parameters; neither resumed nor relisted")
	fs.BoolVar(&f.watchOnly, "watch-only", false, "leave out the state at the beginning")
	fs.StringVar(&f.idleTimeout, "idle-timeout", "", "`time` without a byte after which a watch is taken for dead; default 150s, then by its bookmarks; 0 is never")
}

func registerVersion(fs *pflag.FlagSet, version, match *string) {
	fs.StringVar(version, "resource-version", "", "begin at this `version`")
	fs.StringVar(match, "resource-version-match", "", "how the version is meant: NotOlderThan or Exact")
}

// outputFlags say how it looks.
type outputFlags struct {
	format    string
	envelope  bool
	noHeaders bool
	quiet     bool
	color     string
	trace     bool
}

// formatNames are the values of -o.
var formatNames = [...]string{"lines", "wide", "json", "yaml", "name", "raw"}

func (f *outputFlags) register(fs *pflag.FlagSet) {
	fs.StringVarP(&f.format, "output", "o", "lines", "`format`: lines, wide, json (one event per line, as sent), yaml, name, raw (the body, as sent)")
	fs.BoolVar(&f.envelope, "envelope", false, "with -o json: add time, bytes, chunks and connection around each event")
	fs.BoolVar(&f.noHeaders, "no-headers", false, "leave out the line of titles")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "no notices on standard error; errors stay")
	fs.StringVar(&f.color, "color", "auto", "`when` to use colour: auto (on a terminal, unless NO_COLOR is set), always, never")
	fs.BoolVar(&f.trace, "trace", false, "show the wire on standard error: connections, heads, chunks, frames, silences, who closed")
}

// endFlags say when it is enough.
type endFlags struct {
	duration time.Duration
	count    int
}

func (f *endFlags) register(fs *pflag.FlagSet) {
	fs.DurationVar(&f.duration, "for", 0, "end after this `time`")
	fs.IntVar(&f.count, "count", 0, "end after `n` events have been printed")
}

func (f *endFlags) check() error {
	if f.duration < 0 || f.count < 0 {
		return usagef("--for and --count must not be negative")
	}
	return nil
}
