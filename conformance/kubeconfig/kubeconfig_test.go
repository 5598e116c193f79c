// Package kubeconfig holds rest.LoadConfig to clientcmd: the same files, the
// same flags, and the same server, identity and trust at the end.
package kubeconfig

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/net/http/httpproxy"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/rawwatch/rawwatch/internal/kubeconfigs"
	"github.com/rawwatch/rawwatch/rest"
)

// clientcmdFacts loads as kubectl does.
func clientcmdFacts(o rest.LoadOptions) (kubeconfigs.Facts, error) {
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
			ClientCertificate: o.ClientCertificate, ClientKey: o.ClientKey, Impersonate: o.Impersonate.User, ImpersonateUID: o.Impersonate.UID,
			ImpersonateGroups: o.Impersonate.Groups, ImpersonateUserExtra: o.Impersonate.Extra},
	}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	config, err := loader.ClientConfig()
	if err != nil {
		return kubeconfigs.Facts{}, err
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return kubeconfigs.Facts{}, err
	}
	return factsOf(config, namespace)
}

func factsOf(config *clientrest.Config, namespace string) (f kubeconfigs.Facts, err error) {
	server, _, err := clientrest.DefaultServerUrlFor(config)
	if err != nil {
		return f, err
	}
	// The first things a client does with it: what fails here is no
	// configuration either.
	if _, err := clientrest.TransportFor(config); err != nil {
		return f, err
	}
	if err := clientrest.LoadTLSFiles(config); err != nil {
		return f, err
	}
	f = kubeconfigs.Facts{
		Server: server.String(), Namespace: namespace, ServerName: config.ServerName, Insecure: config.Insecure,
		CA: string(config.CAData), Cert: string(config.CertData),
		Token: config.BearerToken, TokenIsRead: config.BearerTokenFile != "",
		Username: config.Username, Password: config.Password, HasBasic: config.Username != "" || config.Password != "",
		DisableCompression: config.DisableCompression,
		Impersonate: rest.Impersonation{User: config.Impersonate.UserName, UID: config.Impersonate.UID,
			Groups: config.Impersonate.Groups, Extra: config.Impersonate.Extra},
	}
	if e := config.ExecProvider; e != nil {
		f.Exec = strings.Join(append([]string{e.Command}, e.Args...), " ")
	}
	if config.BearerTokenFile != "" {
		data, err := os.ReadFile(config.BearerTokenFile)
		if err != nil {
			return f, err
		}
		f.Token = strings.TrimSpace(string(data))
	}
	proxy := config.Proxy
	if proxy == nil { // as client-go's transport has it, but net/http reads the environment once for a whole process
		environment := httpproxy.FromEnvironment().ProxyFunc()
		proxy = utilnet.NewProxierWithNoProxyCIDR(func(r *http.Request) (*url.URL, error) { return environment(r.URL) })
	}
	return f, f.Ask(func(u *url.URL) (*url.URL, error) { return proxy(&http.Request{URL: u}) })
}
