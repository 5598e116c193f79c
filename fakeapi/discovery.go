package fakeapi

import (
	"net/http"
	"runtime"
	"slices"
	"strings"
)

// serveOther answers everything that is no resource: discovery, version and
// health. The rest is 404 in plain text.
func (s *Server) serveOther(w http.ResponseWriter, q *request) {
	parts := strings.Split(strings.Trim(q.http.URL.Path, "/"), "/")
	switch {
	case isHealth(q.http.URL.Path):
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write([]byte("ok"))
	case parts[0] == "version" && len(parts) == 1:
		s.send(w, q, s.versionInfo())
	case parts[0] == "api" && len(parts) <= 2, parts[0] == "apis" && len(parts) <= 3:
		s.serveDiscovery(w, q, parts)
	default:
		notFoundPath(w)
	}
}

func (s *Server) send(w http.ResponseWriter, q *request, v any) {
	s.writeJSON(w, q, http.StatusOK, mustJSON(v))
}

func (s *Server) versionInfo() map[string]string {
	major, rest, _ := strings.Cut(strings.TrimPrefix(s.options.GitVersion, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	return map[string]string{
		"major": major, "minor": minor, "gitVersion": s.options.GitVersion, "gitCommit": "", "gitTreeState": "clean",
		"buildDate": "1970-01-01T00:00:00Z", "goVersion": runtime.Version(), "compiler": runtime.Compiler,
		"platform": runtime.GOOS + "/" + runtime.GOARCH,
	}
}

func (s *Server) serveDiscovery(w http.ResponseWriter, q *request, parts []string) {
	s.mu.Lock()
	order, groups := slices.Clone(s.order), s.groups()
	s.mu.Unlock()
	d := discovery{order, groups}
	if len(parts) == 1 {
		if form := aggregated(q); form != "" {
			w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v="+form+";as=APIGroupDiscoveryList")
			w.Header().Add("Vary", "Accept")
			s.send(w, q, d.aggregate(parts[0] == "api", form))
			return
		}
	}
	var answer any
	switch path := strings.Join(parts, "/"); {
	case path == "api":
		answer = map[string]any{"kind": "APIVersions", "versions": []string{"v1"}, "serverAddressByClientCIDRs": []any{}}
	case path == "apis":
		answer = d.groupList()
	case len(parts) == 2 && parts[0] == "api":
		answer = d.resourceList("", parts[1])
	case len(parts) == 2:
		answer = d.group(parts[1], true)
	default:
		answer = d.resourceList(parts[1], parts[2])
	}
	if answer == nil {
		notFoundPath(w)
		return
	}
	s.send(w, q, answer)
}

// aggregated returns the version of the aggregated discovery document that the
// client prefers to the plain ones, "" for none (KEP-3352).
func aggregated(q *request) string {
	for _, c := range parseAccept(strings.Join(q.http.Header.Values("Accept"), ",")) {
		switch {
		case !c.allowsJSON():
		case c.params["as"] == "APIGroupDiscoveryList" && c.params["g"] == "apidiscovery.k8s.io":
			if v := c.params["v"]; v == "v2" || v == "v2beta1" {
				return v
			}
		case c.params["as"] == "":
			return ""
		}
	}
	return ""
}

// discovery renders the registered resources in the forms of discovery.
type discovery struct {
	collections []*collection
	groups      []string // the core group first
}

var (
	objectVerbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	statusVerbs = []string{"get", "patch", "update"}
)

type groupVersion struct {
	GroupVersion string `json:"groupVersion"`
	Version      string `json:"version"`
}

type apiGroup struct {
	Kind       string         `json:"kind,omitempty"`
	APIVersion string         `json:"apiVersion,omitempty"`
	Name       string         `json:"name"`
	Versions   []groupVersion `json:"versions"`
	Preferred  groupVersion   `json:"preferredVersion"`
}

type apiResource struct {
	Name       string   `json:"name"`
	Singular   string   `json:"singularName"`
	Namespaced bool     `json:"namespaced"`
	Kind       string   `json:"kind"`
	Verbs      []string `json:"verbs"`
	ShortNames []string `json:"shortNames,omitempty"`
	Categories []string `json:"categories,omitempty"`
}

func (d discovery) groupList() any {
	list := struct {
		Kind       string `json:"kind"`
		APIVersion string `json:"apiVersion"`
		Groups     []any  `json:"groups"`
	}{"APIGroupList", "v1", []any{}}
	for _, g := range d.groups {
		if g != "" {
			list.Groups = append(list.Groups, d.group(g, false))
		}
	}
	return list
}

// group is nil for a group that is not registered.
func (d discovery) group(name string, typed bool) any {
	g := apiGroup{Name: name}
	if typed {
		g.Kind, g.APIVersion = "APIGroup", "v1"
	}
	for _, v := range d.versions(name) {
		g.Versions = append(g.Versions, groupVersion{name + "/" + v, v})
	}
	if name == "" || len(g.Versions) == 0 {
		return nil
	}
	g.Preferred = g.Versions[0]
	return g
}

func (d discovery) versions(group string) []string {
	var versions []string
	for _, c := range d.collections {
		if c.Group == group && !slices.Contains(versions, c.Version) {
			versions = append(versions, c.Version)
		}
	}
	return versions
}

func (d discovery) in(group, version string) []*collection {
	return slices.DeleteFunc(slices.Clone(d.collections), func(c *collection) bool {
		return c.Group != group || c.Version != version
	})
}

func (d discovery) resourceList(group, version string) any {
	list := struct {
		Kind         string        `json:"kind"`
		APIVersion   string        `json:"apiVersion"`
		GroupVersion string        `json:"groupVersion"`
		Resources    []apiResource `json:"resources"`
	}{Kind: "APIResourceList", APIVersion: "v1"}
	for _, c := range d.in(group, version) {
		list.GroupVersion = c.APIVersion()
		list.Resources = append(list.Resources, apiResource{c.Resource.Resource, c.Singular, c.Namespaced, c.Kind, objectVerbs, c.ShortNames, c.Categories})
		if c.status {
			list.Resources = append(list.Resources, apiResource{c.Resource.Resource + "/status", "", c.Namespaced, c.Kind, statusVerbs, nil, nil})
		}
	}
	if len(list.Resources) == 0 {
		return nil
	}
	return list
}
