package rest

import (
	"context"
	"crypto/x509"
	"net/url"
	"strings"
)

// maxCertificateBytes bounds a file of certificates or a key. A CA bundle with
// every public root is 250 KiB.
const maxCertificateBytes = 1 << 20

// config turns a choice into a Config.
func (c *choice) config(o *LoadOptions) (Config, error) {
	out := Config{
		TLSServerName:         c.cluster.tlsServerName,
		InsecureSkipTLSVerify: c.cluster.insecureSkipTLSVerify,
		DisableCompression:    c.cluster.disableCompression,
		Namespace:             o.namespace(c.namespace),
	}
	clusterAt := fieldPlace{c.cluster.file, "cluster " + quote(c.clusterName)}
	userAt := fieldPlace{c.user.file, "user " + quote(c.userName)}
	if c.pod {
		clusterAt, userAt = podPlace, podPlace
	}
	for _, step := range []error{
		c.cluster.setServer(&out, clusterAt),
		c.cluster.setProxy(&out, clusterAt, o),
		c.cluster.setCA(&out, clusterAt),
		c.setExec(&out, userAt, o),
		c.setImpersonation(&out, userAt),
		c.user.setCertificate(&out, userAt),
		c.user.setIdentity(&out, userAt, o),
	} {
		if step != nil {
			return Config{}, step
		}
	}
	return out, nil
}

// fieldPlace is an entry of a file, for messages.
type fieldPlace struct{ file, entry string }

//go:noinline
func (p fieldPlace) fail(field, rule string, cause error) error {
	return &ConfigError{File: p.file, Field: p.entry + ": " + field, Rule: rule, Err: cause}
}

//go:noinline
func (p fieldPlace) unsupported(field, rule string) error {
	return &ConfigError{File: p.file, Field: p.entry + ": " + field, Rule: rule, Unsupported: true}
}

func (k *kubeCluster) setServer(out *Config, at fieldPlace) error {
	if k.server == "" {
		return at.fail("server", "is not set", nil)
	}
	server, rule := normalServer(k.server)
	if rule != "" {
		return at.fail("server", rule, nil)
	}
	out.Server = server
	return nil
}

// normalServer returns a server's address with a scheme, or the rule it breaks.
// Without a scheme it is plain http, as in client-go. The address is not repeated
// in messages: it may hold a password.
func normalServer(server string) (normal, rule string) {
	if !strings.Contains(server, "://") {
		if strings.Contains(strings.TrimSuffix(server, "/"), "/") {
			return "", "must begin with https:// or http://"
		}
		server = "http://" + server
	}
	u, err := url.Parse(server)
	switch {
	case err != nil || u.Opaque != "" || (u.Host == "") != (u.Scheme == "unix"):
		return "", "must be an address such as https://host:port"
	case u.Scheme != "https" && u.Scheme != "http" && (u.Scheme != "unix" || len(u.Path) < 2):
		return "", "must begin with https:// or http://, or be unix:// and the path of a socket"
	case u.User != nil:
		return "", "must not contain a user or a password"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", "must not have a query or a fragment"
	}
	return server, ""
}

// setProxy takes the cluster's proxy-url, which NO_PROXY does not touch, or else
// the environment's.
func (k *kubeCluster) setProxy(out *Config, at fieldPlace, o *LoadOptions) error {
	out.SOCKS5 = o.SOCKS5
	if k.proxyURL == "" {
		out.Proxy = ProxyFromEnvironment(o.Env)
		return nil
	}
	proxy, err := url.Parse(k.proxyURL)
	switch {
	case err != nil || proxy.Scheme != "http" && proxy.Scheme != "https" && !isSOCKS(proxy) || proxy.Host == "":
		return at.fail("proxy-url", "must be an address such as http://host:port", nil)
	case isSOCKS(proxy) && o.SOCKS5 == nil:
		return at.unsupported("proxy-url: a SOCKS proxy", needsSOCKS5)
	}
	out.Proxy = func(*url.URL) (*url.URL, error) { return proxy, nil }
	return nil
}

func (k *kubeCluster) setCA(out *Config, at fieldPlace) error {
	if k.insecureSkipTLSVerify && (k.caFile != "" || k.caData != nil) {
		return at.fail("insecure-skip-tls-verify", "must not be set together with a certificate authority", nil)
	}
	switch {
	case k.caData != nil:
		if !holdsCertificate(k.caData) {
			return at.fail("certificate-authority-data", "holds no PEM certificate", nil)
		}
		out.CAData = k.caData
	case k.caFile != "":
		if err := checkCAFile(k.caFile, at, "certificate-authority"); err != nil {
			return err
		}
		out.CAFile = k.caFile
	}
	return nil
}

// checkCAFile refuses a file that cannot be read or holds no certificate: going on
// with the system's roots would send the token to whomever those trust.
func checkCAFile(path string, at fieldPlace, field string) error {
	data, err := readFile(path, maxCertificateBytes)
	if err != nil {
		return at.fail(field, quotePath(path)+" cannot be read", err)
	}
	if !holdsCertificate(data) {
		return at.fail(field, quotePath(path)+" holds no PEM certificate", nil)
	}
	return nil
}

func holdsCertificate(pem []byte) bool { return x509.NewCertPool().AppendCertsFromPEM(pem) }

// setCertificate takes data before files. When one half is a file and the other
// data, the file is read now: a rotated half would not match the other anyway.
func (u *kubeUser) setCertificate(out *Config, at fieldPlace) error {
	haveCert := u.certData != nil || u.certFile != ""
	haveKey := u.keyData != nil || u.keyFile != ""
	switch {
	case !haveCert && !haveKey:
		return nil
	case !haveKey:
		return at.fail("client-key", "is needed beside the client certificate", nil)
	case !haveCert:
		return at.fail("client-certificate", "is needed beside the client key", nil)
	}
	cert, err := fileOrData(u.certData, u.certFile, at, "client-certificate")
	if err != nil {
		return err
	}
	key, err := fileOrData(u.keyData, u.keyFile, at, "client-key")
	if err != nil {
		return err
	}
	if u.certData == nil && u.keyData == nil {
		out.CertFile, out.KeyFile = u.certFile, u.keyFile
	} else {
		out.CertData, out.KeyData = cert, key
	}
	return nil
}

func fileOrData(data []byte, file string, at fieldPlace, field string) ([]byte, error) {
	if data != nil {
		return data, nil
	}
	data, err := readFile(file, maxCertificateBytes)
	if err != nil {
		return nil, at.fail(field, quotePath(file)+" cannot be read", err)
	}
	return data, nil
}

func (c *choice) setImpersonation(out *Config, at fieldPlace) error {
	out.Impersonate = c.user.impersonate
	if _, rule := out.Impersonate.header(); rule != "" {
		return at.fail("as", rule, nil)
	}
	return nil
}

// setIdentity takes a token or a name and a password, not both. A tokenFile beats
// a token, which then serves while the file has not been read.
func (u *kubeUser) setIdentity(out *Config, at fieldPlace, o *LoadOptions) error {
	token := strings.TrimSpace(u.token) // a YAML block ends in a line break
	switch {
	case (token != "" || u.tokenFile != "") && (u.username != "" || u.password != ""):
		return at.fail("token", "must not be set together with username or password", nil)
	case u.password != "" && u.username == "":
		return at.fail("password", "needs a username", nil)
	}
	if token != "" {
		if rule := tokenRule(token); rule != "" {
			return at.fail("token", rule, nil)
		}
		out.Token = func(context.Context) (string, error) { return token, nil }
	}
	if u.tokenFile != "" {
		file := NewTokenFile(u.tokenFile, TokenFileOptions{Initial: token, Now: o.Now})
		if _, err := file.Token(context.Background()); err != nil {
			return at.fail("tokenFile", "", err)
		}
		out.Token, out.TokenRejected = file.Token, file.Rejected
	}
	out.Username, out.Password = u.username, u.password
	return nil
}
