package rest

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// LoadConfig finds the configuration as kubectl does: the file that
// LoadOptions.Kubeconfig names; else the files of $KUBECONFIG, merged (the first
// to define a name or to set current-context wins; missing ones are passed over);
// else ~/.kube/config; else, when these choose no server, the service account of
// a pod. It never falls back to localhost: without a server it says where it
// looked. The namespace is the option's, the context's, the pod's, or "default".
//
// Everything that is present in the chosen context and not possible is refused by
// name (ConfigError.Unsupported): auth-provider always, exec and SOCKS proxies
// unless LoadOptions.Exec and LoadOptions.SOCKS5 allow them. Unknown fields are
// ignored, as kubectl ignores them.
//
// A kubeconfig can name any file the process can read, any server to send its
// content to, and with LoadOptions.Exec any program to run: load one that you do
// not trust with LoadOptions.Untrusted only.
//
// Errors are *ConfigError. The files of certificates are checked here and read
// again by NewClient.
func LoadConfig(o LoadOptions) (Config, error) {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	found, err := o.readKubeconfigs()
	if err != nil {
		return Config{}, err
	}
	chosen, err := found.merged.choose(&o)
	if err != nil {
		return Config{}, err
	}
	if chosen.clusterName == "" && chosen.cluster.server == "" {
		return o.withoutServer(found)
	}
	return chosen.config(&o)
}

// kubeconfigSearch is what was found on the way to a configuration.
type kubeconfigSearch struct {
	merged  *kubeconfig
	source  string   // where the names of files came from
	files   []string // those read
	missing []string
}

func (o *LoadOptions) readKubeconfigs() (kubeconfigSearch, error) {
	s := kubeconfigSearch{merged: newKubeconfig()}
	var files []string
	switch list := o.Env("KUBECONFIG"); {
	case o.Kubeconfig != "":
		files, s.source = []string{o.Kubeconfig}, "the option"
	case list != "":
		files, s.source = filepath.SplitList(list), "$KUBECONFIG"
	default:
		files, s.source = homeKubeconfig(o.Env), "the home folder"
	}
	for i, path := range files {
		if path == "" || slices.Contains(files[:i], path) {
			continue
		}
		k, err := readKubeconfig(path)
		if errors.Is(err, fs.ErrNotExist) && o.Kubeconfig == "" {
			s.missing = append(s.missing, path)
			if o.Warn != nil && s.source == "$KUBECONFIG" {
				o.Warn(err)
			}
			continue
		}
		if err != nil {
			return s, err
		}
		s.files = append(s.files, path)
		s.merged.merge(k)
	}
	return s, nil
}

// homeKubeconfig returns ~/.kube/config, or nothing where there is no home. On
// Windows the first home that holds the file counts, as kubectl has it.
func homeKubeconfig(env func(string) string) []string {
	homes := []string{env("HOME")}
	if runtime.GOOS == "windows" {
		homes = append(homes, env("HOMEDRIVE")+env("HOMEPATH"), env("USERPROFILE"))
	}
	var files []string
	for _, home := range homes {
		if home == "" {
			continue
		}
		file := filepath.Join(home, ".kube", "config")
		if _, err := os.Stat(file); err == nil {
			return []string{file}
		}
		files = append(files, file)
	}
	return files[:min(1, len(files))]
}

// withoutServer is the end of the search: the pod's service account, or a refusal
// that says where we looked. A file that was named explicitly is the last word: a
// pod's identity would be a surprise.
func (o *LoadOptions) withoutServer(found kubeconfigSearch) (Config, error) {
	var cause error
	if o.Kubeconfig == "" {
		c, err := o.inCluster()
		if !errors.Is(err, ErrNotInCluster) {
			return c, err
		}
		cause = err
	}
	switch {
	case len(found.files) > 0:
		return Config{}, &ConfigError{File: found.files[0], Field: "current-context", Err: cause,
			Rule: "is not set, so no server is chosen; the contexts are " + quoteNames(maps.Keys(found.merged.contexts))}
	case len(found.missing) > 0:
		return Config{}, &ConfigError{File: found.missing[0], Field: "from " + found.source, Err: cause,
			Rule: "does not exist; name a kubeconfig or a server"}
	}
	return Config{}, &ConfigError{Field: found.source, Rule: "names no kubeconfig; name one, or a server", Err: cause}
}

// maxNames bounds how many names a message lists.
const maxNames = 10

// quoteNames lists names, sorted, for a message.
func quoteNames(all iter.Seq[string]) string {
	names := slices.SortedFunc(all, strings.Compare) // crypto/x509 links this way to sort strings already
	if len(names) == 0 {
		return "none"
	}
	more := ""
	if len(names) > maxNames {
		names, more = names[:maxNames], ", ..."
	}
	for i, name := range names {
		names[i] = quote(name)
	}
	return strings.Join(names, ", ") + more
}

// inCluster lays the options over a pod's configuration.
func (o *LoadOptions) inCluster() (Config, error) {
	pod, err := findPod(o.Env, o.InClusterDir)
	if err != nil {
		return Config{}, err
	}
	c := choice{
		pod:     true,
		cluster: kubeCluster{server: pod.server, caFile: pod.caFile},
		user:    kubeUser{tokenFile: pod.tokenFile},
	}
	o.overrideCluster(&c.cluster)
	o.overrideUser(&c.user)
	return c.config(o)
}

// namespace is the option's, the context's, or that of the pod we run in, even
// when a kubeconfig chose the server, as kubectl has it.
func (o *LoadOptions) namespace(context string) string {
	if namespace := cmp.Or(o.Namespace, context); namespace != "" {
		return namespace
	}
	if pod, err := findPod(o.Env, o.InClusterDir); err == nil {
		return pod.namespace
	}
	return defaultNamespace
}
