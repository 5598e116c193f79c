package secrets

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rawwatch/rawwatch/internal/proxytest"
	"github.com/rawwatch/rawwatch/rest"
	"github.com/rawwatch/rawwatch/rest/execplugin"
)

// planted are the secrets of every method, in one set: none may be seen anywhere.
const (
	tokenSecret  = "planted-token-QmVhcmVy.8f3a+/="
	fileSecret   = "planted-file-token-77aa21"
	nameSecret   = "planted password: 5%&+\""
	pluginSecret = "planted-plugin-token-c0ffee"
	argSecret    = "--planted-argument=51ab"
	envSecret    = "planted-environment-0b5e"
	proxySecret  = "planted proxy/pass:word"
	extraSecret  = "planted-extra-value-9911"
	objectSecret = "planted-object-data-31415926"
)

func plantedSecrets(k keyPair) Planted {
	lines := strings.Split(strings.TrimSpace(k.key), "\n")
	return Planted{
		"token": tokenSecret, "token file": fileSecret, "password": nameSecret, "plugin's token": pluginSecret, "plugin's argument": argSecret,
		"plugin's environment": envSecret, "proxy's password": proxySecret, "impersonated extra": extraSecret, "object": objectSecret,
		"private key": lines[1], "private key, end": lines[2], "private key, number": k.number,
	}
}

// method is a way to authenticate or to connect.
type method struct {
	name          string
	cluster, user map[string]any
	options       func(*rest.LoadOptions)
	refused       bool     // no request can succeed
	flags, env    []string // of the command, for options
	// sent is what the server must have been told in the ok mode, so that the test shows something.
	sent string
}

// methods are all of them, for a server.
func methods(t *testing.T, s *server, k keyPair, dir string) []method {
	t.Helper()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("ca.crt", s.ca)
	write("other.crt", k.cert)
	write("client.crt", k.cert)
	write("client.key", k.key)
	write("token", fileSecret+"\n")
	write("two-lines", fileSecret+"\n"+fileSecret)
	secretProxy := url.UserPassword("me", proxySecret).String()
	connect, socks := proxytest.StartConnect(t, "me", proxySecret), proxytest.StartSOCKS(t, "me", proxySecret)
	strict := proxytest.StartConnect(t, "me", "another")
	strictSOCKS := proxytest.StartSOCKS(t, "me", "another")
	trusted := func(more map[string]any) map[string]any {
		c := map[string]any{"server": s.url, "certificate-authority": "ca.crt"}
		for name, value := range more {
			c[name] = value
		}
		return c
	}
	token := map[string]any{"token": tokenSecret}
	bearer := "Bearer " + tokenSecret
	return []method{
		{name: "token", cluster: trusted(nil), user: token, sent: bearer},
		{name: "token by option", cluster: trusted(nil), user: map[string]any{"token": "other"}, options: func(o *rest.LoadOptions) { o.Token = tokenSecret }, flags: []string{"--token", tokenSecret}, sent: bearer},
		{name: "token file", cluster: trusted(nil), user: map[string]any{"tokenFile": "token"}, sent: "Bearer " + fileSecret},
		{name: "token file of two lines", cluster: trusted(nil), user: map[string]any{"tokenFile": "two-lines"}, refused: true},
		{name: "password", cluster: trusted(nil), user: map[string]any{"username": "me", "password": nameSecret}, sent: "Basic "},
		{name: "password by option", cluster: trusted(nil), user: token, options: func(o *rest.LoadOptions) { o.Username, o.Password = "me", nameSecret },
			flags: []string{"--username", "me", "--password", nameSecret}, sent: "Basic "},
		{name: "token and password", cluster: trusted(nil), user: map[string]any{"token": tokenSecret, "username": "me", "password": nameSecret}, refused: true},
		{name: "certificate in files", cluster: trusted(nil), user: map[string]any{"client-certificate": "client.crt", "client-key": "client.key"}, sent: "certificate client"},
		{name: "certificate inline", cluster: trusted(nil), user: map[string]any{"client-certificate-data": []byte(k.cert), "client-key-data": []byte(k.key)}, sent: "certificate client"},
		{name: "certificate with a key that is a certificate", cluster: trusted(nil), user: map[string]any{"client-certificate": "client.key", "client-key": "client.crt"}, refused: true},
		{name: "plugin with a token", cluster: trusted(nil), user: plugin("token"), sent: "Bearer " + pluginSecret},
		{name: "plugin with a certificate", cluster: trusted(nil), user: plugin(dir), sent: "certificate client"},
		{name: "plugin that fails and talks", cluster: trusted(nil), user: plugin("fail"), refused: true},
		{name: "plugin that prints something else", cluster: trusted(nil), user: plugin("rubbish"), refused: true},
		{name: "plugin that is not there", cluster: trusted(nil), user: map[string]any{"exec": map[string]any{
			"apiVersion": execplugin.V1, "interactiveMode": "Never", "command": "no-such-plugin", "args": []any{argSecret}, "installHint": "install it"}}, refused: true},
		{name: "impersonation", cluster: trusted(nil), user: map[string]any{"token": tokenSecret, "as": "jane", "as-user-extra": map[string]any{"scope": []any{extraSecret}}}, sent: bearer},
		{name: "impersonation with a line break", cluster: trusted(nil), user: map[string]any{"token": tokenSecret, "as": "jane", "as-user-extra": map[string]any{"scope": []any{extraSecret + "\n"}}}, refused: true},
		{name: "HTTP proxy", cluster: trusted(map[string]any{"proxy-url": "http://" + secretProxy + "@" + connect.Addr()}), user: token, sent: bearer},
		{name: "HTTP proxy of the environment", cluster: trusted(map[string]any{"server": strings.Replace(s.url, "127.0.0.1", "example.com", 1), "tls-server-name": "example.com"}), user: token,
			options: func(o *rest.LoadOptions) {
				o.Env = func(name string) string {
					return map[string]string{"HTTPS_PROXY": "http://" + secretProxy + "@" + strict.Addr()}[name]
				}
			}, env: []string{"HTTPS_PROXY=http://" + secretProxy + "@" + strict.Addr()}, refused: true},
		{name: "HTTP proxy that refuses", cluster: trusted(map[string]any{"proxy-url": "http://" + secretProxy + "@" + strict.Addr()}), user: token, refused: true},
		{name: "HTTP proxy that is not there", cluster: trusted(map[string]any{"proxy-url": "http://" + secretProxy + "@" + deadAddr(t)}), user: token, refused: true},
		{name: "HTTP proxy that is no URL", cluster: trusted(map[string]any{"proxy-url": "http://me:" + proxySecret + "@p"}), user: token, refused: true},
		{name: "SOCKS proxy", cluster: trusted(map[string]any{"proxy-url": "socks5://" + secretProxy + "@" + socks.Addr()}), user: token, sent: bearer},
		{name: "SOCKS proxy that refuses", cluster: trusted(map[string]any{"proxy-url": "socks5://" + secretProxy + "@" + strictSOCKS.Addr()}), user: token, refused: true},
		{name: "unix socket", cluster: map[string]any{"server": "unix://" + s.socket}, user: token, sent: bearer},
		{name: "unix socket that is not there", cluster: map[string]any{"server": "unix://" + s.socket + ".no"}, user: token, refused: true},
		{name: "another authority", cluster: trusted(map[string]any{"certificate-authority": "other.crt"}), user: token, refused: true},
		{name: "another name", cluster: trusted(map[string]any{"tls-server-name": "api.internal"}), user: token, refused: true},
		{name: "not verified", cluster: map[string]any{"server": s.url, "insecure-skip-tls-verify": true}, user: token, sent: bearer},
		{name: "nobody there", cluster: map[string]any{"server": "https://" + deadAddr(t)}, user: token, refused: true},
		{name: "plain http elsewhere", cluster: map[string]any{"server": "http://api.example"}, user: token, refused: true},
		{name: "a password in the address", cluster: map[string]any{"server": "https://" + secretProxy + "@api.example"}, user: token, refused: true},
		{name: "untrusted", cluster: trusted(map[string]any{"proxy-url": "http://" + secretProxy + "@p"}), user: plugin("token"), refused: true,
			options: func(o *rest.LoadOptions) { o.Untrusted = rest.Untrusted }, flags: []string{"--untrusted-kubeconfig"}},
	}
}

// load is rest.LoadConfig for a method; what the options print is added to seen.
func (m method) load(t *testing.T, dir string) (rest.LoadOptions, rest.Config, error) {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"current-context": "c", "clusters": []any{map[string]any{"name": "k", "cluster": m.cluster}}, "users": []any{map[string]any{"name": "u", "user": m.user}},
		"contexts": []any{map[string]any{"name": "c", "context": map[string]any{"cluster": "k", "user": "u"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "config")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	o := rest.LoadOptions{Kubeconfig: path, Env: func(string) string { return "" }, SOCKS5: rest.SOCKS5,
		Exec: execplugin.New(execplugin.Options{Env: func() []string { return append(os.Environ(), "PLANTED="+envSecret) }})}
	if m.options != nil {
		m.options(&o)
	}
	config, err := rest.LoadConfig(o)
	return o, config, err
}

const (
	pluginVariable = "RAWWATCH_SECRETS_PLUGIN"
	panicVariable  = "RAWWATCH_SECRETS_PANIC"
)

// plugin is the test's own binary.
func plugin(what string) map[string]any {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return map[string]any{"exec": map[string]any{
		"apiVersion": execplugin.V1, "interactiveMode": "Never", "command": self, "args": []any{argSecret},
		"env": []any{map[string]any{"name": pluginVariable, "value": what}, map[string]any{"name": "PASSWORD", "value": envSecret}},
	}}
}

func beThePlugin() int {
	status := map[string]any{"expirationTimestamp": time.Now().Add(time.Hour)}
	switch what := os.Getenv(pluginVariable); what {
	case "token":
		status["token"] = pluginSecret
	case "fail":
		os.Stdout.WriteString(pluginSecret)
		os.Stderr.WriteString("cannot log in with the password " + os.Getenv("PASSWORD") + "\n")
		return 1
	case "rubbish":
		os.Stdout.WriteString(`{"kind":"ExecCredential","status":{"token":"` + pluginSecret + `"},`)
		return 0
	default:
		cert, _ := os.ReadFile(filepath.Join(what, "client.crt"))
		key, _ := os.ReadFile(filepath.Join(what, "client.key"))
		status["clientCertificateData"], status["clientKeyData"] = string(cert), string(key)
	}
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"kind": "ExecCredential", "apiVersion": execplugin.V1, "status": status}); err != nil {
		return 1
	}
	return 0
}

// keyPair is a client certificate.
type keyPair struct{ cert, key, number string }

func newKeyPair(t *testing.T) keyPair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := key.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return keyPair{
		cert:   string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		key:    string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})),
		number: new(big.Int).SetBytes(raw).String(),
	}
}

// deadAddr is one where nobody listens.
func deadAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
