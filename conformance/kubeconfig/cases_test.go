package kubeconfig

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rawwatch/rawwatch/rest"
)

// One file, no flags.
func TestLoadConfigReadsOneFileAsClientcmd(t *testing.T) {
	f := newFixture(t)
	unset(t, f.dir)
	ca := base64.StdEncoding.EncodeToString([]byte(f.ca))
	cert, _ := os.ReadFile(filepath.Join(f.dir, "client.crt"))
	key, _ := os.ReadFile(filepath.Join(f.dir, "client.key"))
	certData, keyData := base64.StdEncoding.EncodeToString(cert), base64.StdEncoding.EncodeToString(key)
	const server = `server: "https://example.com:6443"`
	for name, content := range map[string]string{
		"token and inline authority":            one(`{`+server+`, certificate-authority-data: `+ca+`}`, `{token: secret}`),
		"authority beside the file":             one(`{`+server+`, certificate-authority: ca.crt}`, `{token: secret}`),
		"authority in a folder below":           one(`{`+server+`, certificate-authority: sub/ca.crt}`, `{token: secret}`),
		"data before file":                      one(`{`+server+`, certificate-authority: sub/ca.crt, certificate-authority-data: `+ca+`}`, `{}`),
		"authority that is missing":             one(`{`+server+`, certificate-authority: missing.crt}`, `{}`),
		"authority that is none":                one(`{`+server+`, certificate-authority: token}`, `{}`),
		"authority data that is no base64":      one(`{`+server+`, certificate-authority-data: "%%%"}`, `{}`),
		"token file":                            one(`{`+server+`}`, `{tokenFile: token}`),
		"token file before token":               one(`{`+server+`}`, `{tokenFile: sub/token, token: other}`),
		"token file that is missing":            one(`{`+server+`}`, `{tokenFile: missing}`),
		"basic":                                 one(`{`+server+`}`, `{username: me, password: "p:w d"}`),
		"client certificate in files":           one(`{`+server+`}`, `{client-certificate: client.crt, client-key: client.key}`),
		"client certificate inline":             one(`{`+server+`}`, `{client-certificate-data: `+certData+`, client-key-data: `+keyData+`}`),
		"client certificate, one of each":       one(`{`+server+`}`, `{client-certificate: client.crt, client-key-data: `+keyData+`}`),
		"client certificate without its key":    one(`{`+server+`}`, `{client-certificate: client.crt}`),
		"token and client certificate":          one(`{`+server+`}`, `{token: secret, client-certificate: client.crt, client-key: client.key}`),
		"token and basic":                       one(`{`+server+`}`, `{token: secret, username: me, password: pw}`),
		"no identity":                           one(`{`+server+`}`, `{}`),
		"a path prefix":                         one(`{server: "https://example.com/k8s/clusters/c-1"}`, `{}`),
		"a slash at the end":                    one(`{server: "https://example.com:6443/"}`, `{}`),
		"plain http":                            one(`{server: "http://127.0.0.1:8001"}`, `{}`),
		"no scheme":                             one(`{server: "127.0.0.1:8001"}`, `{}`),
		"an IPv6 address":                       one(`{server: "https://[::1]:6443"}`, `{}`),
		"no server":                             one(`{}`, `{}`),
		"not verified":                          one(`{`+server+`, insecure-skip-tls-verify: true}`, `{}`),
		"not verified, with an authority":       one(`{`+server+`, insecure-skip-tls-verify: true, certificate-authority: ca.crt}`, `{}`),
		"another name in the certificate":       one(`{`+server+`, tls-server-name: inner}`, `{}`),
		"no compression":                        one(`{`+server+`, disable-compression: true}`, `{}`),
		"a proxy":                               one(`{`+server+`, proxy-url: "http://proxy:3128"}`, `{}`),
		"a proxy that is no address":            one(`{`+server+`, proxy-url: "://"}`, `{}`),
		"unknown fields":                        one(`{`+server+`, extensions: [{name: e, extension: {a: 1}}], no-such-field: 1}`, `{token: secret, colour: red}`),
		"fields in another case":                one(`{`+server+`, Server: "https://other"}`, `{Token: other, token: secret}`),
		"a namespace":                           file(`[{name: c, cluster: {`+server+`}}]`, `[]`, `[{name: x, context: {cluster: c, namespace: team}}]`, "x"),
		"no current context":                    file(`[{name: c, cluster: {`+server+`}}]`, `[]`, `[{name: x, context: {cluster: c}}]`, `""`),
		"a current context that does not exist": file(`[{name: c, cluster: {`+server+`}}]`, `[]`, `[{name: x, context: {cluster: c}}]`, "y"),
		"a context without a cluster":           file(`[{name: c, cluster: {`+server+`}}]`, `[]`, `[{name: x, context: {}}]`, "x"),
		"a cluster that does not exist":         file(`[]`, `[]`, `[{name: x, context: {cluster: c}}]`, "x"),
		"a user that does not exist":            file(`[{name: c, cluster: {`+server+`}}]`, `[]`, `[{name: x, context: {cluster: c, user: u}}]`, "x"),
		"a name twice":                          file(`[{name: c, cluster: {`+server+`}}, {name: c, cluster: {server: "https://b"}}]`, `[]`, `[{name: x, context: {cluster: c}}]`, "x"),
		"empty":                                 "",
		"not YAML":                              "clusters: [",
		"another kind":                          "apiVersion: v1\nkind: Pod\n",
		"another version":                       "apiVersion: v9\nkind: Config\n",
		"JSON":                                  `{"clusters":[{"name":"c","cluster":{"server":"https://j:1"}}],"contexts":[{"name":"x","context":{"cluster":"c"}}],"current-context":"x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := f.write(t, "config", content)
			compare(t, rest.LoadOptions{Kubeconfig: path, InClusterDir: f.dir + "/no-pod"})
		})
	}
}

// Several files of $KUBECONFIG are one configuration.
func TestLoadConfigMergesFilesAsClientcmd(t *testing.T) {
	f := newFixture(t)
	first := f.write(t, "first", file(`[{name: c, cluster: {server: "https://first", certificate-authority: ca.crt}}]`, `[{name: u, user: {token: first}}]`, `[]`, `""`))
	second := f.write(t, "sub/second", file(`[{name: c, cluster: {server: "https://second", tls-server-name: second}}, {name: d, cluster: {server: "https://d", certificate-authority: ca.crt}}]`,
		`[{name: u, user: {token: second}}, {name: v, user: {tokenFile: token}}]`, `[{name: x, context: {cluster: c, user: u}}, {name: y, context: {cluster: d, user: v, namespace: n}}]`, "x"))
	third := f.write(t, "third", file(`[]`, `[]`, `[{name: x, context: {cluster: d, user: v}}]`, "y"))
	missing := filepath.Join(f.dir, "missing")
	list := func(files ...string) string { return strings.Join(files, string(filepath.ListSeparator)) }
	for name, files := range map[string]string{
		"in order":              list(first, second, third),
		"in reverse":            list(third, second, first),
		"with a missing one":    list(missing, second, first),
		"with empty names":      list("", second, "", first, ""),
		"only missing ones":     list(missing, missing+"2"),
		"one file several ways": list(second, second, first),
	} {
		for _, context := range []string{"", "x", "y", "z"} {
			t.Run(name+" context "+context, func(t *testing.T) {
				unset(t, f.dir)
				t.Setenv("KUBECONFIG", files)
				compare(t, rest.LoadOptions{Context: context, InClusterDir: f.dir + "/no-pod"})
			})
		}
	}
}

// Without flag and variable the file of the home folder counts.
func TestLoadConfigReadsTheHomeFileAsClientcmd(t *testing.T) {
	f := newFixture(t)
	f.write(t, "home/.kube/config", one(`{server: "https://home"}`, `{token: home}`))
	unset(t, filepath.Join(f.dir, "home"))
	compare(t, rest.LoadOptions{InClusterDir: f.dir + "/no-pod"})
}

// kubectl's flags override what the files say.
func TestLoadConfigOverridesAsClientcmd(t *testing.T) {
	f := newFixture(t)
	unset(t, f.dir)
	path := f.write(t, "config", file(
		`[{name: c, cluster: {server: "https://c", certificate-authority: ca.crt, tls-server-name: inner, proxy-url: "http://proxy:1"}}, {name: d, cluster: {server: "https://d", insecure-skip-tls-verify: true}}]`,
		`[{name: u, user: {token: u}}, {name: v, user: {client-certificate: client.crt, client-key: client.key}}, {name: w, user: {username: w, password: w}}]`,
		`[{name: x, context: {cluster: c, user: u, namespace: n}}, {name: y, context: {cluster: d, user: v}}]`, "x"))
	ca := filepath.Join(f.dir, "sub/ca.crt")
	for name, o := range map[string]rest.LoadOptions{
		"nothing":                        {},
		"context":                        {Context: "y"},
		"context that does not exist":    {Context: "z"},
		"cluster":                        {Cluster: "d"},
		"cluster that does not exist":    {Cluster: "z"},
		"user":                           {User: "w"},
		"user that does not exist":       {User: "z"},
		"namespace":                      {Namespace: "other"},
		"server":                         {Server: "https://other:1"},
		"server and its name":            {Server: "https://other:1", TLSServerName: "name"},
		"name":                           {TLSServerName: "name"},
		"authority":                      {CertificateAuthority: ca},
		"authority over not verified":    {Context: "y", CertificateAuthority: ca},
		"not verified":                   {InsecureSkipTLSVerify: true},
		"proxy":                          {ProxyURL: "http://other:2"},
		"no compression":                 {DisableCompression: true},
		"token":                          {Token: "other"},
		"token beside a certificate":     {Context: "y", Token: "other"},
		"token in place of basic":        {User: "w", Token: "other"},
		"basic":                          {Context: "y", Username: "me", Password: "pw"},
		"certificate":                    {ClientCertificate: filepath.Join(f.dir, "client.crt"), ClientKey: filepath.Join(f.dir, "client.key")},
		"everything at once":             {Context: "y", Cluster: "c", User: "w", Namespace: "other", Server: "https://other:1", TLSServerName: "name", CertificateAuthority: ca},
		"server where no file says one":  {Kubeconfig: f.write(t, "empty", ""), Server: "https://other:1"},
		"server and token, nothing else": {Kubeconfig: f.write(t, "empty", ""), Server: "https://other:1", Token: "t"},
	} {
		t.Run(name, func(t *testing.T) {
			if o.Kubeconfig == "" {
				o.Kubeconfig = path
			}
			o.InClusterDir = f.dir + "/no-pod"
			compare(t, o)
		})
	}
}
