package fakeapi

// Resource names one collection the server holds and how discovery shows it.
type Resource struct {
	Group    string // "" is the core group
	Version  string
	Resource string // plural, as in paths: "pods"
	Kind     string
	Singular string // default: Kind in lower case

	ShortNames []string
	Categories []string
	Namespaced bool
	// Status says that a custom resource has a status subresource.
	Status bool

	// SelectableFields are JSON paths such as ".spec.color" that field
	// selectors may name beside metadata.name and metadata.namespace.
	SelectableFields []string
}

// Name returns resource.group, or the resource alone in the core group: the
// name by which the direct-state methods of Server take a resource.
func (r Resource) Name() string {
	if r.Group == "" {
		return r.Resource
	}
	return r.Resource + "." + r.Group
}

// APIVersion returns group/version, or the version alone in the core group.
func (r Resource) APIVersion() string {
	if r.Group == "" {
		return r.Version
	}
	return r.Group + "/" + r.Version
}
