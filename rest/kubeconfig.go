package rest

import (
	"path/filepath"
)

// kubeconfig is one file, or several merged: named clusters, users and contexts.
type kubeconfig struct {
	clusters map[string]kubeCluster
	users    map[string]kubeUser
	contexts map[string]kubeContext
	// current is current-context; currentFile is the file that set it.
	current, currentFile string
}

// kubeCluster is where a server is and how to know that it is the right one.
type kubeCluster struct {
	file                  string // the kubeconfig that defines it
	server, tlsServerName string
	caFile                string // absolute
	caData                []byte
	insecureSkipTLSVerify bool
	proxyURL              string
	disableCompression    bool
	folder                string // of file, absolute
	extensions            any    // as decoded
}

// kubeUser is who to be. The files are absolute.
type kubeUser struct {
	file               string
	certFile, keyFile  string
	certData, keyData  []byte
	token, tokenFile   string
	username, password string
	folder             string // of file, absolute
	exec               any    // as decoded; nil is none
	authProvider       bool
	impersonate        Impersonation
}

// kubeContext ties a cluster to a user.
type kubeContext struct {
	file, cluster, user, namespace string
}

func newKubeconfig() *kubeconfig {
	return &kubeconfig{
		clusters: map[string]kubeCluster{},
		users:    map[string]kubeUser{},
		contexts: map[string]kubeContext{},
	}
}

// merge adds what k does not have yet. The first file to define a name wins with
// its whole entry: fields of the same entry in later files are dropped, as
// clientcmd does.
func (k *kubeconfig) merge(later *kubeconfig) {
	mergeEntries(k.clusters, later.clusters)
	mergeEntries(k.users, later.users)
	mergeEntries(k.contexts, later.contexts)
	if k.current == "" {
		k.current, k.currentFile = later.current, later.currentFile
	}
}

func mergeEntries[V any](into, later map[string]V) {
	for name, entry := range later {
		if _, have := into[name]; !have {
			into[name] = entry
		}
	}
}

// maxKubeconfigBytes bounds one file. Real ones with dozens of clusters and
// inline certificates stay below 200 KiB.
const maxKubeconfigBytes = 1 << 20

// readKubeconfig reads one file. An error that is fs.ErrNotExist means that there
// is no such file.
func readKubeconfig(path string) (*kubeconfig, error) {
	data, err := readFile(path, maxKubeconfigBytes)
	if err != nil {
		return nil, &ConfigError{File: path, Rule: "cannot be read", Err: err}
	}
	folder, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, &ConfigError{File: path, Rule: "its folder cannot be found", Err: err}
	}
	return parseKubeconfig(data, path, folder)
}

// parseKubeconfig reads the text of a kubeconfig. Relative paths in it are
// resolved against folder.
func parseKubeconfig(data []byte, path, folder string) (*kubeconfig, error) {
	root, err := decodeYAML(data)
	if err != nil {
		err.File = path
		return nil, err
	}
	p := kubeconfigParser{file: path, folder: folder}
	k := p.config(root)
	if p.err != nil {
		p.err.File = path
		return nil, p.err
	}
	return k, nil
}
