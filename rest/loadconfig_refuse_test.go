package rest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// refused is a case of one file that must be refused.
func refused(name, content, refuse string) loadCase {
	c := one(name, content, "")
	c.refuse = refuse
	return c
}

func unsupported(name, content, refuse string) loadCase {
	c := refused(name, content, refuse)
	c.unsupported = true
	return c
}

// Every secret in these files holds "planted"; no message may.
func TestLoadConfigRefuses(t *testing.T) {
	plain, p := kube(serverLine, "token: planted"), newTestPEM(t)
	for _, c := range []loadCase{
		// No configuration. Never localhost.
		{name: "nothing anywhere", refuse: "the home folder: names no kubeconfig; name one, or a server: in-cluster configuration"},
		{name: "no file in the home folder", env: map[string]string{"HOME": "@DIR@"}, refuse: `config": from the home folder: does not exist; name a kubeconfig or a server`},
		{name: "no file of $KUBECONFIG", env: map[string]string{"KUBECONFIG": "@DIR@/no"}, refuse: `no": from $KUBECONFIG: does not exist`},
		{name: "an explicit file that is missing", options: LoadOptions{Kubeconfig: "@DIR@/no"}, refuse: "cannot be read: no such file"},
		loadCase{name: "an explicit file that is missing, in a pod", options: LoadOptions{Kubeconfig: "@DIR@/no"}, refuse: "cannot be read: no such file"}.pod(),
		loadCase{name: "an explicit file that is empty, in a pod: not the pod's identity", files: map[string]string{"empty": ""},
			options: LoadOptions{Kubeconfig: "@DIR@/empty"}, refuse: "current-context: is not set"}.pod(),
		refused("a folder", "x", "cannot be read: is a directory").withEnv(map[string]string{"KUBECONFIG": "@DIR@"}),
		refused("no current-context", strings.Replace(twoContexts, "current-context: dev", "", 1), `is not set, so no server is chosen; the contexts are "dev", "prod"`),
		loadCase{name: "half of a pod's variables", refuse: "are not both set"}.pod().withEnv(map[string]string{"KUBERNETES_SERVICE_PORT": ""}),
		{name: "a pod without a token file", env: map[string]string{"KUBERNETES_SERVICE_HOST": "h", "KUBERNETES_SERVICE_PORT": "1"}, refuse: "is no file: not in a cluster"},
		loadCase{name: "a pod whose token is empty", refuse: "is empty"}.pod().withFiles(map[string]string{"sa/token": " \n"}),
		loadCase{name: "a pod whose CA is no certificate fails closed", refuse: "holds no PEM certificate"}.pod().withFiles(map[string]string{"sa/ca.crt": "planted"}),

		// Names that lead nowhere.
		refused("a context that does not exist", twoContexts, `context "nope": does not exist; the contexts are "dev", "prod"`).with(LoadOptions{Context: "nope"}),
		refused("a cluster that does not exist", twoContexts, `cluster "nope": does not exist; the clusters are "dev", "prod"`).with(LoadOptions{Cluster: "nope"}),
		refused("a user that does not exist", twoContexts, `user "nope": does not exist; the users are "dev", "prod"`).with(LoadOptions{User: "nope"}),
		refused("current-context leads nowhere", "current-context: gone", `current-context: names "gone", which does not exist; the contexts are none`),
		refused("current-context leads nowhere, in a pod", "current-context: gone", `names "gone"`).pod(),
		refused("a context whose cluster is missing", "current-context: c\ncontexts: [{name: c, context: {cluster: gone}}]", `cluster "gone": does not exist`),
		refused("a context whose user is missing", strings.Replace(plain, "user: u}", "user: gone}", 1), `user "gone": does not exist`),
		refused("a context without a cluster", "current-context: c\ncontexts: [{name: c, context: {}}]", `context "c": names no cluster`),
		refused("many contexts are not all listed", manyContexts(500), `"c0", "c1", "c10", "c100", "c101", "c102", "c103", "c104", "c105", "c106", ...`).with(LoadOptions{Context: "x"}),
		refused("a cluster without a server", kube("tls-server-name: x", ""), `cluster "k": server: is not set`),
		refused("an empty cluster", "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\nclusters: [{name: k}]", `cluster "k": server: is not set`),

		// Present and not possible: refused by name, with what to do.
		unsupported("exec", kube(serverLine, "exec: {command: aws, args: [planted]}"), `user "u": exec: runs a program, which this program does not allow`),
		unsupported("an empty exec", kube(serverLine, "exec: {}"), `from github.com/rawwatch/rawwatch/rest/execplugin`),
		unsupported("an exec of the wrong type", kube(serverLine, "exec: true"), `exec: runs a program`),
		unsupported("auth-provider", kube(serverLine, "auth-provider: {name: oidc, config: {id-token: planted}}"), `user "u": auth-provider: is not supported`),
		unsupported("SOCKS proxy", kube(serverLine+"proxy-url: socks5://planted:planted@p:1080", ""), `cluster "k": proxy-url: a SOCKS proxy: is not allowed by this program (to allow it, set the SOCKS5 field`),
		refused("impersonated groups without a user", kube(serverLine, "as-groups: [planted]"), `user "u": as: a uid, groups or extra without a user to act as`),
		refused("an impersonated uid without a user", kube(serverLine, "as-uid: planted"), `without a user to act as`),
		refused("impersonated extra without a user", kube(serverLine, "as-user-extra: {c: [planted]}"), `without a user to act as`),
		refused("an impersonated group with a line break", kube(serverLine, `as: a`+"\n"+`as-groups: ["x\r\nplanted: 1"]`), `holds a control character, in "Impersonate-Group"`),
		refused("an impersonated user with a blank at the end", kube(serverLine, `as: "planted "`), `begins or ends with a blank`),
		refused("groups that are no list", kube(serverLine, `as: a`+"\n"+`as-groups: planted`), `as-groups: must be a list of strings`),
		refused("groups that are no strings", kube(serverLine, `as: a`+"\n"+`as-groups: [1]`), `as-groups: must be a list of strings`),
		refused("extra that is no map", kube(serverLine, `as: a`+"\n"+`as-user-extra: planted`), `as-user-extra: must be a map`),
		refused("extra whose values are no list", kube(serverLine, `as: a`+"\n"+`as-user-extra: {a: planted}`), `as-user-extra: must be a list of strings`),
		refused("extra whose key is no string", kube(serverLine, `as: a`+"\n"+`as-user-extra: {1: [planted]}`), `as-user-extra: must have strings as keys`),

		// Clusters.
		refused("insecure together with CA data", kube(serverLine+"insecure-skip-tls-verify: true\ncertificate-authority-data: '@CERT64@'", ""), "must not be set together with a certificate authority"),
		refused("insecure together with a CA file", kube(serverLine+"insecure-skip-tls-verify: true\ncertificate-authority: x", ""), "must not be set together with a certificate authority"),
		refused("insecure together with a CA, both by option", plain, "must not be set together").with(LoadOptions{InsecureSkipTLSVerify: true, CertificateAuthority: "x"}),
		refused("a CA file that is missing fails closed", kube(serverLine+"certificate-authority: gone.crt", ""), `gone.crt" cannot be read: no such file`),
		refused("a CA file without a certificate fails closed", kube(serverLine+"certificate-authority: config", ""), `config" holds no PEM certificate`),
		refused("CA data that is no base64", kube(serverLine+"certificate-authority-data: 'planted!'", ""), `certificate-authority-data: is not valid base64`),
		refused("CA data without a certificate", kube(serverLine+"certificate-authority-data: cGxhbnRlZA==", ""), `certificate-authority-data: holds no PEM certificate`),
		refused("a proxy that is no URL", kube(serverLine+"proxy-url: 'http://planted:%zz@p'", ""), "proxy-url: must be an address such as"),
		refused("a proxy without a scheme", kube(serverLine+"proxy-url: planted:planted@p", ""), "proxy-url: must be an address such as"),
		refused("a proxy of another kind", kube(serverLine+"proxy-url: ftp://planted@p", ""), "proxy-url: must be an address such as"),
		refused("a proxy without a host", kube(serverLine+"proxy-url: 'http://'", ""), "proxy-url: must be an address such as"),
		refused("a server of another kind", kube("server: ftp://s", ""), "must begin with https:// or http://"),
		refused("a unix socket with a host", kube("server: unix://run/planted.sock", ""), "server: must"),
		refused("a unix socket without a path", kube("server: unix:///", ""), "server: must"),
		refused("a server with a password", kube("server: https://planted:planted@s", ""), "must not contain a user or a password"),
		refused("a server with a query", kube("server: https://s/?token=planted", ""), "must not have a query"),
		refused("a server that is no URL", kube("server: 'https://planted:%zz@s'", ""), "must be an address such as"),
		refused("a server with a line break", kube(`server: "https://s\r\nX-Planted: planted"`, ""), "must be an address such as"),
		refused("a server without scheme and with a path", kube("server: s/planted", ""), "must begin with https:// or http://"),

		// Users.
		refused("token and password", kube(serverLine, "token: planted\nusername: a\npassword: planted"), `user "u": token: must not be set together with username or password`),
		refused("token file and password", kube(serverLine, "tokenFile: x\nusername: a"), "must not be set together with username or password"),
		refused("a password without a name", kube(serverLine, "password: planted"), "password: needs a username"),
		refused("a certificate without a key", kube(serverLine, "client-certificate-data: '@CERT64@'"), "client-key: is needed"),
		refused("a key without a certificate", kube(serverLine, "client-key-data: '@KEY64@'"), "client-certificate: is needed"),
		refused("a certificate file that is missing", kube(serverLine, "client-certificate: gone\nclient-key-data: '@KEY64@'"), `gone" cannot be read`),
		refused("a key file that is missing", kube(serverLine, "client-key: gone\nclient-certificate-data: '@KEY64@'"), `gone" cannot be read`),
		refused("a token file that is missing", kube(serverLine, "tokenFile: gone"), `user "u": tokenFile: token file "`),
		refused("a token file of two lines", kube(serverLine, "tokenFile: t"), "more than one line").withFiles(map[string]string{"t": "planted\nplanted"}),
		refused("a token of two lines", kube(serverLine, `token: "planted\nplanted"`), "token: holds more than one line"),
		refused("a token with a blank", kube(serverLine, `token: planted planted`), "token: holds byte 0x20"),

		// Types: a message names the place, not the value.
		refused("a token that is a number", kube(serverLine, "token: 0123"), `user "u": token: must be a string (put quotes around it)`),
		refused("a name that is a boolean", "clusters: [{name: yes}]", "an entry of clusters: name: must be a string"),
		refused("a namespace that YAML 1.1 takes for a boolean", "contexts: [{name: c, context: {namespace: n}}]", `context "c": namespace: must be a string`),
		refused("a server that is a map", kube("server: {planted: planted}", ""), `cluster "k": server: must be a string`),
		refused("insecure that is a word", kube(serverLine+"insecure-skip-tls-verify: planted", ""), "insecure-skip-tls-verify: must be true or false"),
		refused("clusters that are a map", "clusters: {planted: planted}", "clusters: must be a list"),
		refused("an entry that is a word", "clusters: [planted]", "an entry of clusters: must be a map"),
		refused("a cluster that is a word", "clusters: [{name: k, cluster: planted}]", `cluster "k": must be a map`),
		refused("current-context that is a list", "current-context: [planted]", "current-context: must be a string"),
		refused("a document that is a list", "[planted]", "the document: must be a map"),
		refused("a document that is a word", "planted", "the document: must be a map"),
		refused("another kind", "kind: Pod\napiVersion: v1", `kind: is "Pod", not "Config"`),
		refused("another version", "kind: Config\napiVersion: v2", `apiVersion: is "v2", not "v1"`),
		refused("a cluster twice in one file", "clusters: [{name: k}, {name: k}]", `cluster "k": is defined twice`),
		refused("a user twice in one file, whose tokens are not shown", "users: [{name: u, user: {token: planted}}, {name: u, user: {token: planted}}]", `user "u": is defined twice`),

		// Hostile text.
		refused("not YAML", "a: b: planted", "is not valid YAML"),
		refused("an unfinished quote", "token: \"planted", "is not valid YAML"),
		refused("a tag that does not fit", "a: !!int planted", "is not valid YAML"),
		refused("an unknown alias", "a: *planted", "is not valid YAML"),
		refused("a map as a key", "? {planted: planted}\n: x", "is not valid YAML"),
		refused("binary", "\x00\x01\x02planted", "is not valid YAML"),
		refused("an escape sequence in a name", "current-context: \"a\\e[31mb\"", `names "a\x1b[31mb"`),
		refused("a long name is cut", "current-context: "+strings.Repeat("n", 100_000), `nnn"..., which does not exist`),
		refused("larger than the bound", "# "+strings.Repeat("x", maxKubeconfigBytes), "larger than 1048576 bytes"),
		refused("nesting", strings.Repeat("[", 100_000), "is not valid YAML: exceeded max depth"),
		refused("a billion laughs", billionLaughs(), "is not valid YAML: document contains excessive aliasing"),
		refused("an alias of itself", "a: &a [*a]", "is not valid YAML"),
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, p) })
	}
}

func manyContexts(n int) string {
	var b strings.Builder
	b.WriteString("contexts:\n")
	for i := range n {
		fmt.Fprintf(&b, "- {name: c%d}\n", i)
	}
	return b.String()
}

// billionLaughs is 1,400 bytes that name 8^30 nodes (CVE-2019-11253).
func billionLaughs() string {
	var b strings.Builder
	b.WriteString("a0: &a0 {x: 1}\n")
	for i := 1; i <= 30; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 8), ","))
	}
	return b.String()
}

func TestKubeconfigAliasesDoNotMultiplyText(t *testing.T) {
	// 500 KiB behind each of 100,000 aliases: 50 GiB if they were written out.
	text := "a: &a " + strings.Repeat("x", 500<<10) + "\nb: [" + strings.TrimSuffix(strings.Repeat("*a,", 100_000), ",") + "]\n" + kube(serverLine, "token: t")
	started := time.Now()
	k, err := parseKubeconfig([]byte(text), "config", "/")
	if err != nil || k.clusters["k"].server != "https://s:6443" {
		t.Fatalf("got %v, %v", k, err)
	}
	t.Logf("%d bytes in %v", len(text), time.Since(started))
}
