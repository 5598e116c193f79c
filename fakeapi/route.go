package fakeapi

import (
	"net/http"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
)

// request is an HTTP request as the API understands it.
type request struct {
	http  *http.Request
	query url.Values
	// collection is nil if the path names no registered resource.
	collection *collection
	// The attributes that authorization sees, set for paths of resource shape
	// even where nothing is registered.
	verb, group, version, resource, subresource, namespace, name string
	isResource                                                   bool
	// single is the name in the path; name may also come from a selector.
	single string
	user   User
	accept accept
	behind behind
}

// route reads the path as the real server's RequestInfo does:
//
//	/api/v1/[watch/]RESOURCE[/NAME[/SUBRESOURCE]]
//	/api/v1/[watch/]namespaces/NS/RESOURCE[/NAME[/SUBRESOURCE]]
//	/apis/GROUP/VERSION/... alike
func (s *Server) route(r *http.Request) *request {
	q := &request{http: r, query: r.URL.Query(), verb: strings.ToLower(r.Method)}
	if strings.Contains(r.URL.Path, "//") {
		return q // no router matches it
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) > 2:
		q.version, parts = parts[1], parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		q.group, q.version, parts = parts[1], parts[2], parts[3:]
	default:
		return q
	}
	q.isResource = true
	legacyWatch := parts[0] == "watch" && len(parts) > 1
	if legacyWatch {
		parts = parts[1:]
	}
	parts = q.scope(parts)
	q.single = q.name
	q.verb = q.verbOf(r.Method, legacyWatch)
	if len(parts) <= 3 {
		q.collection = s.lookup(q)
	}
	if q.name == "" && (q.verb == "list" || q.verb == "watch" || q.verb == "deletecollection") {
		q.name = selectedName(q.query) // a 403 names it
	}
	return q
}

// scope takes namespace, resource, name and subresource from the path after
// the version and returns resource/name/subresource.
func (q *request) scope(parts []string) []string {
	if parts[0] == "namespaces" && len(parts) > 1 {
		q.namespace = parts[1]
		// namespaces/NS alone, its status and finalizer are the object.
		if len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
			parts = parts[2:]
		}
	}
	q.resource = parts[0]
	if len(parts) > 1 {
		q.name = parts[1]
	}
	if len(parts) > 2 {
		q.subresource = parts[2]
	}
	return parts
}

func (q *request) verbOf(method string, legacyWatch bool) string {
	named := q.name != ""
	switch method {
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if named {
			return "delete"
		}
		return "deletecollection"
	case http.MethodGet, http.MethodHead:
		switch {
		case legacyWatch, !named && queryBool(q.query, "watch"):
			return "watch"
		case named:
			return "get"
		}
		return "list"
	}
	return strings.ToLower(method)
}

// lookup finds the collection, if the path fits its scope.
func (s *Server) lookup(q *request) *collection {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := q.resource
	if q.group != "" {
		name += "." + q.group
	}
	c := s.byName[name]
	if c == nil || c.Version != q.version {
		return nil
	}
	isNamespace := c.Name() == "namespaces"
	switch {
	case q.subresource != "" && !c.custom && (q.subresource != "status" || !c.status):
		return nil
	case !c.Namespaced && q.namespace != "" && !isNamespace:
		return nil
	case c.Namespaced && q.namespace == "" && q.name != "":
		return nil
	case c.custom && c.Namespaced && q.namespace == "" && q.verb != "list" && q.verb != "watch":
		return nil
	}
	return c
}

// objectNamespace is the namespace for storage: none for kinds outside of
// namespaces, whatever authorization makes of the path.
func (q *request) objectNamespace() string {
	if q.collection.Namespaced {
		return q.namespace
	}
	return ""
}

func selectedName(query url.Values) string {
	s, err := fields.ParseSelector(query.Get("fieldSelector"))
	if err != nil {
		return ""
	}
	name, _ := s.RequiresExactMatch("metadata.name")
	return name
}

// queryBool reads a flag as the real server does: present and not false.
func queryBool(query url.Values, key string) bool {
	values, present := query[key]
	if !present {
		return false
	}
	switch strings.ToLower(values[0]) {
	case "false", "0":
		return false
	}
	return true
}
