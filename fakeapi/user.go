package fakeapi

// User is who a bearer token stands for.
type User struct {
	// Name appears in the words of a 403.
	Name string
	// Rules are what the user may do. Nil allows everything, an empty slice
	// nothing.
	Rules []Rule
}

// Rule allows some verbs on some resources. Each list may hold "*"; a nil
// Groups, Resources or Namespaces matches all, a nil Verbs none.
type Rule struct {
	// Verbs are get, list, watch, create, update, patch, delete and
	// deletecollection.
	Verbs []string
	// Groups are API groups; "" is the core group.
	Groups []string
	// Resources are plural names, "pods" or "pods/status".
	Resources []string
	// Namespaces limit the rule, as a RoleBinding does: a request at the
	// cluster scope is allowed only by a rule whose Namespaces is nil or
	// holds "*".
	Namespaces []string
	// Paths are paths outside of resources, such as "/version" or "/api/*".
	// Discovery, health and version are allowed to every known user.
	Paths []string
}
