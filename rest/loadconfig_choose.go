package rest

import (
	"cmp"
	"maps"
)

// choice is the cluster and the user in force after the context and every override.
type choice struct {
	contextName, clusterName, userName string
	cluster                            kubeCluster
	user                               kubeUser
	namespace                          string // the context's
	pod                                bool   // a pod's service account, no kubeconfig
}

// choose picks context, cluster and user. A name that no file defines is refused
// with the names there are, unless the options replace all it would have given.
func (k *kubeconfig) choose(o *LoadOptions) (*choice, error) {
	c := &choice{contextName: cmp.Or(o.Context, k.current)}
	context, ok := k.contexts[c.contextName]
	switch {
	case !ok && o.Context != "":
		return c, &ConfigError{Field: "context " + quote(o.Context), Rule: "does not exist; the contexts are " + quoteNames(maps.Keys(k.contexts))}
	case !ok && k.current != "":
		return c, &ConfigError{File: k.currentFile, Field: "current-context", Rule: "names " + quote(k.current) +
			", which does not exist; the contexts are " + quoteNames(maps.Keys(k.contexts))}
	}
	c.namespace = context.namespace

	c.clusterName = cmp.Or(o.Cluster, context.cluster)
	if c.clusterName == "" && c.contextName != "" && o.Server == "" {
		return c, &ConfigError{File: context.file, Field: "context " + quote(c.contextName), Rule: "names no cluster"}
	}
	c.cluster, ok = k.clusters[c.clusterName]
	if !ok && (o.Cluster != "" || c.clusterName != "" && o.Server == "") {
		return c, &ConfigError{File: context.file, Field: "cluster " + quote(c.clusterName),
			Rule: "does not exist; the clusters are " + quoteNames(maps.Keys(k.clusters))}
	}

	c.userName = cmp.Or(o.User, context.user)
	c.user, ok = k.users[c.userName]
	if !ok && (o.User != "" || c.userName != "" && !o.hasCredentials()) {
		return c, &ConfigError{File: context.file, Field: "user " + quote(c.userName),
			Rule: "does not exist; the users are " + quoteNames(maps.Keys(k.users))}
	}

	if o.Untrusted != nil {
		if err := o.Untrusted(c); err != nil {
			return c, err
		}
	}
	o.overrideCluster(&c.cluster)
	o.overrideUser(&c.user)
	return c, nil
}

// hasCredentials says whether the options bring an identity of their own.
func (o *LoadOptions) hasCredentials() bool { return o.replacesToken() || o.ClientCertificate != "" }

func (o *LoadOptions) replacesToken() bool {
	return o.Token != "" || o.TokenFile != "" || o.Username != "" || o.Password != ""
}

// overrideCluster follows clientcmd: a server brings its own TLS name (even none),
// and a CA or the insecure flag replaces CA, CA data and flag together.
func (o *LoadOptions) overrideCluster(c *kubeCluster) {
	if o.Server != "" {
		c.server = o.Server
	}
	if o.Server != "" || o.TLSServerName != "" {
		c.tlsServerName = o.TLSServerName
	}
	if o.CertificateAuthority != "" || o.InsecureSkipTLSVerify {
		c.caFile, c.caData, c.insecureSkipTLSVerify = o.CertificateAuthority, nil, o.InsecureSkipTLSVerify
	}
	if o.ProxyURL != "" {
		c.proxyURL = o.ProxyURL
	}
	c.disableCompression = c.disableCompression || o.DisableCompression
}

// overrideUser lets an explicit identity replace the whole of the user's, so that
// a token given by hand is neither beaten by a tokenFile nor in conflict with a
// password; clientcmd merges field by field, in impersonation too, where a user given
// by hand would get the groups of another. Client certificates are separate.
func (o *LoadOptions) overrideUser(u *kubeUser) {
	if o.replacesToken() {
		u.token, u.tokenFile, u.username, u.password = o.Token, o.TokenFile, o.Username, o.Password
		u.exec, u.authProvider = nil, false
	}
	if o.Impersonate.given() {
		u.impersonate = o.Impersonate
	}
	if o.ClientCertificate != "" {
		u.certFile, u.certData = o.ClientCertificate, nil
	}
	if o.ClientKey != "" {
		u.keyFile, u.keyData = o.ClientKey, nil
	}
}
