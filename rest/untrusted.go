package rest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// UntrustedFunc is the type of [Untrusted].
type UntrustedFunc func(*choice) error

// Untrusted is the value of [LoadOptions.Untrusted]. Files are read here, once, from below the kubeconfig's folder whatever symbolic links there are
// (os.Root), so that none can be swapped for another afterwards.
func Untrusted(c *choice) error {
	k, u := &c.cluster, &c.user
	clusterAt := fieldPlace{k.file, "cluster " + quote(c.clusterName)}
	userAt := fieldPlace{u.file, "user " + quote(c.userName)}
	for _, refused := range []struct {
		is    bool
		at    fieldPlace
		field string
	}{
		{strings.HasPrefix(k.server, "unix:"), clusterAt, "server: a unix socket"},
		{k.proxyURL != "", clusterAt, "proxy-url"},
		{k.insecureSkipTLSVerify, clusterAt, "insecure-skip-tls-verify"},
		{u.exec != nil, userAt, "exec"},
		{u.authProvider, userAt, "auth-provider"},
	} {
		if refused.is {
			return refused.at.fail(refused.field, "is not allowed in a kubeconfig that is not trusted", nil)
		}
	}
	var token []byte
	for _, file := range []struct {
		at    fieldPlace
		field string
		path  *string
		in    string
		into  *[]byte
	}{
		{clusterAt, "certificate-authority", &k.caFile, k.folder, &k.caData},
		{userAt, "client-certificate", &u.certFile, u.folder, &u.certData},
		{userAt, "client-key", &u.keyFile, u.folder, &u.keyData},
		{userAt, "tokenFile", &u.tokenFile, u.folder, &token},
	} {
		if *file.path == "" {
			continue
		}
		data, err := readBelow(file.in, *file.path, maxCertificateBytes)
		if err != nil {
			return file.at.fail(file.field, quotePath(*file.path)+" cannot be read", err)
		}
		if *file.path = ""; *file.into == nil { // data comes before a file
			*file.into = data
		}
	}
	if token != nil {
		if u.token = strings.TrimSpace(string(token)); u.token == "" {
			return userAt.fail("tokenFile", "is empty", nil)
		}
	}
	return nil
}

var errOutside = errors.New("it is outside of the kubeconfig's folder")

// readBelow reads the file at path, which must be below folder, of at most max bytes.
func readBelow(folder, path string, max int) ([]byte, error) {
	name, err := filepath.Rel(folder, path)
	if err != nil || !filepath.IsLocal(name) {
		return nil, errOutside
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe or a device would be waited for
		return nil, errors.New("it is no ordinary file")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(max)+1))
	if err == nil && len(data) > max {
		err = errTooLarge{max}
	}
	return data, err
}
