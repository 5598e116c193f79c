package rest

import (
	"iter"
	"slices"
)

// APIResource is what discovery says about one resource.
type APIResource struct {
	Resource
	// Kind of the objects, such as "Pod".
	Kind string
	// Singular is the lower-case name of one object; never empty.
	Singular   string
	ShortNames []string
	Verbs      []string
	Categories []string
}

// Can says whether the resource supports a verb, such as "list" or "watch".
func (r APIResource) Can(verb string) bool { return slices.Contains(r.Verbs, verb) }

// Discovery is what a server offered at one moment: its resources, in the order in
// which a name that several of them share is resolved - the core group first, then
// the groups in the server's order; in a group the preferred version first, stale
// versions last. It does not change and is safe for concurrent use.
type Discovery struct {
	resources []APIResource
	failed    []GroupFailure
}

// GroupFailure is a part of the API whose resources are not, or not freshly, known:
// mostly an aggregated API server that is down.
type GroupFailure struct {
	// Group, or the path of a root document: "/api" (the core group), "/apis" (all others).
	Group   string
	Version string // "" when the whole group is concerned
	Err     error
}

// Error implements error.
func (f GroupFailure) Error() string {
	name := f.Group
	if f.Version != "" {
		name = Resource{Group: f.Group, Version: f.Version}.APIVersion()
	}
	return "discovery of " + quote(name) + ": " + f.Err.Error()
}

// Unwrap returns the cause.
func (f GroupFailure) Unwrap() error { return f.Err }

// NewDiscovery makes a Discovery of known resources, such as those of Builtin, so
// that names can be resolved without a server. Earlier resources win. The slice is
// copied; the slices inside are shared and must not be modified.
func NewDiscovery(resources []APIResource) *Discovery {
	return &Discovery{resources: slices.Clone(resources)}
}

// All yields every resource in the order of preference. What it yields is shared
// and must not be modified.
func (d *Discovery) All() iter.Seq[APIResource] { return slices.Values(d.resources) }

// Failed returns the groups that could not be read; their resources may be missing
// or, when their version is stale, outdated. The caller owns the slice.
func (d *Discovery) Failed() []GroupFailure { return slices.Clone(d.failed) }

// add takes over a resource that can be addressed. Others are peer bytes that fit
// in no path; they are reported with the group.
func (d *Discovery) add(r APIResource) {
	if _, err := r.BuildPath("", ""); err != nil {
		d.fail(r.Group, r.Version, err)
		return
	}
	d.resources = append(d.resources, r)
}

func (d *Discovery) fail(group, version string, err error) {
	d.failed = append(d.failed, GroupFailure{Group: group, Version: version, Err: err})
}
