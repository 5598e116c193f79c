package rest

import (
	"cmp"
	"encoding/base64"
	"path/filepath"
	"slices"
)

// kubeconfigParser turns a YAML tree into a kubeconfig and keeps the first error.
//
// Keys are matched exactly, as the API machinery does (encoding/json would fold
// case, and two readers could see two servers). Unknown fields are ignored, as
// kubectl ignores them: files carry extensions of many tools. Messages name the
// entry and the field, never the value.
type kubeconfigParser struct {
	file, folder string
	err          *ConfigError
}

//go:noinline
func (p *kubeconfigParser) fail(at, rule string) {
	if p.err == nil {
		p.err = &ConfigError{Field: at, Rule: rule}
	}
}

func (p *kubeconfigParser) config(root any) *kubeconfig {
	k := newKubeconfig()
	top := p.object(root, "")
	if kind := top.text("kind"); kind != "" && kind != "Config" {
		p.fail("kind", "is "+quote(kind)+", not \"Config\"")
	}
	if version := top.text("apiVersion"); version != "" && version != "v1" {
		p.fail("apiVersion", "is "+quote(version)+", not \"v1\"")
	}
	if k.current = top.text("current-context"); k.current != "" {
		k.currentFile = p.file
	}
	top.named("cluster", func(name string, o object) { k.clusters[name] = p.cluster(o) })
	top.named("user", func(name string, o object) { k.users[name] = p.user(o) })
	top.named("context", func(name string, o object) { k.contexts[name] = p.context(o) })
	return k
}

// named reads a list of {name: ..., <kind>: {...}}. A name that stands twice in
// one file is refused, as clientcmd does.
func (o object) named(kind string, read func(name string, o object)) {
	var names []string
	for _, item := range o.list(kind + "s") {
		entry := o.p.object(item, "an entry of "+kind+"s")
		name := entry.text("name")
		at := kind + " " + quote(name)
		if slices.Contains(names, name) {
			o.p.fail(at, "is defined twice")
			return
		}
		names = append(names, name)
		read(name, o.p.object(entry.fields[kind], at))
	}
}

func (p *kubeconfigParser) cluster(o object) kubeCluster {
	return kubeCluster{
		file:                  p.file,
		server:                o.text("server"),
		tlsServerName:         o.text("tls-server-name"),
		caFile:                o.path("certificate-authority"),
		caData:                o.data("certificate-authority-data"),
		insecureSkipTLSVerify: o.flag("insecure-skip-tls-verify"),
		proxyURL:              o.text("proxy-url"),
		disableCompression:    o.flag("disable-compression"),
		folder:                p.folder,
		extensions:            o.fields["extensions"],
	}
}

func (p *kubeconfigParser) user(o object) kubeUser {
	return kubeUser{
		file:         p.file,
		certFile:     o.path("client-certificate"),
		certData:     o.data("client-certificate-data"),
		keyFile:      o.path("client-key"),
		keyData:      o.data("client-key-data"),
		token:        o.text("token"),
		tokenFile:    o.path("tokenFile"),
		username:     o.text("username"),
		password:     o.text("password"),
		folder:       p.folder,
		exec:         o.fields["exec"],
		authProvider: o.fields["auth-provider"] != nil,
		impersonate:  o.impersonation(),
	}
}

func (p *kubeconfigParser) context(o object) kubeContext {
	return kubeContext{
		file:      p.file,
		cluster:   o.text("cluster"),
		user:      o.text("user"),
		namespace: o.text("namespace"),
	}
}

// object is a YAML map and its place for messages; "" is the top.
type object struct {
	p      *kubeconfigParser
	at     string
	fields map[any]any
}

// object reads value as a map; null is an empty one.
func (p *kubeconfigParser) object(value any, at string) object {
	fields, ok := value.(map[any]any)
	if !ok && value != nil {
		p.fail(cmp.Or(at, "the document"), "must be a map")
	}
	return object{p: p, at: at, fields: fields}
}

//go:noinline
func (o object) fail(field, rule string) {
	if o.at != "" {
		field = o.at + ": " + field
	}
	o.p.fail(field, rule)
}

// text is strict about types, as kubectl is: a token of digits alone, without
// quotes, is a number in YAML, and 0123 and 1e3 would become something else.
func (o object) text(field string) string {
	s, ok := o.fields[field].(string)
	if !ok && o.fields[field] != nil {
		o.fail(field, "must be a string (put quotes around it)")
	}
	return s
}

func (o object) flag(field string) bool {
	b, ok := o.fields[field].(bool)
	if !ok && o.fields[field] != nil {
		o.fail(field, "must be true or false")
	}
	return b
}

func (o object) list(field string) []any {
	l, ok := o.fields[field].([]any)
	if !ok && o.fields[field] != nil {
		o.fail(field, "must be a list")
	}
	return l
}

func (o object) data(field string) []byte {
	data, err := base64.StdEncoding.DecodeString(o.text(field))
	if err != nil {
		o.fail(field, "is not valid base64")
	}
	if len(data) == 0 {
		return nil
	}
	return data
}

// path resolves a relative path against the folder of the file that names it.
func (o object) path(field string) string {
	path := o.text(field)
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(o.p.folder, path)
}

func (o object) impersonation() Impersonation {
	i := Impersonation{User: o.text("as"), UID: o.text("as-uid"), Groups: o.texts("as-groups", o.fields["as-groups"])}
	const field = "as-user-extra"
	for key, values := range o.p.object(o.fields[field], field).fields {
		name, ok := key.(string)
		if !ok {
			o.fail(field, "must have strings as keys (put quotes around them)")
		}
		if i.Extra == nil {
			i.Extra = make(map[string][]string)
		}
		i.Extra[name] = o.texts(field, values)
	}
	return i
}

// texts reads a list of strings.
func (o object) texts(field string, value any) (texts []string) {
	items, ok := value.([]any)
	ok = ok || value == nil
	for _, item := range items {
		text, is := item.(string)
		ok = ok && is
		texts = append(texts, text)
	}
	if !ok {
		o.fail(field, "must be a list of strings (put quotes around them)")
	}
	return texts
}
