package rest

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"time"
)

// LoadOptions say where LoadConfig looks and what overrides what it finds. The
// zero value does what kubectl does without flags. Names follow kubectl's flags.
// Printing LoadOptions in any way shows no secret.
type LoadOptions struct {
	// Kubeconfig names one file: exactly that one is read, and it must exist.
	// "" reads the files of $KUBECONFIG, merged, or else ~/.kube/config.
	Kubeconfig string

	Context   string // instead of current-context; must exist
	Cluster   string // instead of the context's cluster; must exist
	User      string // instead of the context's user; must exist
	Namespace string // instead of the context's namespace

	// Server replaces the cluster's address, and with it the cluster's
	// tls-server-name. Certificate authorities and credentials stay in force.
	Server        string
	TLSServerName string
	// CertificateAuthority is a file; it replaces the cluster's authorities.
	CertificateAuthority string
	// InsecureSkipTLSVerify accepts any certificate and drops the cluster's authorities.
	InsecureSkipTLSVerify bool
	// ProxyURL replaces the cluster's proxy-url and the environment's proxy.
	ProxyURL           string
	DisableCompression bool

	// Token, TokenFile, Username and Password, if any of them is set, replace
	// the user's token, tokenFile, username, password, exec and auth-provider;
	// client certificates stay.
	Token     string
	TokenFile string
	Username  string
	Password  string
	// ClientCertificate and ClientKey are files; both are needed.
	ClientCertificate string
	ClientKey         string

	// Impersonate is whom to act as; it replaces all of the user's as fields.
	Impersonate Impersonation

	// Exec runs the credential plugins that users' exec fields name: execplugin.New(execplugin.Options{}) of the package rest/execplugin. Nil refuses
	// them; a program that does not import that package does not link os/exec.
	Exec ExecPlugins
	// SOCKS5 allows proxies of scheme socks5 and socks5h: set it to the function [SOCKS5]. Nil refuses them.
	SOCKS5 SOCKS5Func
	// Untrusted treats the kubeconfigs as written by somebody else; set it to the function [Untrusted]. Refused by name are then: exec and
	// auth-provider, proxy-url, insecure-skip-tls-verify, servers behind unix sockets, and files that are not below the folder of the kubeconfig that
	// names them, symbolic links included. Files are read once and not followed when they change. What these options and the environment say is
	// trusted as before. The server itself is still the kubeconfig's choice, and it is told the kubeconfig's credentials, not yours.
	Untrusted UntrustedFunc

	// Env reads the environment; nil is os.Getenv.
	Env func(string) string
	// InClusterDir is where the service account is mounted; "" is
	// /var/run/secrets/kubernetes.io/serviceaccount.
	InClusterDir string
	// Now is the clock of token files; nil is time.Now.
	Now func() time.Time
	// Warn is told what was passed over (missing files of $KUBECONFIG); nil is silent.
	Warn func(error)
}

// loadOptionsView is what may be shown of LoadOptions.
type loadOptionsView struct {
	Kubeconfig, Context, Cluster, User, Namespace string `json:",omitempty"`
	Server, TLSServerName, CertificateAuthority   string `json:",omitempty"`
	InsecureSkipTLSVerify                         bool   `json:",omitempty"`
	ProxyURL                                      string `json:",omitempty"`
	DisableCompression                            bool   `json:",omitempty"`
	Token, TokenFile, Username, Password          string `json:",omitempty"`
	ClientCertificate, ClientKey, InClusterDir    string `json:",omitempty"`
	As                                            string `json:",omitempty"`
	Exec, SOCKS5, Untrusted                       bool   `json:",omitempty"`
}

func (o LoadOptions) view() loadOptionsView {
	return loadOptionsView{
		Kubeconfig: o.Kubeconfig, Context: o.Context, Cluster: o.Cluster, User: o.User, Namespace: o.Namespace,
		Server: maskUserinfo(o.Server), TLSServerName: o.TLSServerName, CertificateAuthority: o.CertificateAuthority,
		InsecureSkipTLSVerify: o.InsecureSkipTLSVerify,
		ProxyURL:              maskUserinfo(o.ProxyURL),
		DisableCompression:    o.DisableCompression,
		Token:                 maskSecret(o.Token), TokenFile: o.TokenFile, Username: o.Username, Password: maskSecret(o.Password),
		ClientCertificate: o.ClientCertificate, ClientKey: o.ClientKey, InClusterDir: o.InClusterDir,
		As: o.Impersonate.User, Exec: o.Exec != nil, SOCKS5: o.SOCKS5 != nil, Untrusted: o.Untrusted != nil,
	}
}

// Format keeps every verb of fmt from showing secrets.
func (o LoadOptions) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "%+v", o.view()) }

// MarshalJSON writes the options without secrets; they cannot be read back.
func (o LoadOptions) MarshalJSON() ([]byte, error) { return json.Marshal(o.view()) }

// LogValue keeps slog from showing secrets.
func (o LoadOptions) LogValue() slog.Value { return slog.AnyValue(o.view()) }

func maskSecret(s string) string {
	if s == "" {
		return ""
	}
	return "(masked)"
}

// maskUserinfo hides the user of a URL, and all of what is no URL.
func maskUserinfo(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Opaque != "" {
		return maskSecret(s)
	}
	if u.User != nil {
		u.User = url.User("masked")
	}
	return u.String()
}
