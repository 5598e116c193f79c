package fakeapi

// The aggregated discovery document, apidiscovery.k8s.io/v2.

type groupVersionKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

type resourceDiscovery struct {
	Resource     string                 `json:"resource"`
	ResponseKind groupVersionKind       `json:"responseKind"`
	Scope        string                 `json:"scope"`
	Singular     string                 `json:"singularResource"`
	Verbs        []string               `json:"verbs"`
	ShortNames   []string               `json:"shortNames,omitempty"`
	Categories   []string               `json:"categories,omitempty"`
	Subresources []subresourceDiscovery `json:"subresources,omitempty"`
}

type subresourceDiscovery struct {
	Subresource  string           `json:"subresource"`
	ResponseKind groupVersionKind `json:"responseKind"`
	Verbs        []string         `json:"verbs"`
}

type versionDiscovery struct {
	Version   string              `json:"version"`
	Resources []resourceDiscovery `json:"resources"`
	Freshness string              `json:"freshness"`
}

type groupDiscovery struct {
	Metadata discoveryMeta      `json:"metadata"`
	Versions []versionDiscovery `json:"versions"`
}

// discoveryMeta is an ObjectMeta of which only the name is used.
type discoveryMeta struct {
	Name string `json:"name,omitempty"`
}

// aggregate lists the core group alone, or all others.
func (d discovery) aggregate(core bool, form string) any {
	list := struct {
		Kind       string           `json:"kind"`
		APIVersion string           `json:"apiVersion"`
		Metadata   struct{}         `json:"metadata"`
		Items      []groupDiscovery `json:"items"`
	}{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/" + form, Items: []groupDiscovery{}}
	for _, g := range d.groups {
		if core != (g == "") {
			continue
		}
		group := groupDiscovery{Metadata: discoveryMeta{g}}
		for _, v := range d.versions(g) {
			group.Versions = append(group.Versions, d.version(g, v))
		}
		list.Items = append(list.Items, group)
	}
	return list
}

func (d discovery) version(group, version string) versionDiscovery {
	v := versionDiscovery{Version: version, Freshness: "Current"}
	for _, c := range d.in(group, version) {
		gvk := groupVersionKind{Kind: c.Kind}
		if c.custom { // built-in ones leave out what the document says already
			gvk = groupVersionKind{group, version, c.Kind}
		}
		r := resourceDiscovery{
			Resource: c.Resource.Resource, ResponseKind: gvk, Scope: "Cluster", Singular: c.Singular,
			Verbs: c.verbs(), ShortNames: c.ShortNames, Categories: c.Categories,
		}
		if c.Namespaced {
			r.Scope = "Namespaced"
		}
		if c.status {
			r.Subresources = []subresourceDiscovery{{"status", gvk, statusVerbs}}
		}
		v.Resources = append(v.Resources, r)
	}
	return v
}
