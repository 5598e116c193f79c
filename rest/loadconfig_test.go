package rest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// kube writes a kubeconfig of one context "c" from lines for its cluster and user.
func kube(cluster, user string) string {
	indent := func(lines string) string {
		return "    " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\n    ") + "\n"
	}
	text := "apiVersion: v1\nkind: Config\ncurrent-context: c\n" +
		"contexts:\n- name: c\n  context: {cluster: k, user: u}\n" +
		"clusters:\n- name: k\n  cluster:\n" + indent(cluster)
	if user == "" {
		return text + "users:\n- name: u\n  user: {}\n"
	}
	return text + "users:\n- name: u\n  user:\n" + indent(user)
}

// one is a case of a single file, named by $KUBECONFIG.
func one(name, content, want string) loadCase {
	return loadCase{
		name: name, want: want,
		files: map[string]string{"config": content},
		env:   map[string]string{"KUBECONFIG": "@DIR@/config"},
	}
}

func (c loadCase) with(o LoadOptions) loadCase {
	c.options = o
	return c
}

func (c loadCase) withEnv(env map[string]string) loadCase {
	c.env = merged(c.env, env)
	return c
}

func (c loadCase) withFiles(files map[string]string) loadCase {
	c.files = merged(c.files, files)
	return c
}

const (
	serverLine = "server: https://s:6443\n"
	// two contexts, dev and prod, that share nothing.
	twoContexts = `
current-context: dev
contexts:
- {name: dev, context: {cluster: dev, user: dev}}
- {name: prod, context: {cluster: prod, user: prod, namespace: shop}}
clusters:
- {name: dev, cluster: {server: "https://dev"}}
- {name: prod, cluster: {server: "https://prod", tls-server-name: prod.internal, certificate-authority-data: "@CERT64@"}}
users:
- {name: dev, user: {token: dev-token}}
- {name: prod, user: {token: prod-token}}
`
)

func TestLoadConfigAccepts(t *testing.T) {
	plain, p := kube(serverLine, "token: t1"), newTestPEM(t)
	for _, c := range []loadCase{
		// Where the configuration comes from.
		one("named by $KUBECONFIG", plain, "https://s:6443 ns=default token=t1"),
		{name: "in the home folder", want: "https://s:6443 ns=default token=t1",
			files: map[string]string{".kube/config": plain}, env: map[string]string{"HOME": "@DIR@"}},
		{name: "named explicitly beats the environment", want: "https://x ns=default token=t2",
			files: map[string]string{"a": plain, "b": kube("server: https://x", "token: t2"), ".kube/config": plain},
			env:   map[string]string{"KUBECONFIG": "@DIR@/a", "HOME": "@DIR@"}, options: LoadOptions{Kubeconfig: "@DIR@/b"}},
		{name: "$KUBECONFIG beats the home folder", want: "https://x ns=default token=t2",
			files: map[string]string{"a": kube("server: https://x", "token: t2"), ".kube/config": plain},
			env:   map[string]string{"KUBECONFIG": "@DIR@/a", "HOME": "@DIR@"}},
		loadCase{name: "in a pod", want: "https://10.0.0.1:443 ns=pod-namespace cafile=@DIR@/sa/ca.crt token=pod-token rotating"}.pod(),
		loadCase{name: "in a pod, IPv6", want: "https://[fd00::1]:443 ns=pod-namespace cafile=@DIR@/sa/ca.crt token=pod-token rotating"}.
			pod().withEnv(map[string]string{"KUBERNETES_SERVICE_HOST": "fd00::1"}),
		loadCase{name: "in a pod, files of $KUBECONFIG all missing", want: "https://10.0.0.1:443 ns=pod-namespace cafile=@DIR@/sa/ca.crt token=pod-token rotating",
			env: map[string]string{"KUBECONFIG": "@DIR@/no:@DIR@/nono"}}.pod(),
		one("in a pod, an empty file", "", "https://10.0.0.1:443 ns=pod-namespace cafile=@DIR@/sa/ca.crt token=pod-token rotating").pod(),
		one("in a pod, a file without current-context, as clientcmd", strings.Replace(plain, "current-context: c", "", 1),
			"https://10.0.0.1:443 ns=pod-namespace cafile=@DIR@/sa/ca.crt token=pod-token rotating").pod(),
		one("a kubeconfig beats the pod, the namespace is the pod's", plain, "https://s:6443 ns=pod-namespace token=t1").pod(),
		one("POD_NAMESPACE beats the service account's", plain, "https://s:6443 ns=other token=t1").pod().
			withEnv(map[string]string{"POD_NAMESPACE": "other"}),
		one("POD_NAMESPACE outside of a pod means nothing", plain, "https://s:6443 ns=default token=t1").
			withEnv(map[string]string{"POD_NAMESPACE": "other"}),
		loadCase{name: "in a pod, with a token and a CA of the caller's", want: "https://10.0.0.1:443 ns=n cafile=@DIR@/ca token=mine",
			files: map[string]string{"ca": "@CERT@"}, options: LoadOptions{Token: "mine", CertificateAuthority: "@DIR@/ca", Namespace: "n"}}.pod(),
		{name: "a server alone", want: "https://x:1 ns=default token=t", options: LoadOptions{Server: "https://x:1", Token: "t"}},
		loadCase{name: "a server alone is not given the pod's token", want: "https://x:1 ns=pod-namespace", options: LoadOptions{Server: "https://x:1"}}.pod(),

		// Contexts and overrides.
		one("current-context", twoContexts, "https://dev ns=default token=dev-token"),
		one("another context", twoContexts, "https://prod ns=shop ca=CERT sni=prod.internal token=prod-token").with(LoadOptions{Context: "prod"}),
		one("another cluster", twoContexts, "https://prod ns=default ca=CERT sni=prod.internal token=dev-token").with(LoadOptions{Cluster: "prod"}),
		one("another user", twoContexts, "https://dev ns=default token=prod-token").with(LoadOptions{User: "prod"}),
		one("another namespace", twoContexts, "https://prod ns=n ca=CERT sni=prod.internal token=prod-token").with(LoadOptions{Context: "prod", Namespace: "n"}),
		one("a server drops the TLS name, keeps CA and credentials, as clientcmd", twoContexts,
			"https://x ns=shop ca=CERT token=prod-token").with(LoadOptions{Context: "prod", Server: "https://x"}),
		one("a server with its TLS name", twoContexts, "https://x ns=shop ca=CERT sni=y token=prod-token").
			with(LoadOptions{Context: "prod", Server: "https://x", TLSServerName: "y"}),
		one("a TLS name alone", twoContexts, "https://prod ns=shop ca=CERT sni=y token=prod-token").with(LoadOptions{Context: "prod", TLSServerName: "y"}),
		one("insecure drops the CA", twoContexts, "https://prod ns=shop insecure sni=prod.internal token=prod-token").
			with(LoadOptions{Context: "prod", InsecureSkipTLSVerify: true}),
		one("a CA drops insecure", kube(serverLine+"insecure-skip-tls-verify: true", ""), "https://s:6443 ns=default cafile=@DIR@/ca").
			with(LoadOptions{CertificateAuthority: "@DIR@/ca"}).withFiles(map[string]string{"ca": "@CERT@"}),
		one("a token replaces password, token file and plugin", kube(serverLine, "username: a\npassword: b\ntokenFile: x\nexec: {command: y}"),
			"https://s:6443 ns=default token=mine").with(LoadOptions{Token: "mine"}),
		one("a password replaces a token", plain, "https://s:6443 ns=default basic=a:b").with(LoadOptions{Username: "a", Password: "b"}),
		one("a token file replaces a token", plain, "https://s:6443 ns=default token=t3 rotating").
			with(LoadOptions{TokenFile: "@DIR@/t"}).withFiles(map[string]string{"t": "t3"}),
		one("a certificate joins a token and replaces data", kube(serverLine, "token: t1\nclient-certificate-data: AAAA\nclient-key-data: AAAA"),
			"https://s:6443 ns=default certfile=@DIR@/c keyfile=@DIR@/k token=t1").
			with(LoadOptions{ClientCertificate: "@DIR@/c", ClientKey: "@DIR@/k"}).withFiles(map[string]string{"c": "@CERT@", "k": "@KEY@"}),
		one("a server excuses a missing cluster", "current-context: c\ncontexts: [{name: c, context: {cluster: gone, namespace: shop}}]",
			"https://x ns=shop").with(LoadOptions{Server: "https://x"}),
		one("a token excuses a missing user", "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: gone}}]\nclusters: [{name: k, cluster: {server: 'https://s'}}]",
			"https://s ns=default token=mine").with(LoadOptions{Token: "mine"}),
		one("compression off by option", plain, "https://s:6443 ns=default token=t1 nogzip").with(LoadOptions{DisableCompression: true}),

		// Clusters.
		one("plain http, for kubectl proxy", kube("server: http://127.0.0.1:8001", ""), "http://127.0.0.1:8001 ns=default"),
		one("without a scheme it is http, as client-go", kube("server: localhost:8080", ""), "http://localhost:8080 ns=default"),
		one("a path prefix", kube("server: https://r/k8s/clusters/c-1", ""), "https://r/k8s/clusters/c-1 ns=default"),
		one("IPv6", kube("server: 'https://[fd00::1]:6443'", ""), "https://[fd00::1]:6443 ns=default"),
		one("CA data", kube(serverLine+"certificate-authority-data: '@CERT64@'", ""), "https://s:6443 ns=default ca=CERT"),
		one("CA data beats the file, which is not even opened", kube(serverLine+"certificate-authority-data: '@CERT64@'\ncertificate-authority: /no/such", ""),
			"https://s:6443 ns=default ca=CERT"),
		one("a CA file relative to the kubeconfig", kube(serverLine+"certificate-authority: pki/ca.crt", ""), "https://s:6443 ns=default cafile=@DIR@/pki/ca.crt").
			withFiles(map[string]string{"pki/ca.crt": "@CERT@"}),
		one("an absolute CA file", kube(serverLine+"certificate-authority: '@DIR@/pki/ca.crt'", ""), "https://s:6443 ns=default cafile=@DIR@/pki/ca.crt").
			withFiles(map[string]string{"pki/ca.crt": "@CERT@"}),
		one("insecure", kube(serverLine+"insecure-skip-tls-verify: true", ""), "https://s:6443 ns=default insecure"),
		one("TLS name", kube(serverLine+"tls-server-name: api.internal", ""), "https://s:6443 ns=default sni=api.internal"),
		one("compression off", kube(serverLine+"disable-compression: true", ""), "https://s:6443 ns=default nogzip"),
		one("a proxy", kube(serverLine+"proxy-url: http://p:3128", ""), "https://s:6443 ns=default proxy=http://p:3128"),
		one("a proxy with TLS and a user", kube(serverLine+"proxy-url: https://u:p@p:3128", ""), "https://s:6443 ns=default proxy=https://u:p@p:3128"),
		one("proxy-url beats the environment and NO_PROXY", kube(serverLine+"proxy-url: http://p:3128", ""), "https://s:6443 ns=default proxy=http://p:3128").
			withEnv(map[string]string{"HTTPS_PROXY": "http://other", "NO_PROXY": "*"}),
		one("the option beats proxy-url", kube(serverLine+"proxy-url: http://p:3128", ""), "https://s:6443 ns=default proxy=http://q").with(LoadOptions{ProxyURL: "http://q"}),
		one("the environment's proxy", kube(serverLine, ""), "https://s:6443 ns=default proxy=http://e:8080").withEnv(map[string]string{"HTTPS_PROXY": "http://e:8080"}),

		// Users.
		one("nobody", kube(serverLine, ""), "https://s:6443 ns=default"),
		one("a context without a user", "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\nclusters: [{name: k, cluster: {server: 'https://s'}}]", "https://s ns=default"),
		one("certificate data", kube(serverLine, "client-certificate-data: '@CERT64@'\nclient-key-data: '@KEY64@'"), "https://s:6443 ns=default cert=CERT key=KEY"),
		one("certificate files", kube(serverLine, "client-certificate: a.crt\nclient-key: a.key"), "https://s:6443 ns=default certfile=@DIR@/a.crt keyfile=@DIR@/a.key").
			withFiles(map[string]string{"a.crt": "@CERT@", "a.key": "@KEY@"}),
		one("half data, half file", kube(serverLine, "client-certificate-data: '@CERT64@'\nclient-key: a.key"), "https://s:6443 ns=default cert=CERT key=KEY").
			withFiles(map[string]string{"a.key": "@KEY@"}),
		one("certificate data beats the files", kube(serverLine, "client-certificate: /no\nclient-key: /no\nclient-certificate-data: '@CERT64@'\nclient-key-data: '@KEY64@'"),
			"https://s:6443 ns=default cert=CERT key=KEY"),
		one("a token file", kube(serverLine, "tokenFile: sub/token"), "https://s:6443 ns=default token=t4 rotating").withFiles(map[string]string{"sub/token": "t4\n"}),
		one("a token file beats a token", kube(serverLine, "tokenFile: token\ntoken: inline"), "https://s:6443 ns=default token=t4 rotating").withFiles(map[string]string{"token": "t4"}),
		one("a token serves until its file is there", kube(serverLine, "tokenFile: token\ntoken: inline"), "https://s:6443 ns=default token=inline rotating"),
		one("a token in a block with a line end", kube(serverLine, "token: |\n  t5"), "https://s:6443 ns=default token=t5"),
		one("name and password", kube(serverLine, "username: admin\npassword: pw"), "https://s:6443 ns=default basic=admin:pw"),
		one("token and certificate", kube(serverLine, "token: t\nclient-certificate-data: '@CERT64@'\nclient-key-data: '@KEY64@'"), "https://s:6443 ns=default cert=CERT key=KEY token=t"),
		one("what other users have does not matter", kube(serverLine, "token: t1")+"- {name: eks, user: {exec: {command: aws}}}\n", "https://s:6443 ns=default token=t1"),

		// YAML as it occurs.
		one("JSON", `{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","user":"u","namespace":"n"}}],"clusters":[{"name":"k","cluster":{"server":"https://s"}}],"users":[{"name":"u","user":{"token":"\u0074"}}]}`,
			"https://s ns=n token=t"),
		one("unknown fields, nulls and extensions are ignored", kube(serverLine+"extensions: [{name: x, extension: {a: 1}}]\nfuture: [1, {a: b}]\ntls-server-name:", "token: t\nexec:\nauth-provider: null\nas: ''\nas-groups: []\nas-user-extra: {}")+"preferences: {}\nmystery: 1\n",
			"https://s:6443 ns=default token=t"),
		one("keys are matched by case", kube(serverLine+"Server: https://evil\nSERVER: https://evil", "Token: evil\ntoken: t"), "https://s:6443 ns=default token=t"),
		one("anchors and merges", "base: &base {server: 'https://s', tls-server-name: name}\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: k}}]\nclusters: [{name: k, cluster: {<<: *base, disable-compression: true}}]",
			"https://s ns=default sni=name nogzip"),
		one("a second document is ignored, as kubectl", plain+"---\ncurrent-context: other\n", "https://s:6443 ns=default token=t1"),
		one("carriage returns", strings.ReplaceAll(plain, "\n", "\r\n"), "https://s:6443 ns=default token=t1"),
		one("a byte order mark", "\ufeff"+plain, "https://s:6443 ns=default token=t1"),
		one("UTF-16, as PowerShell writes it", utf16LE(plain), "https://s:6443 ns=default token=t1"),
		one("base64 in a folded block", kube(serverLine+"certificate-authority-data: |\n  @CERT64@", ""), "https://s:6443 ns=default ca=CERT"),
		one("names with odd characters", "current-context: 'a/b:c d'\ncontexts: [{name: 'a/b:c d', context: {cluster: 'é'}}]\nclusters: [{name: 'é', cluster: {server: 'https://s'}}]", "https://s ns=default"),
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, p) })
	}
}

func utf16LE(s string) string {
	var b strings.Builder
	b.WriteString("\xff\xfe")
	for i := range len(s) {
		b.WriteByte(s[i])
		b.WriteByte(0)
	}
	return b.String()
}

func TestLoadConfigMerges(t *testing.T) {
	p := newTestPEM(t)
	first := `
contexts: [{name: one, context: {cluster: shared, user: first}}]
clusters: [{name: shared, cluster: {server: "https://first"}}]
users: [{name: first, user: {tokenFile: token}}]
`
	second := `
current-context: two
contexts: [{name: one, context: {cluster: shared, user: second, namespace: second}}, {name: two, context: {cluster: shared, user: second}}]
clusters: [{name: shared, cluster: {server: "https://second", tls-server-name: second, certificate-authority: ca.crt}}, {name: late, cluster: {server: "https://late", certificate-authority: ca.crt}}]
users: [{name: second, user: {token: second}}]
`
	third := "current-context: one\n"
	files := map[string]string{
		"a/config": first, "a/token": "from-a", "b/config": second, "b/token": "from-b", "b/ca.crt": "@CERT@", "c/config": third,
	}
	list := func(paths ...string) map[string]string {
		return map[string]string{"KUBECONFIG": "@DIR@/" + strings.Join(paths, string(os.PathListSeparator)+"@DIR@/")}
	}
	for _, c := range []loadCase{
		{name: "the first file to set current-context wins, a whole entry comes from the first to define it",
			files: files, env: list("a/config", "b/config", "c/config"), want: "https://first ns=default token=second"},
		{name: "in the other order", files: files, env: list("b/config", "a/config"), want: "https://second ns=default cafile=@DIR@/b/ca.crt sni=second token=second"},
		{name: "an entry of two files is not mixed: no namespace from the second",
			files: files, env: list("a/config", "b/config"), options: LoadOptions{Context: "one"}, want: "https://first ns=default token=from-a rotating"},
		{name: "relative paths belong to the file that names them",
			files: files, env: list("a/config", "b/config"), options: LoadOptions{Context: "one", Cluster: "late"},
			want: "https://late ns=default cafile=@DIR@/b/ca.crt token=from-a rotating"},
		{name: "missing files are passed over", files: files, env: list("no", "c/config", "nono", "a/config"), want: "https://first ns=default token=from-a rotating"},
		{name: "a file named twice is read once", files: files, env: list("a/config", "a/config", "c/config"), want: "https://first ns=default token=from-a rotating"},
		{name: "empty names in the list", files: files, env: map[string]string{"KUBECONFIG": "::@DIR@/c/config::@DIR@/a/config:"}, want: "https://first ns=default token=from-a rotating"},
		{name: "an explicit file is not merged", files: files, env: list("b/config"), options: LoadOptions{Kubeconfig: "@DIR@/a/config"},
			refuse: `kubeconfig "`, unsupported: false},
		{name: "one broken file spoils the list, as clientcmd", files: merged(files, map[string]string{"d/config": "["}), env: list("b/config", "d/config"),
			refuse: "is not valid YAML"},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, p) })
	}
}

func TestLoadConfigWarnsOfMissingFiles(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "config"), kube(serverLine, "token: t"))
	var warned []error
	_, err := LoadConfig(LoadOptions{
		Env: func(name string) string {
			if name == "KUBECONFIG" {
				return filepath.Join(dir, "gone") + string(os.PathListSeparator) + filepath.Join(dir, "config")
			}
			return ""
		},
		Warn: func(err error) { warned = append(warned, err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(warned) != 1 || !errors.Is(warned[0], fs.ErrNotExist) || !strings.Contains(warned[0].Error(), "gone") {
		t.Errorf("warned of %v", warned)
	}
}

func TestLoadConfigReadsTheProcessEnvironment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	writeFile(t, path, kube(serverLine, "token: t"))
	t.Setenv("KUBECONFIG", path)
	config, err := LoadConfig(LoadOptions{})
	if err != nil || config.Server != "https://s:6443" {
		t.Errorf("got %s, %v", config.Server, err)
	}
}
