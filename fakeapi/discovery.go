package fakeapi

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"runtime"
	"slices"
	"strconv"
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
	case q.http.URL.Path == "/":
		s.send(w, q, map[string]any{"paths": s.paths()})
	default:
		s.noSuchPath(w, q)
	}
}

// noSuchPath tells what the real server's routers tell: a Status where a
// built-in group is served, else plain text as net/http has it.
func (s *Server) noSuchPath(w http.ResponseWriter, q *request) {
	group, known := "", strings.HasPrefix(q.http.URL.Path, "/api/")
	if rest, ok := strings.CutPrefix(q.http.URL.Path, "/apis/"); ok {
		group, _, _ = strings.Cut(rest, "/")
		s.mu.Lock()
		known = slices.ContainsFunc(s.order, func(c *collection) bool { return c.Group == group && !c.custom })
		s.mu.Unlock()
	}
	if !known {
		http.Error(w, "404 page not found", http.StatusNotFound)
		return
	}
	s.fail(w, q, &StatusError{
		Code: http.StatusNotFound, Reason: "NotFound",
		Message: "the server could not find the requested resource", Details: &StatusDetails{},
	})
}

// paths are what the root lists.
func (s *Server) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []string{"/api", "/api/v1", "/apis", "/healthz", "/livez", "/readyz", "/version"}
	for _, c := range s.order {
		if c.Group != "" {
			all = append(all, "/apis/"+c.Group, "/apis/"+c.Group+"/"+c.Version)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (s *Server) send(w http.ResponseWriter, q *request, v any) {
	s.writeJSON(w, q, http.StatusOK, mustJSON(v))
}

// versionInfo is version.Info of apimachinery.
type versionInfo struct {
	Major                 string `json:"major"`
	Minor                 string `json:"minor"`
	EmulationMajor        string `json:"emulationMajor,omitempty"`
	EmulationMinor        string `json:"emulationMinor,omitempty"`
	MinCompatibilityMajor string `json:"minCompatibilityMajor,omitempty"`
	MinCompatibilityMinor string `json:"minCompatibilityMinor,omitempty"`
	GitVersion            string `json:"gitVersion"`
	GitCommit             string `json:"gitCommit"`
	GitTreeState          string `json:"gitTreeState"`
	BuildDate             string `json:"buildDate"`
	GoVersion             string `json:"goVersion"`
	Compiler              string `json:"compiler"`
	Platform              string `json:"platform"`
}

func (s *Server) versionInfo() versionInfo {
	major, rest, _ := strings.Cut(strings.TrimPrefix(s.options.GitVersion, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	v := versionInfo{
		Major: major, Minor: minor, EmulationMajor: major, EmulationMinor: minor, GitVersion: s.options.GitVersion,
		BuildDate: "1970-01-01T00:00:00Z", GoVersion: runtime.Version(), Compiler: runtime.Compiler,
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if n, err := strconv.Atoi(minor); err == nil { // the server before this one
		v.MinCompatibilityMajor, v.MinCompatibilityMinor = major, itoa(n-1)
	}
	return v
}

func (s *Server) serveDiscovery(w http.ResponseWriter, q *request, parts []string) {
	s.mu.Lock()
	order, groups := slices.Clone(s.order), s.groups()
	s.mu.Unlock()
	d := discovery{order, groups}
	if len(parts) == 1 {
		form, ok := aggregated(q)
		if !ok {
			s.fail(w, q, notAcceptable("only the following media types are accepted: application/json"))
			return
		}
		if form != "" {
			w.Header().Set("Cache-Control", "public") // it has an identity of its own
			w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v="+form+";as=APIGroupDiscoveryList")
			w.Header().Add("Vary", "Accept")
			s.send(w, q, d.aggregate(parts[0] == "api", form))
			return
		}
	}
	var answer any
	switch path := strings.Join(parts, "/"); {
	case path == "api":
		answer = newAPIVersions(q.http.Host)
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
		s.noSuchPath(w, q)
		return
	}
	s.send(w, q, answer)
}

// aggregated returns the version of the aggregated discovery document that the
// client prefers to the plain ones, "" for none (KEP-3352).
func aggregated(q *request) (version string, ok bool) {
	header := strings.Join(q.http.Header.Values("Accept"), ",")
	for _, c := range parseAccept(header) {
		switch {
		case !c.allowsJSON():
		case c.params["as"] == "APIGroupDiscoveryList" && c.params["g"] == "apidiscovery.k8s.io":
			if v := c.params["v"]; v == "v2" || v == "v2beta1" {
				return v, true
			}
		case c.params["as"] == "":
			return "", true
		}
	}
	return "", header == ""
}

// apiVersions is metav1.APIVersions, without an apiVersion of its own.
type apiVersions struct {
	Kind     string          `json:"kind"`
	Versions []string        `json:"versions"`
	Servers  []serverAddress `json:"serverAddressByClientCIDRs"`
}

type serverAddress struct {
	ClientCIDR string `json:"clientCIDR"`
	Address    string `json:"serverAddress"`
}

func newAPIVersions(host string) apiVersions {
	return apiVersions{"APIVersions", []string{"v1"}, []serverAddress{{"0.0.0.0/0", host}}}
}

// discovery renders the registered resources in the forms of discovery.
type discovery struct {
	collections []*collection
	groups      []string // the core group first
}

var (
	objectVerbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"}
	customVerbs = []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}
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
	Hash       string   `json:"storageVersionHash,omitempty"`
}

// verbs are in the order in which the real server lists them.
func (k *kind) verbs() []string {
	if k.custom {
		return customVerbs
	}
	return objectVerbs
}

// hash stands for the storage version: clients compare it, nothing more.
func (k *kind) hash() string {
	sum := sha256.Sum256([]byte(k.Group + "/" + k.Version + "/" + k.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
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
		APIVersion   string        `json:"apiVersion,omitempty"`
		GroupVersion string        `json:"groupVersion"`
		Resources    []apiResource `json:"resources"`
	}{Kind: "APIResourceList"}
	if group != "" { // the core group's list has none, for old clients
		list.APIVersion = "v1"
	}
	for _, c := range d.in(group, version) {
		list.GroupVersion = c.APIVersion()
		list.Resources = append(list.Resources, apiResource{c.Resource.Resource, c.Singular, c.Namespaced, c.Kind, c.verbs(), c.ShortNames, c.Categories, c.hash()})
		if c.status {
			list.Resources = append(list.Resources, apiResource{c.Resource.Resource + "/status", "", c.Namespaced, c.Kind, statusVerbs, nil, nil, ""})
		}
	}
	if len(list.Resources) == 0 {
		return nil
	}
	return list
}
