package rest

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrNotInCluster is wrapped by the error of InClusterConfig outside of a pod.
var ErrNotInCluster = errors.New("not in a cluster")

const (
	serviceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount"
	defaultNamespace  = "default"
)

// InClusterOptions configure InClusterConfig. The zero value is what a pod needs.
type InClusterOptions struct {
	// Dir holds token, ca.crt and namespace; "" is
	// /var/run/secrets/kubernetes.io/serviceaccount.
	Dir string
	// Env reads the environment; nil is os.Getenv.
	Env func(string) string
	// Now is the clock of the token file; nil is time.Now.
	Now func() time.Time
}

// InClusterConfig returns the configuration of a pod: the server of
// KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, and the service account's
// token, CA and namespace. The token is read again as it is rotated. A CA that
// cannot be read or parsed is an error: the system's roots are no substitute.
//
// Errors are *ConfigError; errors.Is(err, ErrNotInCluster) when the process is in
// no pod. A program that uses no other source of configuration links no YAML.
func InClusterConfig(o InClusterOptions) (Config, error) {
	env := o.Env
	if env == nil {
		env = os.Getenv
	}
	pod, err := findPod(env, o.Dir)
	if err != nil {
		return Config{}, err
	}
	token := NewTokenFile(pod.tokenFile, TokenFileOptions{Now: o.Now})
	if _, err := token.Token(context.Background()); err != nil {
		return Config{}, podPlace.fail("token", "", err)
	}
	if err := checkCAFile(pod.caFile, podPlace, "ca.crt"); err != nil {
		return Config{}, err
	}
	return Config{
		Server:        pod.server,
		CAFile:        pod.caFile,
		Token:         token.Token,
		TokenRejected: token.Rejected,
		Proxy:         ProxyFromEnvironment(env),
		Namespace:     pod.namespace,
	}, nil
}

// podPlace is where a pod's configuration stands, for messages.
var podPlace = fieldPlace{entry: "in-cluster configuration"}

// pod is what a process finds around it in a pod.
type pod struct {
	server, tokenFile, caFile, namespace string
}

// findPod decides as kubectl does whether this is a pod: the variables of the API
// server's service are set and a token file is there.
func findPod(env func(string) string, dir string) (pod, error) {
	if dir == "" {
		dir = serviceAccountDir
	}
	host, port := env("KUBERNETES_SERVICE_HOST"), env("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return pod{}, podPlace.fail("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT", "are not both set", ErrNotInCluster)
	}
	token := filepath.Join(dir, "token")
	if info, err := os.Stat(token); err != nil || info.IsDir() {
		return pod{}, podPlace.fail("token", quotePath(token)+" is no file", ErrNotInCluster)
	}
	return pod{
		// RFC 3986 3.2.2: an IPv6 address stands in brackets.
		server:    "https://" + net.JoinHostPort(host, port),
		tokenFile: token,
		caFile:    filepath.Join(dir, "ca.crt"),
		namespace: podNamespace(env, dir),
	}, nil
}

// podNamespace is POD_NAMESPACE, which kubectl reads too, or the service account's
// file. What cannot be a name in a path counts as none.
func podNamespace(env func(string) string, dir string) string {
	namespace := env("POD_NAMESPACE")
	if namespace == "" {
		// A file that is missing or too long leaves the namespace empty.
		data, _ := readFile(filepath.Join(dir, "namespace"), 1<<10)
		namespace = strings.TrimSpace(string(data))
	}
	if segmentRule(namespace) != "" {
		return defaultNamespace
	}
	return namespace
}
