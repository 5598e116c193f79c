package fakeapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

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
}

// SetTokens replaces Options.Tokens. Open watches go on, as on a real server.
func (s *Server) SetTokens(tokens map[string]User) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens = tokens
}

// authenticate finds the user behind the bearer token. Health checks need none.
func (s *Server) authenticate(q *request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens == nil || isHealth(q.http.URL.Path) {
		q.user = User{Name: "system:anonymous"}
		return nil
	}
	scheme, token, _ := strings.Cut(q.http.Header.Get("Authorization"), " ")
	if user, known := s.tokens[strings.TrimSpace(token)]; known && strings.EqualFold(scheme, "Bearer") {
		q.user = user
		return nil
	}
	return &StatusError{Code: http.StatusUnauthorized, Reason: "Unauthorized", Message: "Unauthorized"}
}

// authorize asks the user's rules about resources. Discovery, version and
// health are open to whoever is known, as the default roles have it; other
// paths only to users without rules.
func (s *Server) authorize(q *request) error {
	if q.user.Rules == nil || slices.ContainsFunc(q.user.Rules, q.allowedBy) {
		return nil
	}
	if !q.isResource {
		return authorizePath(q)
	}
	resource := q.resource
	if q.subresource != "" {
		resource += "/" + q.subresource
	}
	where := "at the cluster scope"
	if q.namespace != "" {
		where = fmt.Sprintf("in the namespace %q", q.namespace)
	}
	subject := q.resource
	if q.group != "" {
		subject += "." + q.group
	}
	if q.name != "" {
		subject += fmt.Sprintf(" %q", q.name)
	}
	return &StatusError{
		Code: http.StatusForbidden, Reason: "Forbidden",
		Message: fmt.Sprintf("%s is forbidden: User %q cannot %s resource %q in API group %q %s",
			subject, q.user.Name, q.verb, resource, q.group, where),
		Details: &StatusDetails{Name: q.name, Group: q.group, Kind: q.resource},
	}
}

func authorizePath(q *request) error {
	path := q.http.URL.Path
	for _, open := range []string{"/api", "/apis", "/openapi", "/version"} {
		if path == open || strings.HasPrefix(path, open+"/") {
			return nil
		}
	}
	if isHealth(path) {
		return nil
	}
	return &StatusError{
		Code: http.StatusForbidden, Reason: "Forbidden",
		Message: fmt.Sprintf("forbidden: User %q cannot %s path %q", q.user.Name, q.verb, path), Details: &StatusDetails{},
	}
}

func (q *request) allowedBy(r Rule) bool {
	if !q.isResource {
		return false
	}
	resource := q.resource
	if q.subresource != "" {
		resource += "/" + q.subresource
	}
	return has(r.Verbs, q.verb) && r.Verbs != nil &&
		has(r.Groups, q.group) && has(r.Resources, resource) && has(r.Namespaces, q.namespace)
}

// has says whether a rule's list holds a value; nil and "*" hold every one.
func has(list []string, value string) bool {
	return list == nil || slices.Contains(list, "*") || slices.Contains(list, value)
}

func isHealth(path string) bool {
	for _, check := range []string{"/healthz", "/livez", "/readyz"} {
		if path == check || strings.HasPrefix(path, check+"/") {
			return true
		}
	}
	return false
}
