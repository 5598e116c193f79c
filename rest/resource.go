package rest

import (
	"fmt"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource names one collection of the API: its group ("" is the core group),
// its version, its plural lower-case name, and whether its objects live in
// namespaces. It is comparable and serves as a map key; values are immutable
// by convention and safe to share.
//
// The package holds a value for every generally available built-in resource
// (Pods, Deployments, ...); custom resources are written out:
//
//	widgets := rest.Resource{Group: "example.com", Version: "v1", Resource: "widgets", Namespaced: true}
type Resource struct {
	Group, Version, Resource string
	Namespaced               bool
}

// PathError tells which part of an API path is wrong and the rule it breaks.
type PathError struct {
	Resource Resource
	// Part is "group", "version", "resource", "namespace", "name" or "subresource".
	Part  string
	Value string
	Rule  string
}

// Error quotes the value and shortens it.
func (e *PathError) Error() string {
	return fmt.Sprintf("path of resource %s: %s %s: %s", quote(e.Resource.String()), e.Part, quote(e.Value), e.Rule)
}

// Path returns the escaped URL path of a collection (name empty) or of one
// object, followed by subresources: "/apis/apps/v1/namespaces/shop/deployments/web/scale".
// An empty namespace means all namespaces, which only a collection can have.
//
// It returns "" when the parts form no valid path; no request can be made with
// an empty path. BuildPath tells what was wrong.
func (r Resource) Path(namespace, name string, subresource ...string) string {
	path, err := r.BuildPath(namespace, name, subresource...)
	if err != nil {
		return ""
	}
	return path
}

// BuildPath is Path with the reason: a *PathError names the part and the rule.
//
// Each part must be a name the API server accepts as one path segment: neither
// "." nor "..", without '/' or '%' (the server's path-segment name rule), valid
// in a URL, and not empty. The namespace of a cluster-scoped resource is refused
// rather than dropped: a Resource written without Namespaced would otherwise
// silently address every namespace.
func (r Resource) BuildPath(namespace, name string, subresource ...string) (string, error) {
	switch "" {
	case r.Version:
		return "", r.pathError("version", "", "must not be empty")
	case r.Resource:
		return "", r.pathError("resource", "", "must not be empty")
	}
	var b strings.Builder
	if r.Group == "" {
		b.WriteString("/api")
	} else {
		b.WriteString("/apis")
		if err := r.segment(&b, "group", r.Group); err != nil {
			return "", err
		}
	}
	if err := r.segment(&b, "version", r.Version); err != nil {
		return "", err
	}
	if err := r.scope(&b, namespace, name); err != nil {
		return "", err
	}
	if err := r.segment(&b, "resource", r.Resource); err != nil {
		return "", err
	}
	if name == "" {
		if len(subresource) > 0 {
			return "", r.pathError("subresource", subresource[0], "needs the name of an object before it")
		}
		return b.String(), nil
	}
	if err := r.segment(&b, "name", name); err != nil {
		return "", err
	}
	for _, s := range subresource {
		if err := r.segment(&b, "subresource", s); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func (r *Resource) scope(b *strings.Builder, namespace, name string) error {
	switch {
	case namespace != "" && !r.Namespaced:
		return r.pathError("namespace", namespace, "the resource is cluster-scoped (Namespaced is false)")
	case namespace != "":
		b.WriteString("/namespaces")
		return r.segment(b, "namespace", namespace)
	case r.Namespaced && name != "":
		return r.pathError("namespace", "", "must not be empty when an object of a namespaced resource is named")
	}
	return nil
}

func (r *Resource) segment(b *strings.Builder, part, value string) error {
	if rule := segmentRule(value); rule != "" {
		return r.pathError(part, value, rule)
	}
	b.WriteByte('/')
	b.WriteString(url.PathEscape(value))
	return nil
}

// segmentRule returns the rule that value breaks as one path segment, or "".
// '/' , '%', "." and ".." are the server's rule for names (they change their
// meaning when a proxy decodes or cleans the path); control bytes can only be a
// mistake or an attack.
func segmentRule(value string) string {
	switch value {
	case "":
		return "must not be empty"
	case ".", "..":
		return "must not be '.' or '..'"
	}
	for i := range len(value) {
		switch c := value[i]; {
		case c == '/' || c == '%':
			return "must not contain '/' or '%'"
		case c < 0x20 || c == 0x7f:
			return "must not contain control characters"
		}
	}
	return ""
}

//go:noinline // it is an error
func (r *Resource) pathError(part, value, rule string) error {
	return &PathError{Resource: *r, Part: part, Value: value, Rule: rule}
}

// GroupVersionResource returns the resource in apimachinery's type.
func (r Resource) GroupVersionResource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Resource}
}

// APIVersion returns what objects of the resource carry in their apiVersion:
// "v1", "apps/v1".
func (r Resource) APIVersion() string {
	if r.Group == "" {
		return r.Version
	}
	return r.Group + "/" + r.Version
}

// GroupResource returns the name kubectl shows: "pods", "deployments.apps".
func (r Resource) GroupResource() string {
	if r.Group == "" {
		return r.Resource
	}
	return r.Resource + "." + r.Group
}

// String returns "pods.v1" or "deployments.v1.apps". Discovery.Find reads it back.
func (r Resource) String() string {
	s := r.Resource + "." + r.Version
	if r.Group != "" {
		s += "." + r.Group
	}
	return s
}
