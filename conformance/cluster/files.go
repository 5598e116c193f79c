package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// files are the paths of what the servers read and write.
type files struct {
	etcdData, etcdLog, apiLog, auditLog    string
	ca, cert, key, accounts, tokens, audit string
}

// auditPolicy records who asked for what, when the answer began and when it
// ended; no bodies.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
`

func writeFiles(dir string, ca *authority, tokens []Token) (files, error) {
	in := func(name string) string { return filepath.Join(dir, name) }
	f := files{
		etcdData: in("etcd"), etcdLog: in("etcd.log"), apiLog: in("kube-apiserver.log"), auditLog: in("audit.log"),
		ca: in("ca.crt"), cert: in("server.crt"), key: in("server.key"), accounts: in("service-accounts.key"),
		tokens: in("tokens.csv"), audit: in("audit.yaml"),
	}
	server, err := ca.server()
	if err != nil {
		return f, err
	}
	signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return f, err
	}
	accounts, err := encodeKey(signer)
	if err != nil {
		return f, err
	}
	csv, err := tokenFile(tokens)
	if err != nil {
		return f, err
	}
	for path, content := range map[string][]byte{
		f.ca: ca.Cert, f.cert: server.Cert, f.key: server.Key, f.accounts: accounts,
		f.tokens: csv, f.audit: []byte(auditPolicy),
	} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return f, err
		}
	}
	return f, nil
}

// tokenFile is the format of --token-auth-file: token,user,uid,"group,group".
func tokenFile(tokens []Token) ([]byte, error) {
	var b strings.Builder
	w := csv.NewWriter(&b)
	all := append([]Token{{Value: AdminToken, User: "admin", Groups: []string{"system:masters"}}}, tokens...)
	for i, t := range all {
		if err := w.Write([]string{t.Value, t.User, fmt.Sprint("uid-", i), strings.Join(t.Groups, ",")}); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return []byte(b.String()), w.Error()
}

func (c *Cluster) etcdArgs() []string {
	client := fmt.Sprintf("http://127.0.0.1:%d", c.ports.etcd)
	peer := fmt.Sprintf("http://127.0.0.1:%d", c.ports.etcdPeer)
	return []string{
		"--name=conformance", "--data-dir=" + c.files.etcdData,
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=conformance=" + peer,
		"--unsafe-no-fsync", // the state dies with the test
		"--log-level=warn",
	}
}

func (c *Cluster) apiServerArgs() []string {
	args := []string{
		fmt.Sprintf("--etcd-servers=http://127.0.0.1:%d", c.ports.etcd),
		"--etcd-compaction-interval=0", // History reads from the beginning; Compact is explicit
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", c.ports.api),
		// A loopback address is no valid endpoint, so nobody publishes one.
		"--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
		"--tls-cert-file=" + c.files.cert, "--tls-private-key-file=" + c.files.key,
		"--client-ca-file=" + c.files.ca, "--token-auth-file=" + c.files.tokens,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.files.accounts, "--service-account-signing-key-file=" + c.files.accounts,
		"--service-cluster-ip-range=10.0.0.0/24",
		"--authorization-mode=RBAC",
		// No controller makes the service accounts that this plugin asks for.
		"--disable-admission-plugins=ServiceAccount",
		"--audit-policy-file=" + c.files.audit, "--audit-log-path=" + c.files.auditLog, "--audit-log-mode=blocking",
		// A server told to stop then ends its watches whole, at once; without
		// this it waits for them for a minute and cuts what is left.
		"--shutdown-watch-termination-grace-period=2s",
		"--profiling=false",
	}
	if t := c.options.MinRequestTimeout; t > 0 {
		args = append(args, fmt.Sprintf("--min-request-timeout=%d", int(t/time.Second)))
	}
	return append(args, c.options.Args...)
}
