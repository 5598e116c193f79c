// Package kubeconfig holds rest.LoadConfig to clientcmd: the same files, the
// same flags, and the same server, identity and trust at the end.
package kubeconfig

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/rawwatch/rawwatch/conformance/cluster"
	"github.com/rawwatch/rawwatch/rest"
)

// view is what a configuration means, in whatever form it was given.
type view struct {
	Server             string
	CA, Cert, Key      string
	ServerName         string
	Insecure           bool
	Token              string
	Username, Password string
	Namespace          string
	Proxy              string
	DisableCompression bool
}

// fixture is a folder with kubeconfigs and what they refer to.
type fixture struct {
	dir string
	ca  string // PEM
}

func newFixture(t *testing.T) fixture {
	f := fixture{dir: t.TempDir()}
	ca, client, err := cluster.Certificates()
	if err != nil {
		t.Fatal(err)
	}
	f.ca = string(ca)
	f.write(t, "ca.crt", string(ca))
	f.write(t, "sub/ca.crt", string(ca)+"\n# the one in sub\n")
	f.write(t, "client.crt", string(client.Cert))
	f.write(t, "client.key", string(client.Key))
	f.write(t, "token", "from-file\n")
	f.write(t, "sub/token", "from-sub-file")
	return f
}

func (f fixture) write(t *testing.T, name, content string) string {
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// clientcmdView loads as kubectl does.
func clientcmdView(o rest.LoadOptions) (view, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	rules.WarnIfAllMissing = false
	if o.Kubeconfig == "" && os.Getenv("KUBECONFIG") == "" { // read once, before HOME was set
		rules.Precedence = []string{filepath.Join(os.Getenv("HOME"), ".kube", "config")}
	}
	overrides := &clientcmd.ConfigOverrides{
		CurrentContext: o.Context,
		Context:        api.Context{Cluster: o.Cluster, AuthInfo: o.User, Namespace: o.Namespace},
		ClusterInfo: api.Cluster{Server: o.Server, TLSServerName: o.TLSServerName, CertificateAuthority: o.CertificateAuthority,
			InsecureSkipTLSVerify: o.InsecureSkipTLSVerify, ProxyURL: o.ProxyURL, DisableCompression: o.DisableCompression},
		AuthInfo: api.AuthInfo{Token: o.Token, TokenFile: o.TokenFile, Username: o.Username, Password: o.Password,
			ClientCertificate: o.ClientCertificate, ClientKey: o.ClientKey},
	}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	config, err := loader.ClientConfig()
	if err != nil {
		return view{}, err
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return view{}, err
	}
	return fromClientGo(config, namespace)
}

func fromClientGo(config *clientrest.Config, namespace string) (view, error) {
	server, _, err := clientrest.DefaultServerUrlFor(config)
	if err != nil {
		return view{}, err
	}
	// The first things a client does with it: what fails here is no
	// configuration either.
	if _, err := clientrest.TransportFor(config); err != nil {
		return view{}, err
	}
	if err := clientrest.LoadTLSFiles(config); err != nil {
		return view{}, err
	}
	token := config.BearerToken
	if config.BearerTokenFile != "" {
		data, err := os.ReadFile(config.BearerTokenFile)
		if err != nil {
			return view{}, err
		}
		token = strings.TrimSpace(string(data))
	}
	v := view{Server: strings.TrimSuffix(server.String(), "/"), CA: string(config.CAData), Cert: string(config.CertData), Key: string(config.KeyData),
		ServerName: config.ServerName, Insecure: config.Insecure, Token: token, Username: config.Username, Password: config.Password,
		Namespace: namespace, DisableCompression: config.DisableCompression}
	proxy := config.Proxy
	if proxy == nil {
		proxy = http.ProxyFromEnvironment
	}
	return v, v.ask(func(u *url.URL) (*url.URL, error) { return proxy(&http.Request{URL: u}) })
}

func (v *view) ask(proxy func(*url.URL) (*url.URL, error)) error {
	target, err := url.Parse(v.Server)
	if err != nil || proxy == nil {
		return err
	}
	answer, err := proxy(target)
	if answer != nil {
		v.Proxy = answer.String()
	}
	return err
}

// rawwatchView loads with this project's reader.
func rawwatchView(o rest.LoadOptions) (view, error) {
	config, err := rest.LoadConfig(o)
	if err != nil {
		return view{}, err
	}
	client, err := rest.NewClient(config)
	if err != nil {
		return view{}, err
	}
	client.Close()
	v := view{Server: strings.TrimSuffix(config.Server, "/"), ServerName: config.TLSServerName, Insecure: config.InsecureSkipTLSVerify,
		Username: config.Username, Password: config.Password, Namespace: config.Namespace, DisableCompression: config.DisableCompression}
	for _, part := range []struct {
		into *string
		data []byte
		file string
	}{{&v.CA, config.CAData, config.CAFile}, {&v.Cert, config.CertData, config.CertFile}, {&v.Key, config.KeyData, config.KeyFile}} {
		if part.file != "" {
			if part.data, err = os.ReadFile(part.file); err != nil {
				return v, err
			}
		}
		*part.into = string(part.data)
	}
	if config.Token != nil {
		if v.Token, err = config.Token(context.Background()); err != nil {
			return v, err
		}
	}
	return v, v.ask(config.Proxy)
}

// file writes a kubeconfig from one-line maps.
func file(clusters, users, contexts, current string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Config\npreferences: {}\nclusters: %s\nusers: %s\ncontexts: %s\ncurrent-context: %s\n",
		clusters, users, contexts, current)
}

// one is a kubeconfig of one context.
func one(cluster, user string) string {
	return file(`[{name: c, cluster: `+cluster+`}]`, `[{name: u, user: `+user+`}]`, `[{name: x, context: {cluster: c, user: u}}]`, "x")
}

// unset hides the environment of whoever runs the tests.
func unset(t *testing.T, home string) {
	for _, name := range []string{"KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "ALL_PROXY"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", home)
}

func compare(t *testing.T, o rest.LoadOptions) {
	t.Helper()
	want, wantErr := clientcmdView(o)
	got, gotErr := rawwatchView(o)
	different := ""
	if (wantErr != nil) != (gotErr != nil) {
		different = fmt.Sprintf("clientcmd: %v\nLoadConfig: %v", wantErr, gotErr)
	} else if wantErr == nil {
		different = cmp.Diff(want, got)
	}
	reason := accepted[t.Name()]
	switch {
	case different == "" && reason != "":
		t.Errorf("this accepted difference is gone, strike it from the table: %s", reason)
	case different != "" && reason == "":
		t.Errorf("(- clientcmd, + LoadConfig)\n%s", different)
	}
}

// accepted are the differences we keep.
var accepted = map[string]string{
	"TestLoadConfigReadsOneFileAsClientcmd/a_user_that_does_not_exist": "clientcmd goes on without any identity and ends in a 403 for system:anonymous; the name is a mistake and is called one",
	"TestLoadConfigReadsOneFileAsClientcmd/data_before_file":           "clientcmd refuses an authority given both ways; data is complete without the file",
}
