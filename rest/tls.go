package rest

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"strings"
	"sync"
)

// maxPEM bounds a certificate or key file.
const maxPEM = 4 << 20

// tlsFiles is everything a handshake is built from that may change under us.
type tlsFiles struct{ ca, cert, key []byte }

// tlsSource makes the TLS configuration of each handshake. Files are read again each time; when one of them changed, configuration and session cache
// are new, because a resumed session keeps the trust and the identity of the handshake it resumes.
type tlsSource struct {
	cfg  *Config
	base *tls.Config

	mu   sync.Mutex
	last tlsFiles
	cert *tls.Certificate // of Config.Credentials
	made *tls.Config      // replaced as a whole: connections compare it with their own

	readFile func(path string, max int) ([]byte, error)
}

// newTLSSource checks everything once, so that NewClient fails and not the first request.
func newTLSSource(cfg *Config, host string) (*tlsSource, error) {
	switch {
	case len(cfg.CAData) > 0 && cfg.CAFile != "":
		return nil, configError("both CAData and CAFile", nil)
	case len(cfg.CertData) > 0 && cfg.CertFile != "":
		return nil, configError("both CertData and CertFile", nil)
	case len(cfg.KeyData) > 0 && cfg.KeyFile != "":
		return nil, configError("both KeyData and KeyFile", nil)
	case cfg.InsecureSkipTLSVerify && (len(cfg.CAData) > 0 || cfg.CAFile != ""):
		return nil, configError("InsecureSkipTLSVerify together with a CA: one of them is a mistake", nil)
	case (len(cfg.CertData) > 0 || cfg.CertFile != "") != (len(cfg.KeyData) > 0 || cfg.KeyFile != ""):
		return nil, configError("a client certificate needs both a certificate and a key", nil)
	}
	base := new(tls.Config)
	if cfg.TLS != nil {
		if cfg.TLS.MaxVersion != 0 && cfg.TLS.MaxVersion < tls.VersionTLS12 {
			return nil, configError("TLS.MaxVersion is below 1.2", nil)
		}
		base = cfg.TLS.Clone()
	}
	base.NextProtos = []string{"http/1.1"}
	base.MinVersion = max(base.MinVersion, tls.VersionTLS12)
	base.Renegotiation = tls.RenegotiateNever
	base.InsecureSkipVerify = base.InsecureSkipVerify || cfg.InsecureSkipTLSVerify
	base.ServerName = serverName(cfg, base.ServerName, host)

	if cfg.KeyLog != nil {
		base.KeyLogWriter = cfg.KeyLog
	}

	s := &tlsSource{cfg: cfg, base: base, readFile: readFile}
	files, err := s.read()
	if err != nil {
		return nil, err
	}
	if s.made, err = s.build(files); err != nil {
		return nil, err
	}
	s.last = files
	return s, nil
}

func serverName(cfg *Config, custom, host string) string {
	switch {
	case cfg.TLSServerName != "":
		return cfg.TLSServerName
	case custom != "":
		return custom
	}
	host, _, _ = strings.Cut(host, "%")
	return host
}

// config returns the configuration for the next handshake. A file that has become unreadable or broken leaves the last good ones in force: rotation
// is not atomic everywhere, and what was verified a moment ago is no worse than it was.
func (s *tlsSource) config() *tls.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	files, err := s.read()
	if err != nil || (bytes.Equal(files.ca, s.last.ca) && bytes.Equal(files.cert, s.last.cert) && bytes.Equal(files.key, s.last.key)) {
		return s.made
	}
	if made, err := s.build(files); err == nil {
		s.made, s.last = made, files
	}
	return s.made
}

// use takes the client certificate that Config.Credentials gave into force, nil for none: a source that went over to a token is not to be taken for
// the last certificate's owner. One of the configuration comes first.
func (s *tlsSource) use(cert *tls.Certificate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cert != cert && s.cfg.CertFile == "" && len(s.cfg.CertData) == 0 {
		s.cert = cert
		if made, err := s.build(s.last); err == nil { // it cannot fail: these files were used before
			s.made = made
		}
	}
}

// current is the configuration in force, without a look at the files.
func (s *tlsSource) current() *tls.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made
}

func (s *tlsSource) read() (f tlsFiles, err error) {
	f = tlsFiles{s.cfg.CAData, s.cfg.CertData, s.cfg.KeyData}
	for _, x := range []struct {
		name, path string
		into       *[]byte
	}{{"CAFile", s.cfg.CAFile, &f.ca}, {"CertFile", s.cfg.CertFile, &f.cert}, {"KeyFile", s.cfg.KeyFile, &f.key}} {
		if x.path == "" {
			continue
		}
		if *x.into, err = s.readFile(x.path, maxPEM); err != nil {
			return f, configError(x.name+" "+quotePath(x.path), err)
		}
	}
	return f, nil
}

func (s *tlsSource) build(f tlsFiles) (*tls.Config, error) {
	c := s.base.Clone()
	if len(f.ca) > 0 || s.cfg.CAFile != "" {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(f.ca) {
			return nil, configError("the CA holds no certificate in PEM form", nil)
		}
	}
	cert := s.cert
	if len(f.cert) > 0 || s.cfg.CertFile != "" {
		pair, err := tls.X509KeyPair(f.cert, f.key)
		if err != nil {
			return nil, configError("the client certificate and its key", err)
		}
		cert = &pair
	}
	if cert != nil {
		// Sent whatever authorities the server names: some name none that matches an intermediate.
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return cert, nil }
	}
	c.ClientSessionCache = tls.NewLRUClientSessionCache(0) // never shared: see tlsSource
	return c, nil
}

// forProxy is the configuration of TLS to an https proxy: the system's roots and the configured CA, never the client certificate, which is for the
// server alone, and never without verification.
func (s *tlsSource) forProxy(host string) *tls.Config {
	host, _, _ = strings.Cut(host, "%")
	c := &tls.Config{ServerName: host, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12, KeyLogWriter: s.base.KeyLogWriter}
	s.mu.Lock()
	ca := s.last.ca
	s.mu.Unlock()
	switch roots, err := x509.SystemCertPool(); {
	case s.base.RootCAs != nil:
		c.RootCAs = s.base.RootCAs
	case len(ca) == 0:
	case err != nil:
		c.RootCAs = x509.NewCertPool()
		c.RootCAs.AppendCertsFromPEM(ca)
	default:
		roots.AppendCertsFromPEM(ca)
		c.RootCAs = roots
	}
	return c
}
